"""
Everything in hand, from its claim to the word on how it went.

Only the loop's thread changes anything here. Agents, threads and signal handlers leave notes in the inbox,
which the loop takes out and does.
"""

import time
from functools import partial
from queue import Empty, SimpleQueue

from ..core import statuses
from ..core.errors import Conflict, Trouble, UltraworkError
from ..store.attempts import End
from .attempt import ENDED, LOST, RUNNING, Report
from .executor import CANCELLED, CRASHED, ORPHANED
from .hands import Hands
from .terms import Settled
from .watch import Watch
from .work import RUNNING as AT_WORK
from .work import SETTLING, Ended, Work, ended, given_back, remember, remembered

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ..store.attempts import Row
    from .attempt import Attempt, Command
    from .executor import Executor
    from .terms import Claim, Conductor, Limits

DEPTH = "ULTRAWORK_DEPTH"
_INFRASTRUCTURE = (ORPHANED, CRASHED)


class Tending:
    """`works` are those in hand; those that have ended are in `ended` until they are written down."""

    __slots__ = (
        "_conductor", "_executor", "_hands", "_inbox", "_limits", "_watch", "ended", "works",
    )  # fmt: skip

    def __init__(
        self, executor: "Executor", conductor: "Conductor", limits: "Limits", threads: int
    ) -> None:
        self._executor = executor
        self._conductor = conductor
        self._limits = limits
        self._hands = Hands(threads)
        self._watch = Watch(executor, conductor, limits)
        self._inbox: SimpleQueue[Callable[[], None]] = SimpleQueue()
        self.works: dict[str, Work] = {}
        self.ended: list[Ended] = []

    def close(self) -> None:
        self._hands.close()

    def post(self, note: "Callable[[], None]") -> None:
        """From any thread, and from signal handlers."""
        self._inbox.put(note)

    def listen(self, seconds: float) -> None:
        """Waits for a note at most that long, then does all that are there."""
        try:
            self._inbox.get(timeout=seconds)()
            while True:
                self._inbox.get_nowait()()
        except Empty:
            pass

    def take_ended(self) -> "list[Ended]":
        found, self.ended = self.ended, []
        for one in found:
            del self.works[one.work.subject]
        return found

    def adopt(self, row: "Row") -> None:
        work = self._hold(row.subject, row.epoch, row.folder)
        work.attempt, work.phase = remembered(row.folder), AT_WORK
        if work.attempt and self._executor.attach(work.attempt, self._ring(work)):
            self._conductor.tell("adopted", work.subject)
        else:
            self._lose(work, "the engine was killed before it had begun")

    def begin(self, claim: "Claim") -> None:
        work = self._hold(claim.subject, claim.epoch, claim.folder)
        self._hands.do(partial(self._prepare, work, claim))

    def _hold(self, subject: str, epoch: int, folder: str) -> Work:
        work = self.works[subject] = Work(subject, epoch, folder, time.monotonic())
        return work

    def _prepare(self, work: Work, claim: "Claim") -> None:
        """On a thread of its own, if there is one."""
        try:
            attempt, command = self._conductor.prepare(claim)
        except UltraworkError as error:
            self.post(partial(self._end, work, End(statuses.BLOCKED, str(error))))
        except BaseException as error:  # noqa: BLE001 (raised again where somebody can see it)
            self.post(partial(_throw, error))
        else:
            self.post(partial(self._start, work, attempt, command))

    def _start(self, work: Work, attempt: "Attempt", command: "Command") -> None:
        if work.ending:
            self._end(work, self._cancelled(work, Report(LOST, why=CANCELLED)))
            return
        if self._limits.deadline:
            attempt.seconds = min(attempt.seconds, max(1.0, self._limits.deadline - time.time()))
        command.environ[DEPTH] = str(self._limits.depth + 1)
        work.attempt, work.phase = attempt, AT_WORK
        try:
            remember(attempt)
            self._executor.start(attempt, command, self._ring(work))
        except Conflict as error:
            self._lose(work, str(error))
        except OSError as error:
            raise Trouble(
                f"{attempt.folder} cannot be written ({error.strerror}); make room, then resume"
            ) from error
        else:
            self._conductor.tell("started", work.subject)

    def _ring(self, work: Work) -> "Callable[[], None]":
        return partial(self.post, partial(self._rang, work))

    def _rang(self, work: Work) -> None:
        if self.works.get(work.subject) is not work or work.phase != AT_WORK:
            return
        assert work.attempt is not None
        report = self._executor.describe(work.attempt)
        if report.state == ENDED:
            self._settle(work, report)
        elif report.state != RUNNING:
            self._lose(work, "its process was killed", report)

    def _settle(self, work: Work, report: Report) -> None:
        work.phase = SETTLING
        if report.why == CANCELLED:
            report.why = work.ending or CANCELLED
        if report.why == CANCELLED and work.ending:
            self._end(work, self._cancelled(work, report))
        elif report.why in _INFRASTRUCTURE:
            self._lose(work, "it was ended with the machine or its engine", report)
        else:
            self._hands.do(partial(self._judge, work, report))

    def _judge(self, work: Work, report: Report) -> None:
        """On a thread of its own, if there is one."""
        assert work.attempt is not None
        try:
            settled = self._conductor.settle(work.attempt, report)
        except UltraworkError as error:
            settled = Settled(statuses.FAILED, str(error))
        except BaseException as error:  # noqa: BLE001 (raised again where somebody can see it)
            self.post(partial(_throw, error))
            return
        self.post(partial(self._end, work, ended(settled, report), settled))

    def _end(self, work: Work, end: End, settled: Settled | None = None) -> None:
        work.phase = SETTLING
        self.ended.append(Ended(work, end, settled))

    def _lose(self, work: Work, reason: str, report: Report | None = None) -> None:
        self._end(work, given_back(reason, report))

    @staticmethod
    def _cancelled(work: Work, report: Report) -> End:
        """A task that a person cancels is skipped; a run that is cancelled leaves its tasks to the next."""
        if work.reason:
            return End(statuses.SKIPPED, work.reason, why=CANCELLED, code=report.code)
        return given_back("the run was cancelled", report)

    def cancel(self, work: Work, reason: str = "") -> None:
        """Whoever is at work is ended; what has ended is settled as it would be anyway."""
        work.ending, work.reason = CANCELLED, reason
        if work.attempt is not None and work.phase == AT_WORK:
            self._executor.cancel(work.attempt)

    def look(self) -> None:
        """Now and then: whether those at work live, and whether an end was missed."""
        now = time.monotonic()
        if self._watch.due(now):
            running = [work for work in self.works.values() if work.phase == AT_WORK]
            for work in self._watch.look(running, now):
                self._rang(work)


def _throw(error: BaseException) -> None:
    raise error
