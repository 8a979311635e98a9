"""All claimed work, from its claim to its recorded end.

A few threads do slow operations, so that the loop never waits. Running agents are watched: whether they are alive,
repeat themselves, or take long. Only the loop's thread changes anything here. Agents, threads and signal handlers post
notes to the inbox, which the loop processes."""

import threading
import time
from collections.abc import Callable, Iterable
from functools import partial
from queue import Empty, SimpleQueue
from typing import TypeVar

from ...clients.headless.attempt import (
    ENDED,
    LOST,
    RUNNING,
    AgentCommand,
    Attempt,
    AttemptReport,
    read_note,
    write_note,
)
from ...core.errors import Conflict, Trouble, UltraworkError
from ...core.plan import task
from ...core.run.subagents import ENDING, AgentLiveness, AgentSample
from ...store.attempts import AttemptEnd, AttemptRow
from ..agents.executor import CANCELLED, CRASHED, HANDED_BACK, NO_ROOM, ORPHANED, Executor
from ..contract import (
    AgentSigns,
    CalledOff,
    Claim,
    Conductor,
    RunHalted,
    RunLimits,
    RunOrders,
    Settlement,
    describe_trouble,
    is_everywhere,
)
from .dispatch import AT_WORK, SETTLING, EndedItem, WorkItem, make_end, make_lost_end

Answer = TypeVar("Answer")


