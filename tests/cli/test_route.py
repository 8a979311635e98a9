"""`ultrawork route …` as people and scripts type it."""

import os
import subprocess

from support.scene import GIT


def test_a_choice_comes_with_its_reasons(program):
    out = program.done("route", "Fix the authentication vulnerability").out
    assert out.startswith("opus (HIGH, confidence ")
    assert "because  security is at stake" in out
    assert "rule     security-domain; score 2" in out


def test_the_agent_of_the_catalogue_is_named_with_its_reason(program):
    asked = program.done("route", "--json", "How should the architecture of the store look?").data
    assert asked["agent"] == {"name": "architect", "why": "a question of architecture"}
    assert asked["rule"] == "architect-complex-debugging"
    out = program.done("route", "--category", "writing", "what came of it").out
    assert "agent    writer: writing work" in out
    assert "agent " not in program.done("route", "bump the timeout to 30").out


def test_the_projects_own_models_are_named(program):
    with open(f"{program.place}/ultrawork.toml", "w", encoding="utf-8") as file:
        file.write('[models]\nsimple = "tiny"\n')
    assert program.done("route", "--json", "find the file").data["model"] == "tiny"


def test_a_task_is_judged_by_its_words_and_its_failed_attempts(program):
    program.done("session", "new", "--goal", "g", "--session", "s1")
    program.done("task", "create", "--id", "t1", "--subject", "find the file")
    assert program.done("route", "--task", "t1", "--json").data["tier"] == "LOW"
    assert program.done("route", "find it", "--failures", "2", "--json").data["tier"] == "HIGH"


def test_without_words_it_says_what_is_missing(program):
    answer = program.call("route")
    assert answer.status == 2
    assert "describe the work" in answer.err


def test_an_agent_that_nobody_knows_is_refused_with_the_nearest(program):
    answer = program.call("route", "--agent", "architct", "find the file")
    assert answer.status == 2
    assert 'no agent "architct" here; did you mean architect?' in answer.err
    assert program.done("route", "--agent", "ultrawork:critic", "--json", "go").data["tier"]


def commit(program):
    for words in (("init", "-q"), ("add", "-A"), ("commit", "-q", "--allow-empty", "-m", "x")):
        subprocess.run([*GIT, *words], cwd=program.place, check=True, capture_output=True)


def test_who_looks_over_a_change_depends_on_what_it_touches(program):
    commit(program)
    assert program.call("route", "--review").status == 4
    for name, text in {"a.py": "x = 1\n", "test_a.py": "y = 2\n"}.items():
        with open(f"{program.place}/{name}", "w", encoding="utf-8") as file:
            file.write(text)
    light = program.done("route", "--review", "--json").data
    assert (light["tier"], light["model"]) == ("LIGHT", "haiku")
    os.makedirs(f"{program.place}/auth")
    with open(f"{program.place}/auth/login.py", "w", encoding="utf-8") as file:
        file.write("z = 3\n")
    out = program.done("route", "--review").out
    assert out.startswith("opus (THOROUGH)")
    assert "because  security: auth/login.py" in out


def test_reviewers_get_the_diff_in_a_file_and_the_range_by_name(program):
    """Without a shell they could not make it: it lies in the checkout, where git ignores it."""
    commit(program)
    with open(f"{program.place}/new.py", "w", encoding="utf-8") as file:
        file.write("x = 1\n")
    found = program.done("route", "--review", "--json").data
    assert (found["range"], found["diff"]) == ("HEAD..working tree", ".omc/state/review.diff")
    assert "+x = 1" in read(program, found["diff"])
    commit(program)
    found = program.done("route", "--review", "HEAD~1..HEAD", "--json").data
    assert found["range"] == "HEAD~1..HEAD"
    assert "+x = 1" in read(program, found["diff"])
    assert program.call("route", "--review").status == 4
    assert "try main..HEAD" in program.call("route", "--review", "nowhere..HEAD").err


def read(program, name):
    with open(f"{program.place}/{name}", encoding="utf-8") as file:
        return file.read()


def test_before_the_first_commit_there_is_nothing_to_compare_with(program):
    subprocess.run([*GIT, "init", "-q"], cwd=program.place, check=True, capture_output=True)
    answer = program.call("route", "--review")
    assert answer.status == 4
    assert "no commits to compare with" in answer.err


def test_the_kind_of_work_and_its_effort_are_told(program):
    data = program.done("route", "--json", "debug the race condition and its root cause").data
    assert data["category"]["name"] == "ultrabrain"
    assert (data["category"]["effort"], data["category"]["thinking_tokens"]) == ("max", 32_000)
    out = program.done("route", "find where is the port").out
    assert "kind     quick: low effort, 1,000 tokens of thinking" in out


def test_a_kind_that_was_asked_for_decides_the_tier_but_for_failures(program):
    asked = ("route", "--json", "--category", "visual-engineering", "find it")
    data = program.done(*asked).data
    assert (data["tier"], data["rule"]) == ("HIGH", "explicit-category")
    raised = program.done("route", "--json", "--category", "quick", "--failures", "2", "find it")
    assert raised.data["tier"] == "HIGH"
    assert program.call("route", "--category", "quik", "find it").status == 2
