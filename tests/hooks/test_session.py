import json
import os
from pathlib import Path

import pytest

from support.scene import GOAL, SESSION, refused

LIE = "Done. All tests pass."
FORK = "5e551040-0000-4000-8000-0000000000f0"


def context(answer):
    return answer.get("hookSpecificOutput", {}).get("additionalContext", "")


def test_the_first_start_ever_says_that_it_is_ready(scene):
    scene.environ["ULTRAWORK_SKIP_HOOKS"] = "offer"
    assert scene.event("SessionStart", source="startup") == {
        "systemMessage": "ultrawork is ready. Start a request with ulw; turn it off with ulw off."
    }
    assert scene.event("SessionStart", source="startup") == {}


@pytest.mark.parametrize("source", ["resume", "clear", "compact", "fork"])
def test_other_beginnings_say_nothing_while_nothing_is_on(scene, source):
    assert scene.event("SessionStart", source=source) == {}


@pytest.mark.slow
@pytest.mark.parametrize("source", ["compact", "resume"])
def test_after_compaction_or_resuming_the_model_gets_a_brief(armed, source):
    armed.spoil()
    armed.stop(LIE)
    armed.tool("TodoWrite", {"todos": [{"content": "write docs", "status": "pending"}]})
    answer = armed.event("SessionStart", source=source)
    told = context(answer)
    resumed = f"ultrawork: still on. Goal: {GOAL}. Turn off: ulw off"
    assert answer.get("systemMessage") == (resumed if source == "resume" else None)
    assert told.startswith(f"ultrawork is on. Goal: {GOAL}\n")
    assert "Done means these pass: test (make test)." in told
    assert "Last check: FAIL: make test fails" in told
    assert "Open on your to-do list: write docs" in told
    assert told.endswith("Stop when `ultrawork verify` passes, or end with a line `BLOCKED: why`.")
    assert len(told.encode()) <= 1000


def test_a_brief_stays_below_a_kilobyte_whatever_the_goal_says(scene):
    scene.prompt("ulw " + "\u4fee\u6b63 " * 3000)
    told = context(scene.event("SessionStart", source="compact"))
    assert 300 < len(told.encode()) <= 1000
    assert told.endswith("`BLOCKED: why`.")


def test_nothing_is_injected_again_at_other_times(armed):
    assert armed.event("SessionStart", source="startup").get("hookSpecificOutput") is None
    assert armed.prompt("go on") == {}
    assert armed.prompt("and on") == {}


def test_after_switching_off_there_is_no_brief(armed):
    armed.prompt("ulw off")
    assert armed.event("SessionStart", source="compact") == {}


def test_clearing_the_conversation_ends_it_unverified(armed):
    assert armed.event("SessionEnd", reason="clear") == {}
    session = armed.session()
    assert (session["phase"], session["verdict"]) == ("CANCELLED", "UNVERIFIED")
    assert not armed.is_on()
    assert "the conversation was cleared" in armed.run("why", "--session", SESSION)


ASKED = {"notification_type": "permission_prompt", "message": "Claude needs your permission"}


def test_status_tells_since_when_the_client_waits_for_the_person_until_it_goes_on(armed):
    assert "waits" not in armed.run("status")
    assert armed.event("Notification", **ASKED) == {}
    told = armed.run("status")
    assert "waits      for you since " in told
    assert "no answer yet: Claude needs your permission" in told
    armed.event("PostToolUse", tool_name="Bash", tool_input={"command": "ls"}, tool_response={})
    assert "waits" not in armed.run("status")


def test_a_wait_that_an_older_program_wrote_down_is_passed_by(armed):
    armed.event("Notification", **ASKED)
    file = Path(armed.home, "waiting", SESSION)
    told = json.loads(file.read_text())
    del told["heard"]
    file.write_text(json.dumps(told))
    shown = armed.run("status")
    assert "sent back  0 of at most 8 times" in shown
    assert "waits" not in shown


@pytest.mark.parametrize(("skips", "more"), [("waits", {}), ("", {"notification_type": "elicitation_response"})])
def test_what_is_no_wait_or_switched_off_is_not_told(armed, skips, more):
    armed.environ["ULTRAWORK_SKIP_HOOKS"] = skips
    armed.event("Notification", **{**ASKED, **more})
    assert "waits" not in armed.run("status")


@pytest.mark.parametrize("reason", ["prompt_input_exit", "other", "resume", "logout"])
def test_other_ends_may_be_resumed(armed, reason):
    armed.event("SessionEnd", reason=reason)
    assert armed.is_on()
    assert "sent back" in refused(armed.stop(LIE))


def test_a_fork_starts_switched_off_and_says_so(armed):
    armed.environ["CLAUDE_CODE_SESSION_ID"] = FORK
    told = armed.event("SessionStart", source="fork", session_id=FORK)
    assert told == {
        "systemMessage": "ultrawork: off in this fork; the original conversation is unchanged. Turn on here: ulw <task>"
    }
    assert armed.stop(LIE, session_id=FORK) == {}


def as_fork(scene):
    """2.1.197 resumes under the old name; the first prompt comes under the new one."""
    scene.event("SessionStart", source="resume")
    scene.environ["CLAUDE_CODE_SESSION_ID"] = FORK


def test_a_fork_that_looks_resumed_says_so_at_its_first_prompt_once(armed):
    as_fork(armed)
    told = armed.prompt("hello", session_id=FORK)
    assert told["systemMessage"] == context(told)
    assert told["systemMessage"] == (
        "ultrawork: off in this fork; the original conversation is unchanged. Turn on here: ulw <task>"
    )
    assert armed.prompt("hello again", session_id=FORK) == {}


def test_a_fork_that_is_switched_on_at_once_says_only_that(armed):
    as_fork(armed)
    told = armed.prompt("ulw fix it", session_id=FORK)
    assert "fork" not in told["systemMessage"]


def test_a_resumed_session_is_no_fork(armed):
    armed.event("SessionStart", source="resume")
    assert armed.prompt("go on") == {}


def test_a_fork_where_nothing_is_on_says_nothing(scene):
    os.makedirs(scene.home, exist_ok=True)
    assert scene.event("SessionStart", source="fork") == {}
