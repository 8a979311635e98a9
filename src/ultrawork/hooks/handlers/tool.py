"""Tool calls: guarding our own state before them, writing down afterwards what they really did."""

import os

from ...core.repeats import repeated
from ...store import markers, trace
from ...store.fast import digest, dumps
from ..answer import Answer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..event import Event

_WRITERS = ("Edit", "Write", "MultiEdit", "NotebookEdit")
_SCHEDULERS = ("ScheduleWakeup", "CronCreate")
_OPEN = ("pending", "in_progress")
_TEXT = 500
_SEEN = 20_000


def guard(event: "Event") -> Answer | None:
    """Nobody edits our state by hand. Gate definitions may be edited: they are compared, not locked."""
    if event.text("tool_name") not in _WRITERS:
        return None
    path = _target(event)
    if path and _inside(path, event.home.root):
        return Answer(
            deny="ultrawork: its own state is not edited by hand; use ultrawork session, task or context"
        )
    return None


def _target(event: "Event") -> str:
    given = event.mapping("tool_input")
    path = given.get("file_path") or given.get("notebook_path") or given.get("path")
    return os.path.join(event.cwd, path) if isinstance(path, str) and path else ""


def _inside(path: str, folder: str) -> bool:
    """After resolving links: a link to the state folder is the state folder."""
    root = os.path.realpath(folder)
    return os.path.realpath(path) == root or os.path.realpath(path).startswith(root + "/")


def observe(event: "Event") -> Answer | None:
    """One line in the trace; a warning when the agent goes in circles."""
    if not markers.armed(event.home, event.session):
        return None
    entry = _entry(event)
    before = trace.tail(event.home, event.session, size=_SEEN)
    trace.append(event.home, event.session, entry)
    return _circle([*before, entry], event)


def _entry(event: "Event") -> "dict[str, Any]":
    tool, given = event.text("tool_name"), event.mapping("tool_input")
    entry: dict[str, Any] = {
        "at": round(event.clock(), 3),
        "tool": tool,
        "call": digest(tool + dumps(given))[:16],
        "what": _what(tool, given, event),
        "ok": event.name == "PostToolUse",
        "ms": event.data.get("duration_ms"),
    }
    if event.text("agent_id"):
        entry["agent"] = event.text("agent_id")
    if event.name == "PostToolUseFailure":
        entry["error"] = _redacted(event.text("error")[:_TEXT], event)
    if tool in _SCHEDULERS and isinstance(given.get("prompt"), str):
        entry["scheduled"] = given["prompt"].strip()
    if tool == "TodoWrite":
        entry["open"] = _open_items(given)
    if tool == "TaskUpdate":
        entry["item"] = {"id": str(given.get("taskId", "")), "status": str(given.get("status", ""))}
    return entry


def _what(tool: str, given: "dict[str, Any]", event: "Event") -> str:
    if tool == "Bash":
        return _redacted(str(given.get("command", ""))[:_TEXT], event)
    for key in ("file_path", "notebook_path", "path", "pattern", "subagent_type", "url"):
        if isinstance(given.get(key), str):
            return _redacted(given[key][:_TEXT], event)
    return ""


def _redacted(text: str, event: "Event") -> str:
    """Secrets are rare and their shapes cost a millisecond each to look for; plain text is let by first."""
    from ...core import redact

    return redact.redact(text, event.environ) if redact.suspicious(text, event.environ) else text


def _open_items(given: "dict[str, Any]") -> list[str]:
    todos = given.get("todos")
    items = [one for one in todos if isinstance(one, dict)] if isinstance(todos, list) else []
    return [str(one.get("content", ""))[:80] for one in items if one.get("status") in _OPEN][:20]


def _circle(entries: "list[dict[str, Any]]", event: "Event") -> Answer | None:
    """Said once for a circle: the warning itself is remembered in the trace."""
    own = [one for one in entries if one.get("agent", "") == event.text("agent_id")]
    calls_made = [str(one["call"]) for one in own if one.get("call")]
    length = repeated(calls_made)
    told = next((one["warned"] for one in reversed(own) if one.get("warned")), [])
    if not length or set(calls_made[-length:]) <= set(told):
        return None
    trace.append(
        event.home,
        event.session,
        {
            "at": round(event.clock(), 3),
            "warned": calls_made[-length:],
            "agent": event.text("agent_id"),
        },
    )
    calls = [f"{one.get('tool')} {one.get('what', '')}"[:60].strip() for one in own[-length:]]
    times = "five times in a row" if length == 1 else "four times over"
    return Answer(
        context=f"ultrawork: the same call{'' if length == 1 else 's'} came {times}, with the same input:"
        f" {'; '.join(calls)}. If it did not help, try another way or say BLOCKED: why."
    )
