"""What Codex records about a thread: who began it, what confines each turn, what was typed."""

import os
from collections.abc import Iterable, Iterator, Mapping
from glob import escape, iglob
from typing import Any
from urllib.parse import quote

from ...core.value import Value, fresh
from ..records import join_blocks, list_records, read_first_record, read_section

_OPEN = "danger-full-access"
_WRITES = "workspace-write"
READ_ONLY = "read-only"
# It runs every command in its sandbox, or outside if there is none, and asks only to leave one.
_UNASKED = ("never", "on-request", "on-failure")
_PLANNING = "plan"
_CLOCK = 2.0  # seconds by which the time of a file may differ from ours
_TERMINAL = "codex-tui"
# A prompt is its own event up to 0.166 and an item of the turn since.
_TYPED = (b'"user_message"', b'"UserMessage"')


def read_turn_context(path: str) -> dict[str, Any]:
    """Return what Codex recorded about this turn: its sandbox, whether it asks; empty if nothing."""
    for record in list_records(path, b'"turn_context"'):
        if record.get("type") == "turn_context":
            payload = record.get("payload")
            return payload if isinstance(payload, dict) else {}
    return {}


def is_begun_by_hand(path: str) -> bool:
    """Return whether Codex recorded that a user runs it in a terminal. That usually goes through a daemon with another
    `source`, and the `originator` is who asked it."""
    record = read_first_record(path)
    payload = record.get("payload") if record.get("type") == "session_meta" else None
    if not isinstance(payload, dict):
        return False
    is_terminal = payload.get("originator") == _TERMINAL and isinstance(payload.get("source"), str)
    return payload.get("source") == "cli" or is_terminal


def read_agent_path(path: str) -> str:
    """Return the name under which Codex started an agent, from the agent's own record; empty if none."""
    payload = read_first_record(path).get("payload")
    name = payload.get("agent_path") if isinstance(payload, dict) else None
    return name if isinstance(name, str) else ""


def list_requests(path: str) -> Iterator[str]:
    """Return what was typed in this conversation, newest first."""
    return filter(None, map(_read_prompt, list_records(path, *_TYPED)))


def _read_prompt(record: dict[str, Any]) -> str:
    payload = record.get("payload")
    if not isinstance(payload, dict):
        return ""
    if payload.get("type") == "user_message":
        return join_blocks(payload.get("message"))
    item = payload.get("item")
    if not isinstance(item, dict) or item.get("type") != "UserMessage":
        return ""
    return join_blocks(item.get("content"))


def has_prompt(path: str, turn: str) -> bool:
    """Return whether a turn already got a prompt: what is typed while it runs belongs to it."""
    for record in list_records(path, b'"task_started"', *_TYPED):
        payload = record.get("payload")
        if not isinstance(payload, dict):
            continue
        if payload.get("type") == "task_started" and payload.get("turn_id") == turn:
            return False
        if _read_prompt(record):
            return payload.get("turn_id") in (turn, None)
    return False


def list_turn_contexts(environ: Mapping[str, str], place: str, since: float) -> list[Any]:
    """The newest context of each thread that moved in a folder since a time."""
    home = environ.get("CODEX_HOME") or f"{environ.get('HOME', '')}/.codex"
    turn_contexts = []
    for path in iglob(f"{escape(home)}/sessions/**/rollout-*.jsonl", recursive=True):
        if os.path.getmtime(path) >= since - _CLOCK:
            context = read_turn_context(path)
            if os.path.realpath(str(context.get("cwd"))) == os.path.realpath(place):
                turn_contexts.append(context)
    return turn_contexts


class TurnPolicy(Value):
    """A turn's policy. `kind` is Codex's name of its sandbox; in doubt it confines, and asks."""

    kind: str = ""
    is_open: bool = False
    asks: bool = True
    is_planning: bool = False
    profile: dict[str, Any] = fresh(dict)

    @property
    def can_hold_checks(self) -> bool:
        """Return whether checks can run inside: if nothing may be written, a writing check would fail for that
        alone."""
        return self.kind == _WRITES and bool(self.profile)


def read_turn(payload: Mapping[str, Any]) -> TurnPolicy:
    kind = read_section(payload, "sandbox_policy").get("type")
    mode = read_section(payload, "collaboration_mode").get("mode")
    return TurnPolicy(
        kind if isinstance(kind, str) else "",
        is_open=kind == _OPEN,
        asks=payload.get("approval_policy") not in _UNASKED,
        is_planning=mode == _PLANNING,
        profile=read_section(payload, "permission_profile"),
    )


def make_state(profile: Mapping[str, Any], folder: str, writable: Iterable[str]) -> dict[str, Any]:
    """Return a sandbox for `codex sandbox`: the session's own, and our scratch folders."""
    files = read_section(profile, "file_system")
    listed = files.get("entries")
    entries = [*(listed if isinstance(listed, list) else ()), *map(_entry, writable)]
    return {
        "permissionProfile": {**profile, "file_system": {**files, "entries": entries}},
        "sandboxCwd": f"file://{quote(folder)}",
    }


def _entry(path: str) -> dict[str, Any]:
    return {"path": {"type": "path", "path": path}, "access": "write"}
