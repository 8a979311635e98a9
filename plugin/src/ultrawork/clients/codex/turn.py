"""What Codex records about each turn: what confines its commands, and whether it asks before running them.

`permission_profile` is the sandbox as its own program applies it. The profile is passed back to that program
unchanged, so that what runs in it reaches no further than the agent's own commands."""

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
    section = payload.get(name)
    return section if isinstance(section, dict) else {}


def make_state(profile: Mapping[str, Any], folder: str, writable: Iterable[str]) -> dict[str, Any]:
    """Return a sandbox for `codex sandbox`: the session's own, and our scratch folders."""
    files = _section(profile, "file_system")
    listed = files.get("entries")
    entries = [*(listed if isinstance(listed, list) else ()), *map(_entry, writable)]
    return {
        "permissionProfile": {**profile, "file_system": {**files, "entries": entries}},
        "sandboxCwd": f"file://{quote(folder)}",
    }


def _entry(path: str) -> dict[str, Any]:
    return {"path": {"type": "path", "path": path}, "access": "write"}
