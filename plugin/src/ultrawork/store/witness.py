"""What clients last said of their own sessions, kept in one file that every screen reads."""

import os
from collections.abc import Mapping

from ..core.state import ClientWord
from . import atomic, markers
from .codec import dumps
from .paths import Home

# An older list says nothing about now.
BELIEVED = 30.0
_LARGEST = 1 << 20


def locate_words(home: Home) -> str:
    return f"{home.cache}/client-list"


def keep_words(home: Home, now: float, listed: Mapping[str, tuple[int, str, str]]) -> None:
    """`listed` is process, status and what it waits for, by session. What was listed before and is not now is gone."""
    before = (markers.read(locate_words(home), _LARGEST) or {}).get("listed") or {}
    gone = {name: (0, "", "") for name in before if name not in listed}
    content = {"at": now, "listed": {**gone, **listed}}
    path = locate_words(home)
    try:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        atomic.write(path, dumps(content), sync=False)
    except OSError:
        pass  # the screens do without a second witness


def measure_age(home: Home, now: float) -> float:
    """Return how old the kept list is, in seconds; very old without one."""
    return now - atomic.find_write_time(locate_words(home))


def find_client_word(home: Home, session: str, now: float) -> ClientWord | None:
    kept = markers.read(locate_words(home), _LARGEST)
    if kept is None or not 0 <= now - float(kept.get("at") or 0) < BELIEVED:
        return None
    entry = (kept.get("listed") or {}).get(session)
    return ClientWord(float(kept["at"]), *entry) if entry else None
