"""Read Claude Code's own list of its sessions: `claude agents --json --all`."""

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
    """Return session → process, status and what it waits for. None if the client is missing or cannot answer."""
    program = find_program("claude", environ)
    if program is None:
        return None
    try:
        answer = ask_program([program, *_WORDS], env=environ, patience=_PATIENCE)
        listed = loads(answer.out.decode("utf-8", "replace")) if answer.exit == 0 else None
    except (UltraworkError, OSError, ValueError):
        return None
    if not isinstance(listed, list):
        return None
    return {str(entry["sessionId"]): _read(entry) for entry in listed if _is_session(entry)}


def _is_session(entry: "Any") -> bool:
    return isinstance(entry, dict) and bool(entry.get("sessionId"))


def _read(entry: "dict[str, Any]") -> tuple[int, str, str]:
    """Return process, status and wait. An ended session is listed without a process."""
    pid = entry.get("pid")
    waits = entry.get("waitingFor")
    return (pid if isinstance(pid, int) else 0, str(entry.get("status") or ""), waits if isinstance(waits, str) else "")
