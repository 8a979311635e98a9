"""Which commands a hook may run in this session, from everything that counts as the person's word."""

from ..core import consent
from ..store import receipts
from . import permissions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from ..core.session import Session
    from .event import Event


def asker(
    event: "Event", session: "Session", entries: "Sequence[dict[str, Any]]"
) -> "Callable[[str], bool]":
    """
    The mode lets everything pass, or the person allowed this command, or a rule of the client did when
    the session began, or it ran in this session: a call that was denied leaves no entry.
    """
    mode, sandboxed = event.text("permission_mode"), permissions.sandboxed(event)
    ulw = session.state.get("ulw")
    ruled = ulw.get("ruled") if isinstance(ulw, dict) else None
    known = {*(ruled if isinstance(ruled, list) else ()), *seen(entries)}

    def may_run(command: str) -> bool:
        allowed = receipts.allowed(event.store.database, session.working_dir, command)
        return consent.covers(mode, command, allowed=allowed, known=known, sandboxed=sandboxed)

    return may_run


def seen(entries: "Sequence[dict[str, Any]]") -> list[str]:
    """Commands that the client let run."""
    return [
        str(entry["what"])
        for entry in entries
        if entry.get("tool") == "Bash" and entry.get("what") and not entry.get("cut")
    ]
