"""Run a session without a client: do the program's own steps, and start agents for everything else.

The next step is decided by the same code that hooks and `ultrawork next` use."""

from collections.abc import Callable, Iterable
from time import localtime, monotonic, sleep, strftime, time

from ...clients.headless.attempt import EXPLORER, PLANNER, VERIFIER, WORKER
from ...core.course import roles, steps
from ...core.course.roles import Spawn
from ...core.course.steps import NextStep
from ...core.plan import graph
from ...core.plan.schedule import Schedule
from ...core.plan.task import BLOCKED, FAILED, RESOLVED, Task
from ...core.session import session as phases
from ...core.session.session import Session
from ...core.verdict import verdict as verdicts
from ...flow import agent_ends, answers, own_steps, planned_mode, planning
from ...flow.course import Course
from ...flow.planning import brief
from ...gates.context import ENGINE
from ...gates.session import verification
from ...report import timeline
from ...store import attempts, sessions, tasks
from ...store.deferred_store import DeferredStore
from ..agents import prompts
from ..agents.conductor import AgentConductor
from ..agents.executor import Executor
from ..agents.integration import CHECKED, check_out_results
from ..contract import (
    BUDGET,
    DONE,
    PAUSED,
    RETURNED,
    CalledOff,
    RunHalted,
    RunLimits,
    RunStop,
    describe_trouble,
    is_everywhere,
    may_pass,
)
from ..run import HeadlessRun
from .scheduler import POLL, Scheduler

Ask = Callable[[str, tuple[str, ...]], str]

TRIES = 3
THREADS = 4
SECONDS = 3600.0
AGAIN = 1.0  # seconds before what failed everywhere is tried again


