"""Stream events into the scrollback of the terminal while the full screen is left."""

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
    """Continues where it stopped: events since then are printed first."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._after = -1

    def run(self, session: str, read_key: Callable[[float], bytes]) -> str:
        """Print events until a key ends it, and return BACK or QUIT. An empty `session` means all sessions."""
        write(_HELP)
        while True:
            self._write_new(session)
            ending = _KEYS.get(read_key(_EVERY))
            if ending:
                return ending

    def _write_new(self, session: str) -> None:
        events = list_happenings(self._store.database, session, self._after, first=_FIRST)
        if events:
            self._after = events[-1]["id"]
            write("\n".join(render_happening(event, alone=bool(session)) for event in events))


def write(text: str) -> None:
    sys.__stdout__.write(text + "\n") if sys.__stdout__ else None
    sys.__stdout__.flush() if sys.__stdout__ else None


class KeyReader:
    """Reads single keys of a terminal, without Enter, and restores the terminal at the end."""

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
