"""Our own processes: limited by the time the client gives us and by its life; and those beside a session, which
outlive the hook and end with the client."""

import os
import signal
import sys
from time import monotonic
from types import FrameType

from ..store.codec import dumps
from ..system.ancestry import is_there
from .event import Event
from .table import is_skipped, list_rows

_TICK = 1.0


class OutOfTime(Exception):  # noqa: N818 (it says what happened)
    """The client would end us in a moment, and throw away what we say then."""


class Orphaned(BaseException):
    """The client is gone: no one waits for an answer, and none of our processes may stay."""


class HookDeadline:
    """`with HookDeadline(290):` raises inside the block when the time is over or the client is gone. A timer checks
    once a second; `client` is watched instead of our parent."""

    def __init__(self, seconds: float, *, client: int = 0) -> None:
        self._end = monotonic() + seconds
        self._client = client
        self._parent = os.getppid()

    @property
    def left(self) -> float:
        return max(0.0, self._end - monotonic())

    def __enter__(self) -> "HookDeadline":
        self._before = signal.signal(signal.SIGALRM, self._tick)
        signal.setitimer(signal.ITIMER_REAL, _TICK, _TICK)
        return self

    def __exit__(self, *_: object) -> None:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, self._before)

    def _tick(self, _number: int, _frame: FrameType | None) -> None:
        if self._is_alone():
            raise Orphaned
        if monotonic() >= self._end:
            raise OutOfTime

    def _is_alone(self) -> bool:
        if not self._client:
            return os.getppid() != self._parent
        return not is_there(self._client, "")


_START = os.path.dirname(os.path.abspath(__file__)) + "/start.py"


def start(event: Event, job: str) -> None:
    """Start a job with this event's data, in its own session, silent, ending with the client."""
    if is_skipped(event.environ, list_rows(job)[0].name):
        return
    data = {
        "session_id": event.session,
        "cwd": event.cwd,
        "permission_mode": event.text("permission_mode"),
        "transcript_path": event.text("transcript_path"),
        "client": os.getppid(),
    }
    if "turn_id" in event.data:
        data["turn_id"] = event.text("turn_id")
    reading, writing = os.pipe()
    os.write(writing, dumps(data).encode("utf-8", "replace"))
    os.close(writing)
    prefix = f"pycache_prefix={event.home.cache}/bytecode"
    argv = [sys.executable, "-I", "-S", "-X", prefix, _START, job]
    silent = [(os.POSIX_SPAWN_OPEN, number, os.devnull, os.O_WRONLY, 0) for number in (1, 2)]
    actions = [(os.POSIX_SPAWN_DUP2, reading, 0), *silent]
    try:
        os.posix_spawn(sys.executable, argv, event.environ, file_actions=actions, setsid=True)
    finally:
        os.close(reading)
