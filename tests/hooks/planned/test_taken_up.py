"""Planned sessions that are taken up after an end that decided nothing, and those that were called off."""

import json
import os
import subprocess

import pytest

from support.floor import PLUGIN
from support.play import GOAL, Play, context, denied, entry, fenced
from support.scene import SESSION, refused

EXEC = "ultrawork:ultrawork-exec"
PASS = fenced({"verdict": "PASS", "findings": []})
OTHER = "5e551040-0000-4000-8000-000000000009"


def finish(play):
    play.stop("Done.")
    play.end(play.agent("verifier"), PASS)
    play.stop("Done.")
    assert (play.session()["phase"], play.session()["verdict"]) == ("COMPLETE", "PASS")


def let_go(play):
    told = [play.stop("I stop.") for _ in range(3)]
    assert play.session()["verdict"] == "UNVERIFIED"
    return told[-1]["systemMessage"]


@pytest.mark.slow
def test_what_was_let_go_is_taken_up_with_its_plan_and_ends_in_pass(executing):
    executing.worked("a")
    assert f"resume it: /{EXEC}" in let_go(executing)
    assert not executing.is_on()
    told = context(executing.begin("", skill=EXEC))
    assert "TASK_ID: b" in told
    assert "TASK_ID: a" not in told
    executing.worked("b")
    executing.worked("c")
    finish(executing)


def test_refusals_before_a_session_was_taken_up_count_no_more(executing):
    let_go(executing)
    executing.begin("", skill=EXEC)
    assert refused(executing.stop("I stop."))


@pytest.mark.slow
def test_what_was_skipped_past_verification_is_verified_later(play):
    play.begin(f"--auto --skip-verify {GOAL}")
    play.planned()
    for name in "abc":
        play.worked(name)
    assert "verification was skipped, as requested" in play.stop("Done.")["systemMessage"]
    play.begin("", skill=EXEC)
    assert play.session()["phase"] == "VERIFICATION"
    finish(play)


@pytest.mark.slow
def test_what_no_check_could_decide_is_decided_once_there_is_one(tmp_path):
    play = Play(str(tmp_path), {"a.txt": "wrong\n", "b.txt": "wrong\n"})
    play.begin()
    play.planned([entry("a", criteria=["judged: it reads well"])])
    play.worked("a")
    assert "UNVERIFIED" in play.stop("Done.")["systemMessage"]
    play.write("Makefile", "test:\n\t@grep -q right a.txt && echo 1 passed\n")
    play.begin("", skill=EXEC)
    finish(play)


def test_an_unknown_session_is_an_error_that_names_those_near_and_touches_no_other(executing):
    before = executing.session()
    wrong = SESSION[:-1] + "7"
    told = executing.begin(f"--session {wrong}", skill=EXEC)
    assert told["decision"] == "block"
    assert SESSION in told["reason"]
    assert executing.session()["plan"] == before["plan"]


def test_what_was_cancelled_with_its_plan_is_taken_up_again(executing):
    executing.worked("a")
    executing.run("cancel", "--session", "last")
    told = context(executing.begin(f"--session {SESSION}", skill=EXEC))
    assert "TASK_ID: b" in told
    assert (executing.session()["phase"], executing.session()["verdict"]) == ("EXECUTION", None)
    assert executing.tasks()["a"]["status"] == "resolved"
    assert "CANCELLED" not in executing.run("status", "--session", "last")


def test_what_was_cancelled_before_its_plan_was_approved_is_begun_anew(play):
    play.begin(GOAL)
    play.run("cancel", "--session", "last")
    told = play.begin(f"--session {SESSION}", skill=EXEC)
    assert "its plan was never approved" in told["reason"]


def test_a_restart_gives_all_tries_back(executing):
    for _ in range(3):
        agent = executing.agent("worker", "a")
        executing.end(agent, "Done.")
        executing.end(agent, "Done.")
    executing.run("session", "set", "--session", "last", "--phase", "FAILED")
    executing.begin("--restart", skill=EXEC)
    assert (executing.tasks()["a"]["retry_count"], executing.tasks()["a"]["attempts"]) == (0, 3)


def test_the_plan_of_another_checkout_is_not_executed_here(executing, tmp_path_factory):
    other = Play(str(tmp_path_factory.mktemp("other")))
    told = executing.event(
        "UserPromptExpansion",
        session_id=OTHER,
        cwd=other.place,
        command_name=EXEC,
        command_args=f"--session {SESSION}",
        prompt="x",
    )
    assert "belongs to" in told["reason"]


PHASES = {
    "exploration": lambda play: play.begin(),
    "planning": lambda play: (play.begin(), play.explored()),
    "execution": lambda play: (play.begin(), play.planned(), play.agent("worker", "a")),
    "verification": lambda play: (
        play.begin(),
        play.planned([entry("a"), entry("b"), entry("c")]),
        [play.worked(name) for name in "abc"],
        play.stop("Done."),
        play.agent("verifier"),
    ),
}


@pytest.mark.parametrize("phase", PHASES)
def test_cancel_settles_what_was_at_work_and_nothing_begins_after_it(play, phase):
    PHASES[phase](play)
    play.run("cancel", "--session", "last")
    assert play.session()["phase"] == "CANCELLED"
    assert "in_progress" not in {task["status"] for task in play.tasks().values()}
    for kind, subject in (("worker", "a"), ("explorer", "exp-1"), ("planner", ""), ("verifier", "")):
        _, told = play.ask(kind, subject)
        assert "has ended" in denied(told)
    assert play.edit_as("", "a.txt") == {}, "the person's own work is nobody's business then"
    assert refused(play.stop("Stopping.")) == ""


def call_as_client(play, event, **data):
    """Through the launcher, whose switch comes before everything else."""
    given = {"session_id": SESSION, "cwd": play.place, "hook_event_name": "PreToolUse", **data}
    found = subprocess.run(
        ["/bin/sh", f"{PLUGIN}/bin/ultrawork-hook", event],
        input=json.dumps(given).encode(),
        env=play.environ,
        cwd=play.place,
        capture_output=True,
        timeout=60,
        check=True,
    )
    return json.loads(found.stdout or "{}")


def test_long_after_a_cancel_no_agent_begins_for_the_session(executing):
    """Its markers went with the stop at the end of that turn; the model still has the prompts that were pushed."""
    executing.run("cancel", "--session", "last")
    for folder in (executing.data, executing.home):
        os.remove(f"{folder}/active/{SESSION}")
    named = {"subagent_type": "ultrawork:worker", "prompt": f"SESSION_ID: {SESSION} TASK_ID: a"}
    told = call_as_client(executing, "AgentCall", tool_name="Agent", tool_input=named)
    assert f"session {SESSION[:8]} has ended" in denied(told)
    _, told = executing.ask("verifier", "", prompt=f"SESSION_ID: {SESSION}")
    assert f"session {SESSION[:8]} has ended" in denied(told)
    _, told = executing.ask("worker", "", prompt="Look at the login code")
    assert denied(told) == "", "an agent that somebody wants for something else is nobody's business"


def test_a_worker_that_ends_after_the_cancel_resolves_nothing(executing):
    agent = executing.agent("worker", "a")
    executing.run("cancel", "--session", "last")
    executing.write("a.txt", "right\n")
    executing.end(agent, "Done.")
    assert executing.tasks()["a"]["status"] == "pending"
    assert executing.session()["verdict"] == "UNVERIFIED"
