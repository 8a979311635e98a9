import json
import signal
import time

import pytest

from support.scene import SESSION
from ultrawork.hooks.main import answer, reply, set_alarm
from ultrawork.hooks.table import HANDLERS, JOBS


@pytest.mark.parametrize("raw", [b"", b"not json", b"[]", b"null", b"3", b'"ulw"', b"{", b"\xff\xfe", b"[" * 100_000])
def test_what_is_no_event_is_answered_with_nothing(scene, raw):
    events = [*sorted(set(HANDLERS) - {"PermissionRequest"}), *JOBS, "Unknown", ""]
    answers = {event: reply(event, raw, scene.environ) for event in events}
    assert answers == dict.fromkeys(events, ("", ""))


def test_what_hangs_is_given_up_when_its_time_is_over():
    before = signal.getsignal(signal.SIGALRM)
    set_alarm("Stop", {"Stop": 0.2})
    try:
        with pytest.raises(TimeoutError, match="Stop took too long"):
            time.sleep(30)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_without_an_argument_the_input_names_the_event(scene):
    raw = json.dumps({"hook_event_name": "SessionStart", "source": "startup", "session_id": SESSION})
    assert "ultrawork is ready" in answer("", raw.encode(), scene.environ)


def test_our_own_jobs_are_not_started_by_an_input(armed):
    raw = json.dumps({"hook_event_name": "Check", "session_id": SESSION, "cwd": armed.place})
    assert reply("", raw.encode(), armed.environ) == ("", "")


def test_a_handler_that_is_skipped_by_name_does_nothing(scene):
    scene.environ["ULTRAWORK_SKIP_HOOKS"] = "trigger,welcome,offer"
    assert scene.prompt("ulw fix it") == {}
    assert scene.event("SessionStart", source="startup") == {}
    assert not scene.is_on()


def test_a_failing_handler_is_logged_and_does_not_silence_the_others(armed, tmp_path):
    news = tmp_path / "state" / "news"
    news.mkdir(exist_ok=True)
    (news / SESSION).write_text('{"message": "what came of it"}')
    trace = tmp_path / "state" / "sessions" / SESSION / "trace.jsonl"
    trace.unlink()
    trace.mkdir()
    assert armed.prompt("go on") == {"systemMessage": "what came of it"}
    logged = (tmp_path / "state" / "logs" / "hooks.log").read_text()
    assert "turn: Traceback" in logged
    assert "IsADirectoryError" in logged


def test_gemini_hears_its_own_event_names(scene):
    raw = json.dumps({
        "hook_event_name": "BeforeAgent", "session_id": SESSION, "cwd": scene.place, "prompt": "ulw fix it",
    })  # fmt: skip
    told = json.loads(answer("BeforeAgent", raw.encode(), scene.environ))
    assert told["hookSpecificOutput"]["hookEventName"] == "BeforeAgent"
    assert "ultrawork is on" in told["hookSpecificOutput"]["additionalContext"]


@pytest.mark.parametrize("name", ["../../etc/passwd", "a/b", "", "${CLAUDE_SESSION_ID}", "x" * 500])
def test_an_id_that_could_not_be_a_file_name_arms_nothing(scene, name):
    assert scene.prompt("ulw fix it", session_id=name) == {}
