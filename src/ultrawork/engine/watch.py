"""Looking after those at work: whether they live, go in circles, or take long."""

import time

from ..core.liveness import Sign
from .attempt import RUNNING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from .executor import Executor
    from .terms import Conductor, Limits
    from .work import Work

EVERY = 2.0  # seconds between looks


class Watch:
    __slots__ = ("_conductor", "_executor", "_limits", "_looked_at")

    def __init__(self, executor: "Executor", conductor: "Conductor", limits: "Limits") -> None:
        self._executor = executor
        self._conductor = conductor
        self._limits = limits
        self._looked_at = 0.0

    def due(self, now: float) -> bool:
        if now - self._looked_at < min(EVERY, self._limits.patience / 4):
            return False
        self._looked_at = now
        return True

    def look(self, works: "Iterable[Work]", now: float) -> "list[Work]":
        """Ends those that do not get anywhere; gives those that are not running any more."""
        return [work for work in works if not self._well(work, now)]

    def _well(self, work: "Work", now: float) -> bool:
        assert work.attempt is not None
        report = self._executor.describe(work.attempt)
        if report.state != RUNNING:
            return False
        signs = self._conductor.signs(work.attempt)
        sign = Sign(report.output_bytes, report.cpu_seconds, signs.transcript_bytes, signs.calls)
        work.pulse.feel(sign, now)
        verdict = work.pulse.judged(now, self._limits.patience)
        if verdict and not work.ending:
            work.ending = verdict
            self._conductor.tell(verdict, work.subject, signs.last)
            self._executor.cancel(work.attempt)
        self._warn(work, report.started_at)
        return True

    def _warn(self, work: "Work", began: float) -> None:
        assert work.attempt is not None
        seconds = self._limits.late * work.attempt.seconds
        if began and not work.late and time.time() - began >= seconds:
            work.late = True
            self._conductor.tell("late", work.subject, f"at work for more than {seconds:.0f} s")
