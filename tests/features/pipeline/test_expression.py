"""Pipelines as people write them: what is read, and what is refused with its place."""

import random

import pytest

from ultrawork.core.errors import UsageError
from ultrawork.core.routing.catalogue import choose_agent
from ultrawork.features.pipeline.values import expression as pipeline


def shape(text):
    found = pipeline.parse(text)
    stages = [[(one.name, one.model) for one in stage] for stage in found.stages]
    return stages, found.task


def test_the_whole_syntax_is_read():
    stages, task = shape('explore:haiku -> architect -> [executor, writer:opus] -> critic "fix it"')
    assert stages == [
        [("explore", "haiku")],
        [("architect", "")],
        [("executor", ""), ("writer", "opus")],
        [("critic", "")],
    ]
    assert task == "fix it"


@pytest.mark.parametrize(
    ("text", "task"),
    [
        ("a -> b mend the login", "mend the login"),
        ("a->b 'fix it'", "fix it"),
        ("a → b “fix it”", "fix it"),
        ('a "turn x -> y into z"', "turn x -> y into z"),
        ('a "say \\"hello\\" twice"', 'say \\"hello\\" twice'),
        ('a "it ends in C:\\"', "it ends in C:\\"),
        ("a 'don't stop'", "don't stop"),
        ("a don't stop", "don't stop"),
        ("a `x` | y is wrong", "`x` | y is wrong"),
        ("a /login answers 500", "/login answers 500"),
        ("a 直して", "直して"),
        ('  a\n-> b\n"mend\nit"', "mend\nit"),
    ],
)
def test_a_task_may_be_written_in_several_ways(text, task):
    assert pipeline.parse(text).task == task


