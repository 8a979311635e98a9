"""
The loop of a run: adopt running attempts, start new ones, wait, and record what has ended.

Every decision is in the store before the loop acts on it, so it may be killed at any moment. The next engine finds
every attempt running, ended or lost, and runs only what has no result.
"""

import os
import time

from ...clients.headless.attempt import WORKER, Attempt
from ...core.plan import task
from ...core.plan.schedule import Schedule
from ...store import attempts, controls, tasks
from ...store.attempts import AttemptEnd
from ...store.controls import Control
from ...store.database import Change
from ...store.deferred_store import DeferredStore
from ...store.store import Store
from ..agents.executor import HANDED_BACK, Executor
from ..contract import BUDGET, CANCELLED, DEADLINE, DONE, INTERRUPTED, Claim, Conductor, RunLimits, RunOrders, RunStop
from .controls import ControlInbox, update_schedule
from .dispatch import Dispatcher, EndedItem
from .supervisor import Supervisor

POLL = 0.1  # seconds between looks at what others have written
FLUSH = 1.0  # seconds that views may lie behind
MOST_LOSSES = 5
MOST_HANDED_BACK = 20  # including those that a machine returned when it shut down
CHECKPOINT_PAGES = 8000
BLOCKED_SECONDS = 60.0  # for a provider that does not say how long


