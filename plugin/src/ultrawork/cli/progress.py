"""One terminal line that shows what is being waited for; scripts and pipes do not see it."""

import sys
from time import monotonic

from ..core.times import format_duration
from ..core.wording import cut, join_lines, strip_controls

_WIDTH = 79
_EVERY = 1.0


class ProgressLine:
    """What runs, for how long, and how long it usually takes; cleared at the end, not shown to scripts."""

    def __init__(self, *, quiet: bool = False) -> None:
        self._shown = not quiet and sys.stderr is not None and sys.stderr.isatty()
        self._what = ""
        self._usual: float | None = None
        self._began = self._next = 0.0

    def __enter__(self) -> "ProgressLine":
        return self

    def __exit__(self, *_: object) -> None:
        if self._shown and self._what:
            _write("\r\x1b[K")

    def announce(self, plan: str) -> None:
        """Show what is about to run, for people who wait."""
        if self._shown:
            _write(f"{cut(strip_controls(plan), _WIDTH)}\n")

    def begin(self, label: str, usual: float | None) -> None:
        self._what, self._usual, self._began = label, usual, monotonic()
        self._next = 0.0
        self.tick()

    def tick(self) -> None:
        now = monotonic()
        if not self._shown or not self._what or now < self._next:
            return
        self._next = now + _EVERY
        usual = f" of about {format_duration(self._usual)}" if self._usual is not None else ""
        text = f"{self._what}  {format_duration(now - self._began)}{usual}"
        _write(f"\r\x1b[K{cut(join_lines(text), _WIDTH)}")


def _write(text: str) -> None:
    sys.stderr.write(text)
    sys.stderr.flush()