@pytest.mark.parametrize(
    ("text", "place", "why"),
    [
        ("", 1, "an agent's name is missing"),
        ('-> b "x"', 1, "an agent's name is missing"),
        ('a -> -> b "x"', 6, "an agent's name is missing"),
        ('a -> [] "x"', 7, "an agent's name is missing"),
        ('a -> [b,] "x"', 9, "an agent's name is missing"),
        ('a -> [b "x"', 6, '"[" is never closed'),
        ('a, b "x"', 2, "Put parallel agents in brackets: [a, b]"),
        ('a] "x"', 2, '"]" does not belong here'),
        ('9lives "x"', 1, "is not an agent"),
        ('a:: "x"', 1, "is not an agent"),
        ("a -> b", 7, "the task is missing"),
        ("review", 7, "the task is missing"),
        ('a "x', 3, 'the quote " is not closed'),
        ('a ""', 3, "the task is empty"),
        ("a -> b fix it -> c", 8, "Put the task in quotes"),
        ('explore | executor "t"', 9, '"|" does not belong here'),
        ('explore => executor "t"', 9, '"=>" does not belong here'),
        ('explore ; rm -rf / "t"', 9, '";" does not belong here'),
        ("explore && executor fix it", 9, '"&&" does not belong here'),
        ("a -> b ⇒ c fix it", 8, '"⇒" does not belong here'),
        ("a / b fix it", 3, '"/" does not belong here'),
        ("review | executor 't'", 8, '"|" does not belong here'),
        ('explore executor "t"', 9, 'no arrow before "executor"; write one, or quote the whole task'),
        ("a -> b c 't'", 8, 'no arrow before "c"'),
        ("explore executor", 9, 'no arrow before "executor"'),
        ("explore executor fix it", 9, 'no arrow before "executor"'),
        ('review the login "t"', 8, 'no arrow before "the"'),
        ('a -> b "x" "y"', 12, ': "y" follows the task. Put the whole task in one pair of quotes'),
        ('a "x""y"', 6, "follows the task"),
        ("a 'x' 'y'", 7, "follows the task"),
        ("a “x” “y”", 7, "follows the task"),
        ('a "x" then that', 7, '"then" follows the task'),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_place_and_what_to_do(text, place, why):
    with pytest.raises(UsageError) as refused:
        pipeline.parse(text)
    said = str(refused.value)
    assert said.startswith(f"pipeline, character {place}:"), said
    assert why in said
    assert len(said) <= 100


def test_more_stages_or_more_agents_beside_each_other_than_there_may_be_are_refused():
    with pytest.raises(UsageError, match="at most 20"):
        pipeline.parse(" -> ".join(["a"] * 21) + ' "x"')
    with pytest.raises(UsageError, match="At most 8"):
        pipeline.parse(f'[{", ".join(["a"] * 9)}] "x"')


@pytest.mark.parametrize("name", pipeline.PRESETS)
def test_a_preset_is_a_pipeline_by_name(name):
    found = pipeline.parse(f"{name} look at the login")
    assert (found.name, found.task) == (name, "look at the login")
    assert found.expression == pipeline.PRESETS[name]


def test_a_presets_name_before_an_arrow_is_an_agent():
    assert pipeline.parse('review -> executor "x"').name == pipeline.CUSTOM


def test_an_agent_of_a_plugin_keeps_its_prefix_and_may_have_a_model():
    stages, _ = shape('shop:buyer -> shop:buyer:haiku -> explore:claude-opus-4-1 "x"')
    assert stages == [[("shop:buyer", "")], [("shop:buyer", "haiku")], [("explore", "claude-opus-4-1")]]


@pytest.mark.parametrize(
    "text",
    [
        '--retry 2 --on-error=skip --merge vote a -> b "fix it"',
        'a -> b "fix it" --retry=2 --on-error skip --merge=vote',
        '--merge=vote a -> b "fix it" --retry 2 --on-error=skip',
    ],
)
def test_flags_stand_before_the_pipeline_or_behind_its_task(text):
    flags, rest = pipeline.parse_command(text)
    assert flags == {"--retry": "2", "--on-error": "skip", "--merge": "vote"}
    assert rest == 'a -> b "fix it"'


def test_flags_inside_a_task_belong_to_the_task():
    assert pipeline.parse_command('a "explain --retry"') == ({}, 'a "explain --retry"')


@pytest.mark.parametrize(
    ("text", "why"), [("--retyr 2 a", "did you mean --retry?"), ("--merge", "--merge requires a value")]
)
def test_unknown_flags_and_flags_without_a_value_are_refused(text, why):
    with pytest.raises(UsageError, match=why.replace("?", r"\?")):
        pipeline.parse_command(text)


def test_wishes_are_checked_and_a_policy_of_retrying_has_more_tries():
    assert (pipeline.PipelineOptions().retry, pipeline.PipelineOptions(on_error="retry").retry) == (1, 3)
    assert pipeline.PipelineOptions(0, "retry").retry == 0
    with pytest.raises(UsageError, match="known: abort, skip, retry, fallback"):
        pipeline.PipelineOptions(on_error="hope")
    with pytest.raises(UsageError, match="known: concat, summarize, vote"):
        pipeline.PipelineOptions(merge="mix")


def test_without_a_preset_the_agent_of_the_work_chooses_one():
    words = "agent pipeline: is there an SQL injection in the login?"
    found = pipeline.parse(pipeline.find_in_prompt(words, choose_agent(words)[0]))
    assert found.expression == pipeline.PRESETS["security"]


@pytest.mark.parametrize(
    ("prompt", "expression", "task"),
    [
        ('agent pipeline: explore -> executor "fix it"', "explore -> executor", "fix it"),
        ("Chain agents explore -> executor fix it", "explore -> executor", "fix it"),
        ("use an agent pipeline to review the login", pipeline.PRESETS["review"], None),
        ("chain agents and add a button", pipeline.PRESETS["implement"], None),
        ('agent pipeline to debug "it hangs"', pipeline.PRESETS["debug"], None),
    ],
)
def test_a_prompt_with_only_the_words_for_it_draws_a_pipeline_or_names_a_preset(prompt, expression, task):
    found = pipeline.parse(pipeline.find_in_prompt(prompt))
    assert found.expression == expression
    assert found.task == (task or prompt.replace('"', "'"))


def random_pipeline(chance):
    def member():
        name = chance.choice(["explore", "architect", "x", "a-b", "a.b_c", "plug:agent", "Big-Name"])
        return pipeline.StageMember(name, chance.choice(["", "", "haiku", "opus", "gpt-5", "inherit"]))

    stages = [[member() for _ in range(chance.choice([1, 1, 1, 2, 3, 8]))] for _ in range(chance.randint(1, 12))]
    task = "".join(chance.choice("ab ->[],:'é\n") for _ in range(chance.randint(1, 40))).strip()
    return pipeline.Pipeline(stages, task or "x")


@pytest.mark.parametrize("seed", range(60))
def test_what_was_read_and_written_again_reads_the_same(seed):
    given = random_pipeline(random.Random(seed))
    again = pipeline.parse(f'{given.expression} "{given.task}"')
    assert (again.expression, again.task) == (given.expression, given.task)


@pytest.mark.parametrize("seed", range(60))
def test_any_text_is_read_or_refused_with_a_sentence(seed):
    chance = random.Random(seed)
    text = "".join(chance.choice("ab ->[],:\"'→x1\n") for _ in range(chance.randint(0, 60)))
    told = ""
    try:
        found = pipeline.parse(text)
    except UsageError as refused:
        told = str(refused)
    assert told.startswith("pipeline, character ") or (found.task and found.stages)