class Scheduler:
    """Runs the loop. `threads` prepare and settle beside it; without any, the loop does both."""

    def __init__(
        self,
        store: Store,
        session: str,
        executor: Executor,
        conductor: Conductor,
        *,
        limits: RunLimits | None = None,
        threads: int = 0,
        orders: RunOrders | None = None,
    ) -> None:
        self._orders = orders or RunOrders()
        self._store = store
        self._session = session
        self._conductor = conductor
        self._limits = limits or RunLimits()
        folder = f"{store.home.session(session)}/attempts"
        os.makedirs(folder, mode=0o700, exist_ok=True)
        # Many small transactions: checkpoint them into the database file rarely.
        store.database.rows(f"PRAGMA wal_autocheckpoint={CHECKPOINT_PAGES}")
        self._dispatch = Dispatcher(conductor, self._limits, folder)
        self._supervisor = Supervisor(executor, conductor, self._limits, threads, self._orders)
        self._controls = ControlInbox(store, session)
        self._delayed: dict[str, float] = {}
        self._schedule = Schedule({})
        self._role = WORKER
        self._flushed_at = 0.0

    def run(self, schedule: Schedule, role: str = WORKER) -> RunStop:
        """Run until nothing runs and nothing more can start, or until the run is told to stop."""
        self._schedule, self._role = schedule, role
        self._adopt()
        try:
            while True:
                self._obey()
                self._record()
                stop = self._stop()
                if stop is not None:
                    return stop
                self._supervisor.listen(POLL)
                self._supervisor.look()
                self._note_course()
                self._return_delayed()
                self._flush_now_and_then()
        finally:
            self._flush()

    def finish(self) -> None:
        """Start nothing more, and stop when running work has ended. Safe in signal handlers."""
        self._orders.finishing = True
        self._supervisor.post(_wake)

    def stop(self) -> None:
        """Stop at once. Agents continue: the next engine adopts them, or they end by themselves after a while."""
        self._orders.leaving = True
        self._supervisor.post(_wake)

    def close(self) -> None:
        self._supervisor.close()

    @property
    def at_work(self) -> list[Attempt]:
        works = self._supervisor.works.values()
        return [work.attempt for work in works if work.attempt is not None]

    def _adopt(self) -> None:
        self._supervisor.works.clear()
        if isinstance(self._store, DeferredStore):
            self._store.catch_up(self._session)
        for row in attempts.list_running(self._store.database, self._session):
            if row.role == self._role and self._schedule.status(row.subject):
                self._schedule.started(row.subject)
                self._supervisor.adopt(row)

    def _record(self) -> None:
        """Write ends and claims in one transaction."""
        if not self._supervisor.ended and not self._may_start():
            return
        with self._store.change(self._session, many=True) as change:
            news = [self._finish(change, ended) for ended in self._supervisor.take_ended()]
            claims = self._claims(change) if self._may_start() else []
        for status, subject, reason in news:
            self._conductor.tell(status, subject, reason)
        for claim in claims:
            self._supervisor.begin(claim)

    def _note_course(self) -> None:
        """Record progress while agents run, so that screens and the next engine can see it."""
        works = self._supervisor.works.values()
        moved = [work for work in works if work.noted != work.course]
        if moved:
            with self._store.change(self._session, many=True) as change:
                for work in moved:
                    step = (work.cost_usd or 0.0) - (work.noted[1] or 0.0)
                    self._dispatch.message = max(self._dispatch.message, step)
                    work.noted = work.course
                    attempts.note_course(change, work.subject, work.epoch, work.noted)

    def _may_start(self) -> bool:
        if self._orders.is_ending or self._orders.paused:
            return False
        at_work = len(self._supervisor.works)
        if self._dispatch.refusal and at_work:
            return False  # running work may cost less than was reserved for it
        if not self._schedule.ready(1) or time.monotonic() < self._dispatch.not_before:
            return False
        return not self._past_deadline() and self._dispatch.count_slots(at_work) != 0

    def _past_deadline(self) -> bool:
        return bool(self._limits.deadline) and self._limits.deadline <= self._store.now()

    def _claims(self, change: Change) -> list[Claim]:
        at_work = len(self._supervisor.works)
        return self._dispatch.claim_ready(change, self._schedule, self._role, at_work)

    def _finish(self, change: Change, ended: EndedItem) -> tuple[str, str, str]:
        """Return what to report about an ended attempt: its new status, name and reason."""
        subject, end, settled = ended.work.subject, ended.end, ended.settled
        if end.state == attempts.LOST:
            self._bound_losses(change, subject, end)
        is_task = self._role == WORKER
        recorded = attempts.finish(change, subject, ended.work.epoch, end, is_task=is_task)
        status = recorded or end.status
        if settled is not None and settled.blocks:
            until = settled.retry_at or change.now + BLOCKED_SECONDS
            attempts.block_provider(change.database, settled.blocks, until, change.now)
        elif settled is not None and settled.retry_at and status == task.PENDING:
            self._delay(subject, settled.retry_at - change.now)
        self._follow(subject, status)
        return status, subject, end.reason

    def _bound_losses(self, change: Change, subject: str, end: AttemptEnd) -> None:
        """Wait longer after each lost attempt, and give up eventually."""
        every = attempts.count_losses(change.database, change.session, subject) + 1
        own = attempts.count_losses(change.database, change.session, subject, but=HANDED_BACK)
        is_own = end.why != HANDED_BACK
        if own + is_own >= MOST_LOSSES or every >= MOST_HANDED_BACK:
            end.status = task.BLOCKED
            end.reason = f"lost {every} times in a row: {end.reason}"
        elif own and is_own:
            self._delay(subject, 2.0**own)

    def _delay(self, subject: str, seconds: float) -> None:
        """Wait by a monotonic clock, because a clock that is set back would delay it forever."""
        self._delayed[subject] = time.monotonic() + seconds

    def _follow(self, subject: str, status: str) -> None:
        if status == task.RESOLVED:
            self._schedule.resolved(subject)
        elif status != task.PENDING:
            self._schedule.failed(subject, status)
        elif subject not in self._delayed:
            self._schedule.returned(subject)

    def _return_delayed(self) -> None:
        if self._delayed:
            now = time.monotonic()
            for subject in [name for name, at in self._delayed.items() if at <= now]:
                del self._delayed[subject]
                self._schedule.returned(subject)

    def _stop(self) -> RunStop | None:
        if self._supervisor.works and not self._orders.leaving:
            return None
        stop = self.find_order()
        if stop is not None:
            return stop
        if self._orders.paused:
            return None
        if not self._delayed and self._schedule.stuck:
            return RunStop(DONE)
        if self._dispatch.refusal:
            return RunStop(BUDGET, self._dispatch.refusal)
        if self._past_deadline():
            return RunStop(DEADLINE, "the deadline of this run has passed")
        return None

    def find_order(self) -> RunStop | None:
        """Return what the user wants, if that ends the run."""
        if self._orders.leaving:
            return RunStop(INTERRUPTED, "stopped at once; running agents continue for a while")
        if self._orders.cancelled:
            return RunStop(CANCELLED, "the run was cancelled")
        if self._orders.finishing:
            return RunStop(INTERRUPTED, "the running agents have ended; no new ones were started")
        return None

    def hear(self) -> None:
        """Read the user's orders between two steps, and during long ones."""
        self._obey()
        self._orders.check()

    def _obey(self) -> None:
        if not self._controls.has_changed():
            return
        self._dispatch.not_before = 0.0  # a provider may have been cleared
        if self._controls.is_called_off():
            self._call_off()
        obey = {
            controls.CANCEL: self._cancel,
            controls.PRIORITY: self._prefer,
            controls.FINISH: self._finish_soon,
            controls.STOP: self._leave,
        }
        for wish in self._controls.take_controls():
            obey[wish.kind](wish)
            if wish.kind != controls.CANCEL or wish.subject:
                self._conductor.tell("heard", wish.subject, wish.kind)
        self._pause()
        if self._role == WORKER:
            self._take_over_changes()

    def _take_over_changes(self) -> None:
        """Read tasks that other processes settled, skipped or added meanwhile."""
        moved = self._controls.find_moved_tasks(self._schedule)
        ours = self._supervisor.works
        for name in ours.keys() & moved.keys():
            self._supervisor.cancel(ours[name], "another process took it over")
        others = {
            name: status
            for name, status in moved.items()
            if name not in ours and not (name in self._delayed and status == task.PENDING)
        }
        if others:
            self._schedule = update_schedule(self._schedule, others, self._store.database, self._session)

    def _cancel(self, wish: Control) -> None:
        works = self._supervisor.works
        if not wish.subject:
            self._call_off()
            return
        reason = f"cancelled by {wish.actor}"
        if wish.subject in works:
            self._supervisor.cancel(works[wish.subject], reason)
        if self._role != WORKER or not self._schedule.status(wish.subject):
            return
        with self._store.change(self._session) as change:
            # At once, even during a check: a later result is no longer wanted.
            if tasks.get(change.database, self._session, wish.subject).status in _SKIPPABLE:
                tasks.update(change, wish.subject, status=task.SKIPPED, reason=reason)
        if wish.subject not in works:
            self._schedule.failed(wish.subject, task.SKIPPED)

    def _call_off(self) -> None:
        """Report once that the run was called off, by an order, by the session being off, or both."""
        if not self._orders.cancelled:
            self._orders.cancelled = True
            self._conductor.tell("heard", "", controls.CANCEL)
        for work in self._supervisor.works.values():
            self._supervisor.cancel(work)

    def _pause(self) -> None:
        if self._orders.paused != self._controls.paused:
            self._orders.paused = self._controls.paused
            self._conductor.tell("heard", "", controls.PAUSE if self._orders.paused else controls.RESUME)

    def _prefer(self, wish: Control) -> None:
        if self._schedule.status(wish.subject):
            self._schedule.prefer(wish.subject, int(wish.value))

    def _finish_soon(self, _wish: Control) -> None:
        self._orders.finishing = True

    def _leave(self, _wish: Control) -> None:
        self._orders.leaving = True

    def _flush_now_and_then(self) -> None:
        now = time.monotonic()
        if isinstance(self._store, DeferredStore) and now - self._flushed_at >= FLUSH:
            self._flushed_at = now
            self._store.flush_soon()

    def _flush(self) -> None:
        if isinstance(self._store, DeferredStore):
            self._store.flush()


def _wake() -> None:
    """Wake the loop; the note itself is the signal."""


_SKIPPABLE = (task.PENDING, task.IN_PROGRESS, task.FAILED, task.BLOCKED)
