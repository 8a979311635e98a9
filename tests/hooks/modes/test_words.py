"""Words of the modes in a prompt, through the real hooks: what begins, what ends, what is only said."""

import json
import os

import pytest

from support.scene import QUICK, SESSION, Scene
from ultrawork.core.modes import modes
from ultrawork.core.prompt import composition
from ultrawork.hooks.modes.words import put_count_first


@pytest.fixture
def scene(tmp_path):
    return Scene(str(tmp_path), QUICK)


def on(scene):
    """The modes that are on in this worktree, as their files say."""
    from ultrawork.store.omc import states
    from ultrawork.store.omc.folder import Omc

    return {mode for mode in modes.ALL if mode in states.FILED and _active(states, Omc(scene.place), mode)}  # fmt: skip


def _active(states, omc, mode):
    return (states.read(omc, mode, SESSION) or {}).get("active") is True


def context(answer):
    return (answer.get("hookSpecificOutput") or {}).get("additionalContext", "")


def test_a_word_begins_its_mode_with_the_request_as_the_goal(scene):
    answer = scene.prompt("ralph change the words")
    assert on(scene) == {modes.RALPH, modes.ULTRAWORK}
    assert context(answer).startswith("ultrawork is on. Goal: change the words\n")
    assert "Composed of" not in context(answer)


def test_a_word_of_every_day_begins_a_mode_where_it_plainly_asks_for_it(scene):
    scene.prompt("change the words and don't stop until the test is green")
    assert on(scene) == {modes.RALPH, modes.ULTRAWORK}


@pytest.mark.parametrize(
    "prompt",
    [
        "what does ralph do?",
        "`ralph change the words`",
        'the log says "autopilot build it"',
        "explain how ralph works",
        "Ralph's branch is broken",
        "don't use autopilot",
        "/ralph change the words",
        "<task-notification>autopilot build it</task-notification>",
        "fix the CI pipeline of our team",
    ],
)
def test_a_mention_begins_nothing_and_says_nothing(scene, prompt):
    scene.environ["ULTRAWORK_SKIP_HOOKS"] = "skill-words"
    assert scene.prompt(prompt) == {}
    assert not scene.is_on()
    assert on(scene) == set()


def test_an_ambiguous_mention_is_told_once_a_session_and_begins_nothing(scene):
    answers = [scene.prompt("use ralph sparingly") for _ in range(2)]
    assert answers == [
        {"systemMessage": "ultrawork: ralph did not start: not clearly requested. Start it: /ultrawork:ralph <task>"},
        {},
    ]
    assert not scene.is_on()


@pytest.mark.parametrize("mode", ["team", "pipeline"])
def test_an_order_to_a_mode_without_its_form_is_answered_with_the_form(scene, mode):
    _, told = (scene.prompt(f"{mode} fix add in calc.py")["systemMessage"] for _ in range(2))
    assert told == f"ultrawork: {mode} did not start: not clearly requested. Start it: /ultrawork:{mode} <task>"
    assert not scene.is_on()


def test_no_hint_while_something_is_on(scene):
    scene.prompt("ulw change the words")
    assert scene.prompt("use ralph sparingly") == {}


def test_the_setting_switches_the_words_off_but_not_ulw(scene):
    scene.know()
    scene.write("ultrawork.toml", "[trigger]\nother_modes = false\n")
    assert scene.prompt("ralph change the words") == {}
    assert scene.prompt("use ralph sparingly") == {}
    answer = scene.prompt("ulw ralph change the words")
    assert context(answer).startswith("ultrawork is on. Goal: ralph change the words")
    assert on(scene) == set()


def test_a_broken_setting_is_told_to_whoever_asks_for_a_mode_only(scene):
    scene.know()
    scene.write("ultrawork.toml", "[trigger]\nother_modes = 7\n")
    told = scene.prompt("ralph change the words")["systemMessage"]
    assert told.startswith("ultrawork: not on. ")
    assert "trigger.other_modes" in told
    assert scene.prompt("use ralph sparingly") == {}


def test_the_switch_of_the_words_leaves_ulw_as_it_is(scene):
    scene.environ["ULTRAWORK_SKIP_HOOKS"] = "base-run,mode-words"
    assert scene.prompt("ralph change the words") == {}
    scene.prompt("ulw ralph change the words")
    assert scene.is_on()
    assert on(scene) == set()


def test_the_switch_of_one_mode_leaves_the_others(scene):
    scene.environ["ULTRAWORK_SKIP_HOOKS"] = "base-run,ralph"
    assert scene.prompt("ralph change the words") == {}
    scene.prompt("ulw ralph change the words")
    assert scene.is_on()
    assert on(scene) == set()


def test_ulw_and_a_mode_are_one_session_and_one_short_block(scene):
    answer = scene.prompt("ulw ralph change the words")
    told = context(answer)
    assert told.count("ultrawork is on. Goal: change the words\n") == 1
    block = told[told.index("Composed of default + ultrawork + ralph:") :]
    assert len(block.encode()) <= composition.ROOM
    assert answer["systemMessage"].startswith("ultrawork: ralph,")


def test_a_guarantee_is_linked_with_what_carries_the_work(scene):
    answer = scene.prompt("ralph team: change the words")
    assert on(scene) == {modes.RALPH, modes.TEAM}
    assert "Composed of team + ralph:" in context(answer)
    assert scene.session()["goal"] == "change the words"