class JobThreads:
    """Worker threads; without any, the caller does the work itself. They do not keep the program running."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._jobs: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        for _ in range(count):
            threading.Thread(target=self._work, name="job", daemon=True).start()

    def run(self, job: Callable[[], None]) -> None:
        if self._count:
            self._jobs.put(job)
        else:
            job()

    def _work(self) -> None:
        while job := self._jobs.get():
            job()

    def close(self) -> None:
        for _ in range(self._count):
            self._jobs.put(None)


WATCH_SECONDS = 2.0  # seconds between looks
LATE = "late"
BUDGET = "budget"


class LivenessWatch:
    def __init__(self, executor: Executor, conductor: Conductor, limits: RunLimits) -> None:
        self._executor = executor
        self._conductor = conductor
        self._limits = limits
        self._looked_at = 0.0

    def is_due(self, now: float) -> bool:
        if now - self._looked_at < min(WATCH_SECONDS, self._limits.patience / 4):
            return False
        self._looked_at = now
        return True

    def look(self, works: Iterable[WorkItem], now: float) -> list[WorkItem]:
        """End agents that make no progress; return those that no longer run."""
        return [work for work in works if not self._well(work, now)]

    def _well(self, work: WorkItem, now: float) -> bool:
        assert work.attempt is not None
        report = self._executor.describe(work.attempt)
        if report.state != RUNNING:
            return False
        if not report.started_at:  # it waits for a machine, so there is no agent to judge yet
            work.pulse = AgentLiveness(now)
            return True
        signs = self._read_signs(work.attempt, report)
        sign = AgentSample(report.output_bytes, report.cpu_seconds, signs.transcript_bytes, signs.calls)
        work.pulse.feel(sign, now)
        work.tokens, work.cost_usd = signs.tokens, signs.cost_usd
        work.machine, work.account = report.machine, report.account
        verdict = work.pulse.judged(now, self._limits.patience)
        # Our estimate of its tokens may be wrong; a program with estimated costs enforces its own budget.
        if 0 < work.attempt.budget_usd < (signs.cost_usd or 0.0) and not signs.estimated:
            verdict = BUDGET
        if verdict in (*ENDING, BUDGET) and not work.ending:
            work.ending = verdict
            self._warn(work, verdict, signs.last)
            self._executor.cancel(work.attempt)
        elif verdict and not work.ending:
            self._warn(work, verdict, signs.last)
        seconds = self._limits.late * work.attempt.seconds
        if report.started_at and time.time() - report.started_at >= seconds:
            self._warn(work, LATE, f"running for more than {seconds:.0f} s")
        return True

    def _read_signs(self, attempt: Attempt, report: AttemptReport) -> AgentSigns:
        """Return the signs of an agent; for a remote one its machine has read them."""
        if not report.machine:
            return self._conductor.signs(attempt)
        return AgentSigns(
            calls=report.calls,
            last=report.last,
            tokens=report.tokens,
            cost_usd=report.cost_usd,
            estimated=report.estimated,
        )

    def _warn(self, work: WorkItem, warning: str, detail: str) -> None:
        if warning not in work.warned:
            work.warned.add(warning)
            self._conductor.tell(warning, work.subject, detail)


DEPTH_VARIABLE = "ULTRAWORK_DEPTH"
_INFRASTRUCTURE = (ORPHANED, CRASHED, HANDED_BACK, NO_ROOM)


class Supervisor:
    """Watches work. `works` are in progress; finished ones are in `ended` until they are recorded."""

    def __init__(
        self, executor: Executor, conductor: Conductor, limits: RunLimits, threads: int, orders: RunOrders
    ) -> None:
        self._executor = executor
        self._conductor = conductor
        self._limits = limits
        self._orders = orders
        # Checks take long and wait for each other; new work does not queue behind them.
        self._threads, self._settlers = JobThreads(threads), JobThreads(threads)
        self._watch = LivenessWatch(executor, conductor, limits)
        self._inbox: SimpleQueue[Callable[[], None]] = SimpleQueue()
        self.works: dict[str, WorkItem] = {}
        self.ended: list[EndedItem] = []

    def close(self) -> None:
        self._threads.close()
        self._settlers.close()

    def post(self, note: Callable[[], None]) -> None:
        """Post a note from any thread or signal handler."""
        self._inbox.put(note)

    def listen(self, seconds: float) -> None:
        """Wait for a note, at most that long, then process all notes."""
        try:
            self._inbox.get(timeout=seconds)()
            while True:
                self._inbox.get_nowait()()
        except Empty:
            pass

    def take_ended(self) -> list[EndedItem]:
        ended_items, self.ended = self.ended, []
        for ended_item in ended_items:
            del self.works[ended_item.work.subject]
        return ended_items

    def adopt(self, row: AttemptRow) -> None:
        work = self._hold(row.subject, row.epoch, row.folder)
        work.attempt, work.phase = read_note(row.folder), AT_WORK
        if work.attempt and self._executor.attach(work.attempt, self._ring(work)):
            self._conductor.tell("adopted", work.subject)
        else:
            self._take_or_lose(work, "the engine was killed before it started")

    def begin(self, claim: Claim) -> None:
        work = self._hold(claim.subject, claim.epoch, claim.folder)
        self._threads.run(partial(self._prepare, work, claim))

    def _hold(self, subject: str, epoch: int, folder: str) -> WorkItem:
        work = self.works[subject] = WorkItem(subject, epoch, folder, time.monotonic())
        return work

    def _prepare(self, work: WorkItem, claim: Claim) -> None:
        if self._orders.is_ending:
            self.post(partial(self._give_back, work))
            return
        try:
            attempt, command = _persist(partial(self._conductor.prepare, claim))
        except CalledOff as error:
            self.post(partial(self._give_back, work, str(error)))
        except (Trouble, OSError) as error:
            self.post(partial(self._suffer, work, error))
        except UltraworkError as error:
            self.post(partial(self._end, work, AttemptEnd(task.BLOCKED, str(error))))
        except BaseException as error:  # noqa: BLE001 (raised again where it can be seen)
            self.post(partial(_throw, error))
        else:
            self.post(partial(self._start, work, attempt, command))

    def _start(self, work: WorkItem, attempt: Attempt, command: AgentCommand) -> None:
        if work.ending:
            self._end(work, self._cancelled(work, AttemptReport(LOST, why=CANCELLED)))
            return
        if self._orders.is_ending:
            self._give_back(work)
            return
        if self._limits.deadline:
            attempt.seconds = min(attempt.seconds, max(1.0, self._limits.deadline - time.time()))
        command.environ[DEPTH_VARIABLE] = str(self._limits.depth + 1)
        work.attempt, work.phase = attempt, AT_WORK
        try:
            write_note(attempt)
            self._executor.start(attempt, command, self._ring(work))
        except Conflict as error:
            self._lose(work, str(error))
        except OSError as error:
            raise RunHalted(
                f"{attempt.folder} cannot be written ({error.strerror}); free disk space, then run ultrawork resume"
            ) from error
        else:
            self._conductor.tell("started", work.subject)

    def _ring(self, work: WorkItem) -> Callable[[], None]:
        return partial(self.post, partial(self._rang, work))

    def _rang(self, work: WorkItem) -> None:
        if self.works.get(work.subject) is not work or work.phase != AT_WORK:
            return
        assert work.attempt is not None
        report = self._executor.describe(work.attempt)
        if report.state == ENDED:
            self._settle(work, report)
        elif report.state != RUNNING:
            self._take_or_lose(work, report.detail or "its process was killed", report)

    def _take_or_lose(self, work: WorkItem, reason: str, report: AttemptReport | None = None) -> None:
        """Settle an agent that finished before its wrapper was killed, because it has a result and was paid; otherwise
        it is lost."""
        if work.attempt is not None and self._conductor.has_finished(work.attempt):
            began = report.started_at if report else 0.0
            self._settle(work, AttemptReport(ENDED, code=0, why=ENDED, started_at=began))
        else:
            self._lose(work, reason, report)

    def _settle(self, work: WorkItem, report: AttemptReport) -> None:
        work.phase = SETTLING
        if report.why == CANCELLED:
            report.why = work.ending or CANCELLED
        if report.why == CANCELLED and work.ending:
            self._end(work, self._cancelled(work, report))
        elif report.why in _INFRASTRUCTURE:
            self._lose(work, "it ended when the machine or its engine stopped", report)
        else:
            self._settlers.run(partial(self._judge, work, report))

    def _judge(self, work: WorkItem, report: AttemptReport) -> None:
        assert work.attempt is not None
        try:
            settled = _persist(partial(self._conductor.settle, work.attempt, report))
        except (Trouble, OSError) as error:
            self.post(partial(self._suffer, work, error, report))
            return
        except UltraworkError as error:
            settled = Settlement(task.FAILED, str(error))
        except BaseException as error:  # noqa: BLE001 (raised again where it can be seen)
            self.post(partial(_throw, error))
            return
        self.post(partial(self._end, work, make_end(settled, report), settled))

    def _end(self, work: WorkItem, end: AttemptEnd, settled: Settlement | None = None) -> None:
        work.phase = SETTLING
        self.ended.append(EndedItem(work, end, settled))

    def _lose(self, work: WorkItem, reason: str, report: AttemptReport | None = None) -> None:
        self._end(work, self._paid(work, make_lost_end(reason, report)))

    def _give_back(self, work: WorkItem, reason: str = "the run was stopped") -> None:
        """Return work that was being set up when the run stopped: the next engine starts it."""
        self._lose(work, reason, AttemptReport(LOST, why=HANDED_BACK))

    def _suffer(self, work: WorkItem, error: Exception, report: AttemptReport | None = None) -> None:
        """Handle trouble that is not the agent's fault without using up a try. If everything is affected, halt the
        run."""
        if is_everywhere(error):
            raise RunHalted(describe_trouble(error)) from error
        self._lose(work, describe_trouble(error), report)

    def _cancelled(self, work: WorkItem, report: AttemptReport) -> AttemptEnd:
        """Return the end of a canceled attempt. A task canceled by the user is skipped; a canceled run leaves its
        tasks to the next."""
        end = make_lost_end("the run was cancelled", report)
        if work.reason:
            end = AttemptEnd(task.SKIPPED, work.reason, why=CANCELLED, code=report.code)
        return self._paid(work, end)

    def _paid(self, work: WorkItem, end: AttemptEnd) -> AttemptEnd:
        """Count what an attempt has spent, however it ended."""
        if work.attempt is not None:
            end.tokens, end.cost_usd = self._conductor.count_spent(work.attempt)
        if work.machine and not end.tokens:  # its output is lost with its machine
            end.tokens, end.cost_usd = work.tokens, work.cost_usd
        return end

    def cancel(self, work: WorkItem, reason: str = "") -> None:
        """End running agents; settle ended ones as usual."""
        work.ending, work.reason = CANCELLED, reason
        if work.attempt is not None and work.phase == AT_WORK:
            self._executor.cancel(work.attempt)

    def look(self) -> None:
        """Check from time to time whether running agents are alive, and whether an end was missed."""
        now = time.monotonic()
        if self._watch.is_due(now):
            self._conductor.require_room()
            running = [work for work in self.works.values() if work.phase == AT_WORK]
            for work in self._watch.look(running, now):
                self._rang(work)


_PAUSES = (0.5, 1.0, 2.0)


def _persist(job: Callable[[], Answer]) -> Answer:
    """Retry a job after temporary trouble: jobs may be repeated and do nothing twice."""
    for seconds in _PAUSES:
        try:
            return job()
        except (Trouble, OSError) as error:
            if is_everywhere(error):
                raise
        time.sleep(seconds)
    return job()


def _throw(error: BaseException) -> None:
    raise error
