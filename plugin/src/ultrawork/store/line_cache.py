"""The facts of a status line, cached beside their sources.

A client asks for its line several times a second. As long as neither the database nor a marker has changed, the file
answers in the time an interpreter needs to start. It is valid for at most ten seconds, because a killed process
changes no file."""

import os

from . import markers
from .codec import dumps
from .paths import Home

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_BELIEVED = 10.0
_KINDS = (markers.ACTIVE, markers.OFF, markers.RUNNING, markers.WAITING, markers.BACKGROUND)
_FOLDER = "lines"


def find_kept(home: Home, session: str, now: float) -> "dict[str, Any] | None":
    """Return cached facts; None if they must be read again."""
    kept = markers.read(_locate(home, session))
    if kept is None or not 0 <= now - float(kept.get("at") or 0) < _BELIEVED:
        return None
    facts = kept.get("facts")
    return facts if isinstance(facts, dict) and kept.get("sources") == list_sources(home) else None


def write_kept(home: Home, session: str, facts: "dict[str, Any]", sources: str, now: float) -> None:
    """Cache the facts with their `sources` from before they were read. A failure only costs time."""
    path = _locate(home, session)
    try:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        with open(f"{path}.{os.getpid()}", "w", encoding="utf-8") as file:
            file.write(dumps({"at": now, "sources": sources, "facts": facts}))
        os.rename(file.name, path)
    except OSError:
        pass


def list_sources(home: Home) -> str:
    """Size and time of everything that the facts come from."""
    paths = [
        home.database,
        f"{home.database}-wal",
        f"{home.cache}/client-list",
        *(f"{home.root}/{kind}" for kind in _KINDS),
    ]
    return " ".join(_stamp(path) for path in paths)


def _stamp(path: str) -> str:
    try:
        status = os.stat(path)
    except OSError:
        return "-"
    return f"{status.st_size}.{status.st_mtime_ns}"


def _locate(home: Home, session: str) -> str:
    safe = session if session.replace("-", "").isalnum() else "other"
    return f"{home.cache}/{_FOLDER}/{safe}"
