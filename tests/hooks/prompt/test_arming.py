import os
import shutil

import pytest

from support.scene import GOAL, NO_CHECK, SESSION, Scene, refused


def context(answer):
    return answer.get("hookSpecificOutput", {}).get("additionalContext", "")


def test_the_word_switches_it_on_once(scene):
    told = scene.prompt(f"ulw {GOAL}")
    assert told["systemMessage"] == "ultrawork: on. Done means this passes: `make test`. Turn off: ulw off"
    assert context(told).startswith(f"ultrawork is on. Goal: {GOAL}\n")
    assert told["hookSpecificOutput"]["sessionTitle"] == GOAL
    assert scene.is_on()
    assert scene.prompt("and go on") == {}


def test_a_plain_prompt_changes_nothing(scene):
    assert scene.prompt("fix the bug") == {}
    assert not os.path.exists(f"{scene.home}/ultrawork.db")


def test_a_project_without_a_check_is_told_so(tmp_path):
    scene = Scene(str(tmp_path), NO_CHECK)
    told = scene.prompt("ulw number the pages")
    assert told["systemMessage"] == ("ultrawork: on, but I found no checks in this project. Add one: ulw gates draft")
    assert "ultrawork found no checks in this project" in context(told)


@pytest.mark.parametrize("name", ["ultrawork:ulw", "omo:ulw"])
def test_a_typed_skill_does_the_same(scene, name):
    told = scene.typed(name, GOAL)
    assert context(told).startswith(f"ultrawork is on. Goal: {GOAL}\n")
    assert scene.session()["goal"] == GOAL


def test_a_skill_without_a_goal_asks_for_one(scene):
    assert scene.typed("ultrawork:ulw")["stopReason"] == (
        "ultrawork: not on. Add a task, for example: ulw fix the login bug"
    )
    assert not scene.is_on()


@pytest.mark.slow
@pytest.mark.parametrize("first", ["Submit", "Expansion"])
def test_two_events_of_one_prompt_arm_once_in_either_order(scene, first):
    def submit():
        return scene.event("UserPromptSubmit", prompt=f"/ultrawork:ulw {GOAL}")

    def expand():
        return scene.event("UserPromptExpansion", command_name="ultrawork:ulw", command_args=GOAL, prompt="x")

    steps = [submit, expand] if first == "Submit" else [expand, submit]
    told = [step() for step in steps]
    assert [bool(one) for one in told] == [first != "Submit", first == "Submit"]
    assert scene.session()["goal"] == GOAL
    # Both were the first turn: a stop that changed nothing is no talk.
    assert "sent back" in scene.stop("Done.")["reason"]


@pytest.mark.slow
def test_more_of_the_goal_keeps_the_base(armed):
    armed.fix()
    told = armed.prompt("ulw also add a docstring")
    assert told == {"systemMessage": "ultrawork: still on. Added to the goal: also add a docstring"}
    assert armed.session()["goal"] == f"{GOAL}\nalso add a docstring"
    assert armed.stop("Done.")["systemMessage"].startswith("ultrawork: PASS, proved by test_sorts")


def test_more_of_the_goal_is_a_turn_of_work_and_not_talk(armed):
    armed.stop("Which one do you want?")
    armed.prompt("ulw also add a docstring")
    assert "sent back" in armed.stop("Done.")["reason"]


@pytest.mark.slow
def test_the_next_goal_of_a_conversation_keeps_what_was_proved(armed):
    armed.fix()
    armed.stop("Done.")
    armed.prompt("ulw add a docstring to the module")
    assert armed.session()["run"] == 2
    assert armed.session()["verdict"] is None
    armed.edit("book.py", '"""Names and cities."""\n' + armed.read("book.py"))
    assert "PASS" in armed.stop("Done.")["systemMessage"]
    listed = armed.run("evidence", "list", "--session", SESSION).splitlines()
    assert len(listed) > 3
    assert listed[1].startswith("#1 ")


