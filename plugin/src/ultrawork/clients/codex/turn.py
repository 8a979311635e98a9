"""
What Codex notes of each turn: what its commands are confined to, and whether it asks before it runs them.

`permission_profile` is the sandbox as its own program applies it; the profile is handed back to that program as
it stands, so that what runs in it reaches no further than the agent's own commands.
"""

from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import quote

from ...core.value import Value, fresh

_OPEN = "danger-full-access"
_WRITES = "workspace-write"
READ_ONLY = "read-only"
# It runs every command in its sandbox, or outside if there is none, and asks only to leave one.
_UNASKED = ("never", "on-request", "on-failure")
_PLANNING = "plan"


class TurnPolicy(Value):
    """`kind` is what Codex calls its sandbox; in doubt it confines, and asks."""

    kind: str = ""
    is_open: bool = False
    asks: bool = True
    is_planning: bool = False
    profile: dict[str, Any] = fresh(dict)

    @property
    def can_hold_checks(self) -> bool:
        """Where nothing may be written, a check that writes would be red for that alone."""
        return self.kind == _WRITES and bool(self.profile)


def read_turn(payload: Mapping[str, Any]) -> TurnPolicy:
    kind = _section(payload, "sandbox_policy").get("type")
    mode = _section(payload, "collaboration_mode").get("mode")
    return TurnPolicy(
        kind if isinstance(kind, str) else "",
        is_open=kind == _OPEN,
        asks=payload.get("approval_policy") not in _UNASKED,
        is_planning=mode == _PLANNING,
        profile=_section(payload, "permission_profile"),
    )


def _section(payload: Mapping[str, Any], name: str) -> dict[str, Any]:
    found = payload.get(name)
    return found if isinstance(found, dict) else {}


def make_state(profile: Mapping[str, Any], folder: str, writable: Iterable[str]) -> dict[str, Any]:
    """A sandbox as `codex sandbox` takes it: the session's own, and our scratch folders."""
    files = _section(profile, "file_system")
    listed = files.get("entries")
    entries = [*(listed if isinstance(listed, list) else ()), *map(_entry, writable)]
    return {
        "permissionProfile": {**profile, "file_system": {**files, "entries": entries}},
        "sandboxCwd": _make_address(folder),
    }


def _entry(path: str) -> dict[str, Any]:
    return {"path": {"type": "path", "path": path}, "access": "write"}


def _make_address(path: str) -> str:
    return f"file://{quote(path)}"
