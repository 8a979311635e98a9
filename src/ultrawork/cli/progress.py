"""What runs right now, for how long, and how long it usually takes: one line on a terminal, else nothing."""

import sys
from time import monotonic

from ..core.times import spoken
from ..core.wording import cut

_WIDTH = 79
_EVERY = 1.0


class Progress:
    """`with Progress() as progress`; the line is gone at the end. Scripts see none of it."""

    __slots__ = ("_began", "_next", "_shown", "_usual", "_what")

    def __init__(self, *, quiet: bool = False) -> None:
        self._shown = not quiet and sys.stderr is not None and sys.stderr.isatty()
        self._what = ""
        self._usual: float | None = None
        self._began = self._next = 0.0

    def __enter__(self) -> "Progress":
        return self

    def __exit__(self, *_: object) -> None:
        if self._shown and self._what:
            _write("\r\x1b[K")

    def begin(self, what: str, usual: float | None) -> None:
        self._what, self._usual, self._began = what, usual, monotonic()
        self._next = 0.0
        self.tick()

    def tick(self) -> None:
        now = monotonic()
        if not self._shown or not self._what or now < self._next:
            return
        self._next = now + _EVERY
        usual = f" of about {spoken(self._usual)}" if self._usual is not None else ""
        told = f"{self._what}  {spoken(now - self._began)}{usual}"
        _write(f"\r\x1b[K{cut(told, _WIDTH)}")


def _write(text: str) -> None:
    sys.stderr.write(text)
    sys.stderr.flush()
