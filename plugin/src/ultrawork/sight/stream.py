"""The full screen left for a while: everything that happens goes line by line into the scrollback of the terminal."""

import os
import select
import sys
import termios
import tty
from collections.abc import Callable

from ..report.live import list_happenings, render_happening
from ..store.store import Store

_EVERY = 0.5
_FIRST = 500
BACK, QUIT = "back", "quit"
_KEYS = {b"s": BACK, b"q": QUIT, b"\x03": QUIT, b"\x04": QUIT}
_HELP = "streaming; press s to return to the full screen, q to quit"


class EventStream:
    """Goes on where it was left: what happened while the full screen was shown is filled in first."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._after = -1

    def run(self, session: str, read_key: Callable[[float], bytes]) -> str:
        """Write until a key ends it; `session` empty means all of them. Return BACK or QUIT."""
        write(_HELP)
        while True:
            self._write_new(session)
            found = _KEYS.get(read_key(_EVERY))
            if found:
                return found

    def _write_new(self, session: str) -> None:
        events = list_happenings(self._store.database, session, self._after, first=_FIRST)
        if events:
            self._after = events[-1]["id"]
            write("\n".join(render_happening(one, alone=bool(session)) for one in events))


def write(text: str) -> None:
    sys.__stdout__.write(text + "\n") if sys.__stdout__ else None
    sys.__stdout__.flush() if sys.__stdout__ else None


class KeyReader:
    """Single keys of a terminal, without Enter; the terminal is as before at the end."""

    def __init__(self, handle: int) -> None:
        self._handle = handle
        self._before = termios.tcgetattr(handle)

    def __enter__(self) -> Callable[[float], bytes]:
        tty.setcbreak(self._handle)
        return self._read

    def __exit__(self, *_: object) -> None:
        termios.tcsetattr(self._handle, termios.TCSADRAIN, self._before)

    def _read(self, seconds: float) -> bytes:
        ready, _, _ = select.select([self._handle], [], [], seconds)
        if not ready:
            return b""
        return os.read(self._handle, 1) or b"q"