def test_a_session_whose_markers_never_came_is_begun_anew(armed):
    """Killed between the record and the markers, or they were taken away: said, and the next word begins it."""
    os.unlink(f"{armed.home}/active/{SESSION}")
    os.unlink(f"{armed.data}/active/{SESSION}")
    assert "Another program removed its marker files" in armed.stop("Done.")["systemMessage"]
    armed.fix()
    told = armed.prompt(f"ulw {GOAL}")
    assert told["systemMessage"].startswith("ultrawork: on.")
    # The fix is part of this new base.
    assert "No file has changed" in refused(armed.stop("Done."))


def test_a_second_event_mends_what_the_first_left_half_done(armed):
    """Killed between the two markers: the same prompt's other event completes them, and answers."""
    os.unlink(f"{armed.data}/active/{SESSION}")
    told = armed.event("UserPromptExpansion", command_name="ultrawork:ulw", command_args=GOAL, prompt="x")
    assert told["systemMessage"].startswith("ultrawork: on.")
    assert os.path.exists(f"{armed.data}/active/{SESSION}")
    assert armed.session()["run"] == 1


def test_machine_made_and_subagents_prompts_switch_nothing_on(scene):
    assert scene.prompt("<task-notification>ulw fix it</task-notification>") == {}
    assert scene.prompt("ulw fix it", agent_id="a1") == {}
    assert not scene.is_on()


def test_plain_text_is_printed_where_the_project_wants_it(tmp_path):
    scene = Scene(str(tmp_path), {"ultrawork.toml": "[trigger]\nplain = true\n"})
    scene.know()
    told = scene.prompt("ulw fix it")
    assert list(told) == ["plain"]
    assert told["plain"].startswith("ultrawork is on. Goal: fix it")


def test_own_words_take_the_place_of_ours(tmp_path):
    scene = Scene(str(tmp_path), {})
    os.makedirs(scene.home, exist_ok=True)
    with open(f"{scene.home}/config.toml", "w", encoding="utf-8") as file:
        file.write('[trigger]\nwords = ["insist"]\n')
    assert scene.prompt("ulw fix it") == {}
    assert scene.prompt("insist: fix it")["systemMessage"].startswith("ultrawork: on")


def test_no_words_leave_the_slash_command_alone(tmp_path):
    scene = Scene(str(tmp_path), {"ultrawork.toml": "[trigger]\nwords = []\n"})
    scene.know()
    assert scene.prompt("ulw fix it") == {}
    assert scene.typed("ultrawork:ulw", "fix it")["systemMessage"].startswith("ultrawork: on")


def test_a_wrong_setting_is_said_and_nothing_is_on(tmp_path):
    scene = Scene(str(tmp_path), {"ultrawork.toml": "[stop]\nbugdet = 3\n"})
    told = scene.prompt("ulw fix it")
    assert told == {
        "systemMessage": 'ultrawork: not on. ultrawork.toml: no setting "stop.bugdet"; did you mean stop.budget?'
    }
    assert not scene.is_on()


def test_a_planned_session_is_not_taken_over(scene):
    from ultrawork.store import markers, paths

    home = paths.find_home(scene.environ)
    markers.arm(home, scene.environ, SESSION, {"kind": "session", "session": "plan-1"})
    told = scene.prompt("ulw fix it")
    assert "A planned session is running here" in told["systemMessage"]


def test_a_codex_skill_arrives_as_it_was_typed(scene):
    scene.environ.pop("CLAUDE_CODE_SESSION_ID")
    told = scene.prompt(f"$ultrawork:ulw {GOAL}", turn_id="t1")
    assert context(told).startswith(f"ultrawork is on. Goal: {GOAL}\n")
    assert f'"{scene.environ["CLAUDE_PLUGIN_ROOT"]}/bin/ultrawork" verify' in context(told)


def test_where_the_state_folder_cannot_be_made_it_says_so(scene, tmp_path):
    shutil.rmtree(scene.home, ignore_errors=True)
    (tmp_path / "state").write_text("a file blocks the branches of ultrawork")
    assert scene.prompt("ulw fix it")["systemMessage"].startswith("ultrawork: not on. ")
    assert scene.stop("Done.") == {}
