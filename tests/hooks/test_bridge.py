"""Events of real clients, and what is wrong with others, on their way in."""

import json
import os

import pytest

from support.scene import GOAL, SESSION
from ultrawork.core import hook_types
from ultrawork.hooks.bridge import drop_skipped, read_event
from ultrawork.hooks.event import is_plain
from ultrawork.hooks.main import LIMIT, reply
from ultrawork.hooks.table import HANDLERS, list_rows

HERE = os.path.dirname(os.path.abspath(__file__))
CLIENTS = ("claude", "codex", "gemini")
SAMPLES = sorted(f"{client}/{name}" for client in CLIENTS for name in os.listdir(f"{HERE}/samples/{client}"))
REQUEST = {
    "session_id": SESSION, "cwd": "/", "tool_name": "Bash", "tool_input": {"command": "rm -rf /"},
}  # fmt: skip


def sample(name):
    with open(f"{HERE}/samples/{name}", encoding="utf-8") as file:
        return json.load(file)


def asked(scene, event, raw):
    data = raw if isinstance(raw, bytes) else json.dumps(raw).encode()
    return reply(event, data, scene.environ)


def logged(scene):
    path = f"{scene.home}/logs/hooks.log"
    if not os.path.exists(path):
        return ""
    with open(path, encoding="utf-8") as file:
        return file.read()


def test_a_real_event_enters_whole_and_without_a_word(scene):
    for name in SAMPLES:
        raw = sample(name)
        event, data = read_event(raw["hook_event_name"], raw, scene.environ)
        given = {key: value for key, value in raw.items() if value is not None}
        assert data == given, name
        assert hook_types.find_event(event) == event, name
        assert logged(scene) == "", name


@pytest.mark.slow
@pytest.mark.parametrize("client", CLIENTS)
def test_a_real_event_is_answered_in_a_session_that_is_on(scene, client):
    for name in (name for name in SAMPLES if name.startswith(client)):
        if not scene.is_on():
            scene.prompt(f"ulw {GOAL}")
        assert scene.is_on(), name
        raw = {**sample(name), "session_id": SESSION, "cwd": scene.place}
        out, wake = asked(scene, raw["hook_event_name"], raw)
        assert not out or out.startswith("{"), name
        assert wake == "", name
        assert "Traceback" not in logged(scene), name


@pytest.mark.parametrize("name", ["PreToolUse.json", "PostToolUse.json", "UserPromptSubmit.json", "Stop.json"])  # fmt: skip
def test_the_frequent_events_of_a_real_client_take_the_quick_way(name):
    raw = sample(f"claude/{name}")
    assert is_plain(raw["hook_event_name"], raw)


@pytest.mark.parametrize(
    "change",
    [{"session_id": 5}, {"tool_input": "text"}, {"toolName": "Read"}, {"stop_hook_active": "yes"}, {"parts": []}],
)
def test_what_is_not_quite_normal_takes_the_long_way(change):
    assert not is_plain("PreToolUse", {**sample("claude/PreToolUse.json"), **change})


def test_sensitive_events_never_take_the_quick_way():
    for event, sensitive, required in hook_types.TYPES.values():
        if sensitive or required:
            assert not is_plain(event, dict(REQUEST))


def test_an_event_in_another_spelling_is_understood(scene):
    raw = {"sessionId": SESSION, "directory": scene.place, "prompt": "ulw fix it"}
    assert "ultrawork is on" in asked(scene, "UserPromptSubmit", raw)[0]
    assert scene.is_on()


def test_a_prompt_in_parts_is_read(scene):
    raw = {"sessionId": SESSION, "cwd": scene.place, "parts": [{"type": "text", "text": "ulw fix it"}]}  # fmt: skip
    asked(scene, "UserPromptSubmit", raw)
    assert scene.is_on()


def test_a_hook_type_of_document_004_is_a_name_for_its_event(scene):
    raw = {"session_id": SESSION, "cwd": scene.place, "prompt": "ulw fix it"}
    asked(scene, "keyword-detector", raw)
    assert scene.is_on()


def test_a_wrong_type_is_left_out_and_written_down(armed):
    raw = {"session_id": SESSION, "cwd": armed.place, "tool_name": 7, "tool_input": {}}
    assert asked(armed, "PreToolUse", raw) == ("", "")
    assert "PreToolUse: tool_name is a number, not text; it was ignored" in logged(armed)


def test_an_end_without_a_session_is_not_handled(armed):
    assert asked(armed, "SessionEnd", {"cwd": armed.place, "reason": "clear"}) == ("", "")
    assert "session_id is missing, so session-end was not handled" in logged(armed)
    assert armed.is_on()


@pytest.mark.parametrize("lost", ["session_id", "cwd", "tool_name", "tool_input"])
def test_a_permission_request_that_lacks_something_is_denied(scene, lost):
    raw = {key: value for key, value in REQUEST.items() if key != lost}
    decision = json.loads(asked(scene, "PermissionRequest", raw)[0])["hookSpecificOutput"]
    assert decision["hookEventName"] == "PermissionRequest"
    assert decision["decision"]["behavior"] == "deny"


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"not json",
        b"[]",
        b"null",
        b"[" * 100_000,
        b'{"a":' * 100 + b"1" + b"}" * 100,
        b'"' + b"x" * (LIMIT // 100) + b'"',
    ],
)
def test_a_permission_request_that_cannot_be_read_is_denied(scene, raw):
    assert '"behavior":"deny"' in asked(scene, "PermissionRequest", raw)[0]


def test_a_denial_is_written_down_and_can_be_switched_off(scene):
    asked(scene, "PermissionRequest", b"")
    with open(f"{scene.home}/logs/audit.jsonl", encoding="utf-8") as file:
        assert json.loads(file.read())["kind"] == "denied"
    scene.environ["ULTRAWORK_SKIP_HOOKS"] = "permission-request"
    assert asked(scene, "PermissionRequest", b"") == ("", "")


@pytest.mark.parametrize("event", [one for one in HANDLERS if one != "PermissionRequest"])
def test_everything_else_goes_on_when_it_is_nested_absurdly_deep(scene, event):
    deep = b'{"tool_input":' + b'{"a":' * 100 + b"1" + b"}" * 100 + b"}"
    assert asked(scene, event, deep) == ("", "")


def test_one_type_or_one_behaviour_can_be_skipped():
    rows = list_rows("UserPromptSubmit")
    assert drop_skipped("UserPromptSubmit", rows, "pre-tool-use, keyword-detector") == []
    assert drop_skipped("UserPromptSubmit", rows, "trigger ,x") == [one for one in rows if one.name != "trigger"]  # fmt: skip
    assert drop_skipped("Stop", list_rows("Stop"), "ralph") == list(list_rows("Stop"))
