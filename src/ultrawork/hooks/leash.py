"""Our own limits: the time the client gives us, and the life of the client itself."""

import os
from time import monotonic

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType

_TICK = 1.0


class OutOfTime(Exception):  # noqa: N818 (it says what happened)
    """The client would end us in a moment, and throw away what we say then."""


class Orphaned(BaseException):
    """The client is gone: nobody waits for an answer, and nothing of ours may stay."""


class Leash:
    """
    `with Leash(290):` raises inside the block when the time is over or the client is gone; what runs
    there ends on the way out. A timer asks once a second; `client` is watched in place of our parent.
    """

    __slots__ = ("_before", "_client", "_end", "_parent")

    def __init__(self, seconds: float, *, client: int = 0) -> None:
        self._end = monotonic() + seconds
        self._client = client
        self._parent = os.getppid()

    @property
    def left(self) -> float:
        return max(0.0, self._end - monotonic())

    def __enter__(self) -> "Leash":
        import signal

        self._before = signal.signal(signal.SIGALRM, self._tick)
        signal.setitimer(signal.ITIMER_REAL, _TICK, _TICK)
        return self

    def __exit__(self, *_: object) -> None:
        import signal

        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, self._before)

    def _tick(self, _number: int, _frame: "FrameType | None") -> None:
        if self._is_alone():
            raise Orphaned
        if monotonic() >= self._end:
            raise OutOfTime

    def _is_alone(self) -> bool:
        if not self._client:
            return os.getppid() != self._parent
        try:
            os.kill(self._client, 0)
        except ProcessLookupError:
            return True
        except PermissionError:
            pass
        return False
