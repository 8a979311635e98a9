"""Read what Claude Code lists: its sessions (`claude agents --json --all`), and the plugins a user installed."""

from collections.abc import Iterator, Mapping
from typing import Any

from ...core.errors import UltraworkError
from ...store.codec import loads
from ...system.files import read_bytes
from ...system.program import ask_program, find_program

INSTALLED = ".claude/plugins/installed_plugins.json"
_WORDS = ("agents", "--json", "--all")
_PATIENCE = 5.0


def read_listing(environ: Mapping[str, str]) -> dict[str, tuple[int, str, str]] | None:
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


def _is_session(entry: Any) -> bool:
    return isinstance(entry, dict) and bool(entry.get("sessionId"))


def _read(entry: dict[str, Any]) -> tuple[int, str, str]:
    """Return process, status and wait. An ended session is listed without a process."""
    pid = entry.get("pid")
    waits = entry.get("waitingFor")
    return (pid if isinstance(pid, int) else 0, str(entry.get("status") or ""), waits if isinstance(waits, str) else "")


def list_installed(home: str) -> Iterator[tuple[str, str]]:
    """Plugin and folder, as the client lists them; a list in another form names none."""
    try:
        document = loads(read_bytes(f"{home}/{INSTALLED}").decode("utf-8", "replace"))
        rows = document["plugins"].items()
    except (AttributeError, KeyError, OSError, TypeError, ValueError):
        return
    for name, entries in rows:
        for entry in entries if isinstance(entries, list) else [entries]:
            path = entry.get("installPath") if isinstance(entry, dict) else None
            if isinstance(path, str):
                yield str(name).partition("@")[0], path
