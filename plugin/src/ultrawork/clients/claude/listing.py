"""Claude Code's own list of its sessions: `claude agents --json --all`."""

from ...core.errors import UltraworkError
from ...store.codec import loads
from ...system.program import ask_program, find_program

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

_WORDS = ("agents", "--json", "--all")
_PATIENCE = 5.0


def read_listing(environ: "Mapping[str, str]") -> "dict[str, tuple[int, str, str]] | None":
    """Process, status and what it waits for, by session. None where the client is not installed or cannot answer."""
    program = find_program("claude", environ)
    if program is None:
        return None
    try:
        told = ask_program([program, *_WORDS], env=environ, patience=_PATIENCE)
        found = loads(told.out.decode("utf-8", "replace")) if told.exit == 0 else None
    except (UltraworkError, OSError, ValueError):
        return None
    if not isinstance(found, list):
        return None
    return {str(one["sessionId"]): _read(one) for one in found if _is_session(one)}


def _is_session(one: "Any") -> bool:
    return isinstance(one, dict) and bool(one.get("sessionId"))


def _read(one: "dict[str, Any]") -> tuple[int, str, str]:
    """A session that has ended is listed without a process."""
    pid = one.get("pid")
    waits = one.get("waitingFor")
    return (
        pid if isinstance(pid, int) else 0,
        str(one.get("status") or ""),
        waits if isinstance(waits, str) else "",
    )