class Drive:
    """Drives a session. `ask` puts a question to the user, if one is present."""

    def __init__(self, run: HeadlessRun, executor: Executor, limits: RunLimits, ask: Ask, *, attended: bool) -> None:
        self._run = run
        self._ask = ask
        self._limits = limits
        self._journal = executor.open_journal(run)
        self._agents = AgentConductor(run)
        # Views are for people, so the engine does not wait for them.
        later = DeferredStore(run.store.home, actor=ENGINE, clock=time)
        self._scheduler = Scheduler(
            later, run.name, executor, self._agents, limits=limits, threads=THREADS, orders=run.orders
        )
        self._course = Course(run.store, run.environ, run.name, attended=attended, settings=run.settings)
        self._phase = ""
        self.stopped: RunStop | None = None

    @property
    def scheduler(self) -> Scheduler:
        return self._scheduler

    def go(self) -> Session:
        """Run until the session has ended, was stopped, or waits for something that is missing."""
        try:
            return self._heed_loss(self._go())
        except Exception as error:  # a missing folder can cause any error
            lost = self._run.find_absence()
            if not lost and not is_everywhere(error):
                raise
            why = lost or describe_trouble(error)
            waits = lost or may_pass(error)
            self.stopped = self._outlast(why) if waits else RunStop(PAUSED, why)
            return self._run.session
        finally:
            self._journal.close()

    def _heed_loss(self, session: Session) -> Session:
        """Report a halted run as halted, not as interrupted, wherever that was noticed."""
        if session.active and self._journal.get_loss():
            self.stopped = RunStop(PAUSED, self._journal.get_loss())
        return session

    def _outlast(self, why: str) -> RunStop:
        """Wait until a missing folder returns. Running agents continue, and orders are handled as far as they can be
        stored."""
        until = strftime("%H:%M", localtime(time() + self._limits.away))
        self._run.tell(
            timeline.REFUSED, line=f"waiting (stop with Ctrl-C): {why}. The run continues by itself until {until}"
        )
        end = monotonic() + self._limits.away
        sleep(AGAIN)
        while self._run.find_absence():
            stop = self._hear_outside()
            if stop is not None:
                return stop
            if monotonic() >= end:
                return RunStop(PAUSED, why)
            sleep(POLL)
        return self._hear_outside() or RunStop(RETURNED, why)

    def _hear_outside(self) -> RunStop | None:
        try:
            self._scheduler.hear()
        except Exception:  # noqa: BLE001 (nothing can be read now; a signal is heard all the same)
            pass
        return self._scheduler.find_order()

    def _go(self) -> Session:
        while self.stopped is None:
            self.stopped = self._hear()
            if self.stopped is not None:
                break
            step = own_steps.advance(self._course)
            session = self._run.read_session()
            self._journal.record()
            self._tell_phase(session.phase, step)
            if step.kind == steps.DONE:
                return session
            _STEPS[step.kind](self, step)
        return self._run.read_session()

    def _hear(self) -> RunStop | None:
        """Start nothing new after an order to stop, in any phase."""
        while True:
            try:
                self._scheduler.hear()
            except CalledOff:
                pass
            stop = self._scheduler.find_order()
            if stop is not None or not self._run.orders.paused:
                return stop
            sleep(POLL)

    def _tell_phase(self, phase: str, step: NextStep) -> None:
        if phase != self._phase:
            self._phase = phase
            self._run.tell(timeline.PHASE, phase=phase, why=step.text)

    def spawn(self, step: NextStep) -> None:
        if self._run.session.phase == phases.EXECUTION:
            return self.work(step)
        return self._beside({spawn.subject: spawn for spawn in step.spawns})

    def work(self, _step: NextStep) -> None:
        """Run the whole plan: the scheduler starts each task as soon as it may."""
        plan = tasks.list_all(self._run.store.database, self._run.name)
        self._tell_plan(plan)
        self._schedule(Schedule.of(plan, barrier=bool(self._run.session.options.get("barrier"))), WORKER)

    def _tell_plan(self, plan: list[Task]) -> None:
        needs = {task.id: task.blocked_by for task in plan if not task.is_verify}
        self._run.tell(timeline.PLANNED, tasks=len(needs), chain=graph.find_critical_path(needs))
        for clash in planning.find_overlaps(plan):
            self._run.tell(timeline.NOTE, text=clash)

    def _beside(self, spawns: dict[str, Spawn]) -> None:
        role = prompts.find_role(next(iter(spawns.values())))
        self._agents.spawns = spawns
        for subject in [name for name in spawns if self._tried(name) >= TRIES]:
            _GIVEN_UP[role](self, subject)
            del spawns[subject]
        if spawns:
            self._schedule(Schedule({name: [] for name in spawns}), role)
            self._heed_blocked(spawns)

    def _heed_blocked(self, subjects: Iterable[str]) -> None:
        """Stop where an agent could not run at all: that is no judgment of the work, and the next one fares no
        better."""
        for subject in subjects:
            last = attempts.list_of_subject(self._run.store.database, self._run.name, subject)[-1:]
            if last and last[0].status == BLOCKED:
                self.stopped = self.stopped or RunStop(PAUSED, f"{subject}: {last[0].reason}")

    def _schedule(self, schedule: Schedule, role: str) -> None:
        stop = self._scheduler.run(schedule, role)
        if self._journal.get_loss():
            raise RunHalted(self._journal.get_loss())
        if stop.why != DONE and not (stop.why == BUDGET and self._granted(stop)):
            self.stopped = stop

    def _granted(self, stop: RunStop) -> bool:
        """Ask the user when the budget is exceeded; without a user the run ends and can be resumed with more."""
        first = self._run.granted
        options = (f"Spend ${first:g} more", "Stop")
        if not first or self._ask(f"{stop.detail}. Continue?", options) != options[0]:
            return False
        self._run.grant(first)
        self._limits.budget.usd += first
        return True

    def _tried(self, subject: str) -> int:
        """Return the number of failed attempts since the last one that succeeded."""
        rows = attempts.list_of_subject(self._run.store.database, self._run.name, subject)
        good = [place for place, row in enumerate(rows, 1) if row.status == RESOLVED]
        return sum(row.status == FAILED for row in rows[max(good, default=0) :])

    def no_report(self, explorer: str) -> None:
        agent_ends.record_report(self._run.store, self._run.name, explorer, f"not explored: {explorer} failed")

    def no_plan(self, subject: str) -> None:
        if subject != prompts.PLAN:
            planned_mode.note_missing_draft(self._run.store, self._run.name, subject, "the planner failed")
            return
        errors = self._run.read_session().state.plan_errors
        why = errors[0] if errors else "the planner failed"
        self._fail(f"no valid plan after {TRIES} attempts: {why}")

    def no_verdict(self, subject: str) -> None:
        agent_ends.record_ruling(self._run.store, self._run.name, "", subject)

    def _fail(self, why: str) -> None:
        with self._run.store.change(self._run.name) as change:
            session = sessions.get(change.database, self._run.name)
            session.phase, session.verdict = phases.FAILED, verdicts.FAIL
            session.ended_at = change.now
            sessions.save(change, session, "session.failed", {"why": why})
        self._run.tell(timeline.NOTE, text=why)

    def plan(self, _step: NextStep) -> None:
        """Start the planner. In a client the user plans with the model; here the user only approves."""
        facts = self._course.read_facts()
        spawn = brief(self._course, roles.spawn_planner(facts.session, facts.plan_errors))
        self._beside({spawn.subject: spawn})

    def question(self, step: NextStep) -> None:
        chosen = self._ask(step.question, step.options)
        if chosen:
            answers.record(self._run.person, self._run.name, step.question, chosen)
        else:
            self.stopped = RunStop(PAUSED, "no one is there to answer: " + step.question)

    def verify(self, _step: NextStep) -> None:
        """Run the checks on all merged results, in a worktree that holds nothing else."""
        with self._run.store.change(self._run.name) as change:
            session = sessions.get(change.database, self._run.name)
            session.state.integration = check_out_results(self._run, CHECKED).path
            sessions.save(change, session, "session.placed", {"at": self._run.repository.head()})
        try:
            outcome = verification.run(
                self._run.store,
                self._run.environ,
                session.working_dir,
                session=self._run.name,
                by=ENGINE,
                seconds=SECONDS,
                tick=self._scheduler.hear,
            )
        except CalledOff:
            self.stopped = self._scheduler.find_order()
            return
        self._run.tell(timeline.VERDICT, line=outcome.line, verdict=outcome.value)


_STEPS = {
    steps.SPAWN: Drive.spawn,
    steps.WAIT: Drive.work,
    steps.ASK: Drive.question,
    steps.PLAN: Drive.plan,
    steps.VERIFY: Drive.verify,
}
_GIVEN_UP = {EXPLORER: Drive.no_report, PLANNER: Drive.no_plan, VERIFIER: Drive.no_verdict}