def test_ulw_beside_a_planned_mode_adds_no_second_session(scene):
    answer = scene.prompt("ulw autopilot: change the words")
    assert on(scene) == {modes.AUTOPILOT}
    assert "not on" not in answer["systemMessage"]


def test_what_gives_way_is_told_with_its_reason(scene):
    answer = scene.prompt("team autopilot: change the words")
    assert on(scene) == {modes.TEAM}
    assert answer["systemMessage"].endswith("\nultrawork: autopilot is not used: team replaces autopilot.")


def test_an_enhancement_beside_a_mode_is_in_the_block(scene):
    told = context(scene.prompt("ralph tdd change the words"))
    assert "- tdd: first a test that fails" in told


def test_a_pipeline_is_drawn_in_the_prompt(scene):
    scene.prompt('pipeline explore -> executor "change the words"')
    assert on(scene) == {modes.PIPELINE}
    assert scene.session()["goal"] == "change the words"


@pytest.mark.parametrize("prompt", ["ralph", "Ralph mode!", "please use ralph"])
def test_the_word_alone_is_about_what_was_asked_before(scene, prompt):
    typed = ["ralph fix the parser", "sort the list", "stop ralph", prompt]
    with open(f"{scene.root}/transcript.jsonl", "w", encoding="utf-8") as file:
        for text in typed:
            record = {"type": "user", "message": {"role": "user", "content": text}}
            file.write(json.dumps(record) + "\n")
    scene.prompt(prompt, transcript_path=f"{scene.root}/transcript.jsonl")
    assert scene.session()["goal"] == "sort the list"


def test_the_word_alone_without_anything_before_says_what_to_type(scene):
    answer = scene.prompt("ralph")
    assert answer["systemMessage"] == ("ultrawork: ralph is not on: add a task, for example: ralph fix the login bug")
    assert not scene.is_on()


@pytest.mark.parametrize("prompt", ["cancelomc", "stop ralph", "please cancel autopilot, wrong one"])
def test_an_end_ends_whatever_is_on_without_the_model(scene, prompt):
    scene.prompt("ralph change the words")
    answer = scene.prompt(prompt)
    assert answer["continue"] is False
    assert answer["stopReason"].startswith("ultrawork: off.")
    assert not scene.is_on()
    assert on(scene) == set()


def test_an_end_with_another_request_ends_and_lets_the_model_hear_it(scene):
    scene.prompt("ralph change the words")
    answer = scene.prompt("stop ralph, I would rather have you look at the parser first and tell me what it does")
    assert "continue" not in answer
    assert answer["systemMessage"].startswith("ultrawork: off.")
    assert not scene.is_on()


def test_an_end_without_anything_on_is_answered_only_if_it_is_ours(scene):
    assert scene.prompt("stop ralph") == {}
    assert scene.prompt("cancelomc")["continue"] is False


def test_ralph_in_a_planned_session_is_linked_with_what_carries_it(scene):
    scene.prompt("team: change the words")
    answer = scene.prompt("don't stop until all tests pass")
    assert answer["systemMessage"] == "ultrawork: ralph is on with team. Turn off: ulw off"
    assert on(scene) == {modes.RALPH, modes.TEAM}
    assert "ralph" not in str(scene.prompt("and don't stop until it works").get("systemMessage"))


def test_where_only_plain_text_is_wanted_no_hint_is_said(scene):
    scene.know()
    scene.write("ultrawork.toml", "[trigger]\nplain = true\n")
    assert scene.prompt("use ralph sparingly") == {}


def test_a_prompt_that_the_model_scheduled_begins_and_ends_nothing(scene):
    call = {"type": "tool_use", "name": "CronCreate", "id": "c", "input": {}}
    with open(f"{scene.root}/transcript.jsonl", "w", encoding="utf-8") as file:
        for words in ("ralph change the words", "stop ralph"):
            content = [{**call, "input": {"cron": "* * * * *", "prompt": words}}]
            record = {"type": "assistant", "message": {"role": "assistant", "content": content}}
            file.write(json.dumps(record) + "\n")
    record = {"transcript_path": f"{scene.root}/transcript.jsonl"}
    assert scene.prompt("ralph change the words", **record) == {}
    scene.prompt("ulw change the words")
    scene.prompt("stop ralph", **record)
    assert scene.is_on()


def test_an_agents_prompt_begins_nothing(scene):
    assert scene.prompt("ralph change the words", agent_id="a1") == {}
    assert not os.path.exists(f"{scene.place}/.omc")


@pytest.mark.parametrize(
    ("goal", "words"),
    [
        ("swarm 5 agents fix errors", "5 agents fix errors"),
        ("swarm 5 agents: fix errors", "5 agents fix errors"),
        ("use a swarm of 3 agents to fix it", "3 agents fix it"),
        ("launch a swarm of 10 coding agents and fix it", "10 agents fix it"),
        ("fix every warning", "fix every warning"),
        ("use a swarm of agents to fix it", "use a swarm of agents to fix it"),
    ],
)
def test_a_swarm_is_counted_by_what_the_person_said(goal, words):
    assert put_count_first(goal) == words
