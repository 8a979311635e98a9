"""
What the client's own record of a session tells: whether its `/goal` is on, what was scheduled, what is
confined, what the person asked for, what still waits in its queue.
"""

import os

from ..store.codec import loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

_CHUNK = 1 << 20
_LONGEST = 64 << 20
_LINE = 4 << 20
_TERMINAL = "codex-tui"
_SCHEDULERS = ("ScheduleWakeup", "CronCreate")


def is_goal_on(path: str) -> bool:
    """The client notes each judgement of its goal, and its end."""
    for record in _records(path, b'"goal_status"'):
        attachment = record.get("attachment")
        if isinstance(attachment, dict) and attachment.get("type") == "goal_status":
            return attachment.get("met") is False
    return False


def read_turn_context(path: str) -> "dict[str, Any]":
    """What Codex noted of this turn: its sandbox, whether it asks; empty where it noted nothing."""
    for record in _records(path, b'"turn_context"'):
        if record.get("type") == "turn_context":
            payload = record.get("payload")
            return payload if isinstance(payload, dict) else {}
    return {}


def is_begun_by_hand(path: str) -> bool:
    """
    Whether Codex noted at the start of its record that a person has it in a terminal. That runs through a
    daemon as a rule, whose `source` is another, and who asked the daemon is the `originator`.
    """
    record = _first(path)
    payload = record.get("payload") if record.get("type") == "session_meta" else None
    if not isinstance(payload, dict):
        return False
    is_terminal = payload.get("originator") == _TERMINAL and isinstance(payload.get("source"), str)
    return payload.get("source") == "cli" or is_terminal


def read_agent_path(path: str) -> str:
    """Under which name Codex began an agent, from the agent's own record; empty if it names none."""
    payload = _first(path).get("payload")
    found = payload.get("agent_path") if isinstance(payload, dict) else None
    return found if isinstance(found, str) else ""


def _first(path: str) -> "dict[str, Any]":
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    except (OSError, ValueError):
        return {}
    try:
        line = os.read(handle, _LINE).partition(b"\n")[0]
        value = loads(line.decode("utf-8", "replace"))
    except (OSError, ValueError):
        return {}
    finally:
        os.close(handle)
    return value if isinstance(value, dict) else {}


def list_scheduled(path: str) -> "Iterator[str]":
    """Prompts that the model set up for later: they come back without any mark."""
    for tool in _SCHEDULERS:
        for record in _records(path, f'"{tool}"'.encode()):
            message = record.get("message")
            content = message.get("content") if isinstance(message, dict) else None
            for block in content if isinstance(content, list) else []:
                yield from _prompt(block)


def _prompt(block: object) -> "Iterator[str]":
    if isinstance(block, dict) and block.get("name") in _SCHEDULERS:
        given = block.get("input")
        prompt = given.get("prompt") if isinstance(given, dict) else None
        if isinstance(prompt, str):
            yield prompt.strip()


def list_queued(path: str) -> list[str]:
    """What the person typed while the model worked and the client has not passed on yet, oldest first."""
    found: list[str] = []
    changes = list(_records(path, b'"queue-operation"'))
    for record in reversed(changes):
        if record.get("operation") == "enqueue":
            found.append(str(record.get("content") or "").strip())
        elif record.get("operation") == "popAll":
            found.clear()
        else:
            del found[:1]
    return found


def list_requests(path: str) -> "Iterator[str]":
    """What was typed in this conversation, newest first."""
    for record in _records(path, b'"user'):
        text = _typed(record)
        if text:
            yield text


def _typed(record: "dict[str, Any]") -> str:
    """Claude Code notes a prompt as a message of the user, as it notes what tools gave; Codex as an event."""
    payload, message = record.get("payload"), record.get("message")
    if isinstance(payload, dict) and payload.get("type") == "user_message":
        return _text(payload.get("message"))
    machine_made = record.get("isMeta") or record.get("isSidechain")
    if record.get("type") != "user" or machine_made or not isinstance(message, dict):
        return ""
    return _text(message.get("content"))


def _text(content: object) -> str:
    if isinstance(content, str):
        return content.strip()
    blocks = content if isinstance(content, list) else []
    parts = [one.get("text") for one in blocks if isinstance(one, dict)]
    return "\n".join(part for part in parts if isinstance(part, str)).strip()


def _records(path: str, needle: bytes) -> "Iterator[dict[str, Any]]":
    """The lines that hold a text, newest first; one that is no JSON object is passed over."""
    for line in _lines(path):
        if needle in line and len(line) < _LINE:
            try:
                value = loads(line.decode("utf-8", "replace"))
            except ValueError:
                continue
            if isinstance(value, dict):
                yield value


def _lines(path: str) -> "Iterator[bytes]":
    """From the end, a piece at a time: transcripts grow to hundreds of megabytes."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    except (OSError, ValueError):
        return
    try:
        place = size = os.fstat(handle).st_size
        rest = b""
        while place > max(0, size - _LONGEST):
            start = max(0, place - _CHUNK)
            first, *lines = (os.pread(handle, place - start, start) + rest).split(b"\n")
            yield from reversed(lines)
            rest, place = first[:_LINE], start
        yield rest
    except OSError:
        return
    finally:
        os.close(handle)
