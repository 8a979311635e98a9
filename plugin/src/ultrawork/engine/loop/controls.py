"""What other processes see of the engine and ask of it: a run at one moment, ready to be shown, every task and agent
with a mark and its latest words; orders, and changes to its plan since the last look.

A session is cancelled here too: by its engine if one runs, else by the process that asks."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from ...clients.headless import table
from ...clients.headless.attempt import WORKER, read_note
from ...core.errors import Conflict
from ...core.plan import task
from ...core.plan.schedule import Schedule
from ...core.plan.task import BLOCKED, FAILED, IN_PROGRESS, PENDING, RESOLVED, SKIPPED, Task
from ...core.session.session import CANCELLED, Session
from ...store import attempts, controls, sessions, tasks, witness
from ...store.atomic import is_held
from ...store.controls import Control
from ...store.database import Database
from ...store.paths import ENGINE_LOCK
from ...store.settings import load_at
from ...store.store import Store
from ..agents.executor import LOCAL, open_executor
from ..agents.prompts import count_spent
from ..run import EngineLock, RunWishes


class ControlInbox:
    """Checking costs one SQLite query: whether another process has written at all."""

    def __init__(self, store: Store, session: str) -> None:
        self._store = store
        self._database = store.database
        self._session = session
        self._version = -1
        self.paused = False

    def has_changed(self) -> bool:
        version: int = self._database.value("PRAGMA data_version")
        moved = version != self._version
        self._version = version
        return moved

    def is_called_off(self) -> bool:
        """Return whether the session was turned off, even by a process that knows no engine."""
        phase = self._database.value("SELECT phase FROM sessions WHERE id=?", self._session)
        return bool(phase == CANCELLED)

    def take_controls(self) -> list[Control]:
        """Return new orders, oldest first. A pause lasts until it is lifted, also over a restart."""
        waiting = controls.list_waiting(self._database, self._session)
        lifted = max((control.id for control in waiting if control.kind == controls.RESUME), default=0)
        self.paused = any(control.kind == controls.PAUSE and control.id > lifted for control in waiting)
        known = [control for control in waiting if control.kind in _OBEYED]
        self._done(control for control in waiting if control in known or self._settled(control, lifted))
        return known

    @staticmethod
    def _settled(wish: Control, lifted: int) -> bool:
        return wish.kind in (controls.PAUSE, controls.RESUME) and wish.id <= lifted

    def _done(self, wishes: Iterable[Control]) -> None:
        numbers = [wish.id for wish in wishes]
        if numbers:
            with self._store.change(self._session) as change:
                for number in numbers:
                    controls.mark_done(change, number)

    def find_moved_tasks(self, schedule: Schedule) -> dict[str, str]:
        """Return tasks whose status differs from the schedule because another process changed them."""
        rows = tasks.list_statuses(self._database, self._session)
        return {name: status for name, status in rows if status != schedule.status(name)}


_OBEYED = (controls.CANCEL, controls.PRIORITY, controls.FINISH, controls.STOP)


def update_schedule(schedule: Schedule, moved: dict[str, str], database: Database, session: str) -> Schedule:
    """Return the schedule after changes to the plan; a new one if they cannot be applied step by step."""
    if any(not schedule.status(name) or _taken_back(schedule, name) for name in moved):
        return Schedule.of(tasks.list_all(database, session), barrier=schedule.barrier)
    tell = {task.RESOLVED: schedule.resolved, task.PENDING: schedule.returned, task.IN_PROGRESS: schedule.started}
    for name, status in moved.items():
        if status in tell:
            tell[status](name)
        else:
            schedule.failed(name, status)
    return schedule


def _taken_back(schedule: Schedule, name: str) -> bool:
    return schedule.status(name) == task.RESOLVED


def cancel_agents(store: Store, name: str, environ: Mapping[str, str]) -> None:
    """End running agents and everything they started: by their engine, or here if there is none."""
    working = attempts.list_running(store.database, name)
    driven = is_held(f"{store.home.session(name)}/{ENGINE_LOCK}")
    if driven or working:
        with store.change(name) as change:
            controls.ask(change, controls.CANCEL)
    if working and not driven:
        _end_orphans(store, name, working, environ)


def _end_orphans(store: Store, name: str, working: list[attempts.AttemptRow], environ: Mapping[str, str]) -> None:
    session = sessions.get(store.database, name)
    wanted = RunWishes.from_session(session).executor
    settings = load_at(environ, store.home, session.working_dir)
    try:
        with EngineLock(store.home.session(name)):
            executor = open_executor(wanted, store.home.session(name), environ, settings)
            for attempt in filter(None, (read_note(row.folder) for row in working)):
                executor.cancel(attempt)
            executor.close()
            _close_rows(store, name, working)
    except Conflict:
        pass  # one has just begun, and reads what is asked of it


def _close_rows(store: Store, name: str, working: list[attempts.AttemptRow]) -> None:
    """Close rows of agents that no engine comes back for, so that they do not look running forever."""
    with store.change(name) as change:
        for row in working:
            tokens, usd = count_spent(table.get(row.backend), row.folder)
            end = attempts.AttemptEnd(
                task.PENDING,
                "the run was cancelled",
                state=attempts.LOST,
                why=attempts.LOST,
                tokens=tokens,
                cost_usd=usd,
            )
            attempts.finish(change, row.subject, row.epoch, end, is_task=row.role == WORKER)


MARKS = {RESOLVED: "✓", IN_PROGRESS: "→", FAILED: "✗", SKIPPED: "-", BLOCKED: "⏳", PENDING: "⏳"}
_DONE = (RESOLVED, SKIPPED)


@dataclass(frozen=True, slots=True)
class TaskRow:
    mark: str
    name: str
    text: str


@dataclass(slots=True)
class RunView:
    phase: str
    seconds: float
    cost_usd: float
    estimated: bool
    summary: str
    rows: list[TaskRow]
    machines: list[str] = field(default_factory=list)

    def document(self) -> dict[str, object]:
        return {
            "phase": self.phase,
            "seconds": round(self.seconds, 1),
            "cost_usd": self.cost_usd,
            "cost_estimated": self.estimated,
            "summary": self.summary,
            "machines": self.machines,
            "rows": [{"mark": row.mark, "name": row.name, "text": row.text} for row in self.rows],
        }


def read(database: Database, name: str, *, now: float) -> RunView:
    """Read the view from the store and the agents' output, so that any process can show it."""
    session = sessions.get(database, name)
    words = {row.subject: _describe_work(row) for row in attempts.list_running(database, name)}
    plan = tasks.list_all(database, name)
    spent = attempts.sum_spent(database, name, now, reserved=False)
    cost = spent.usd, attempts.has_estimates(database, name)
    view = _make(session, plan, words, now=session.ended_at or now, cost=cost)
    if session.active and session.state.run.get("executor", LOCAL) != LOCAL:
        view.machines = [cluster_machine.line for cluster_machine in witness.list_seen(database, now)]
    return view


def _describe_work(row: attempts.AttemptRow) -> str:
    """Return an agent's last words, and where it is if not here."""
    attempt = read_note(row.folder)
    words = table.get(row.backend).read(attempt).last if attempt is not None else ""
    return f"{words} (on {row.machine})".strip() if row.machine else words


def _make(
    session: Session, plan: Sequence[Task], words: Mapping[str, str], *, now: float, cost: tuple[float, bool]
) -> RunView:
    """Make the view; `words` are the last lines of running agents by subject: tasks, and agents beside the plan."""
    work = [task for task in plan if not task.is_verify]
    open_tasks = {task.id for task in work if task.status not in _DONE}
    names = {task.id for task in work}
    beside = [TaskRow("→", name, text) for name, text in words.items() if name not in names]
    done = sum(1 for task in work if task.status == RESOLVED)
    limit = session.options["max_iterations"]
    sentence = f"{done} of {len(work)} done, {len(words)} running, round {session.iteration} of {limit}"
    summary = sentence if work else f"{len(words)} running"
    rows = [_row(task, open_tasks, words) for task in work]
    return RunView(session.phase, now - session.started_at, *cost, summary, [*rows, *beside])


def _row(task: Task, open_tasks: set[str], words: Mapping[str, str]) -> TaskRow:
    message = words.get(task.id, "")
    waits = [name for name in task.blocked_by if name in open_tasks]
    notes = {
        IN_PROGRESS: message,
        FAILED: task.reason or "",
        PENDING: f"waits for {', '.join(waits)}" if waits else task.reason or "",
    }
    note = notes.get(task.status, "")
    return TaskRow(MARKS[task.status], task.id, f"{task.subject}{f': {note}' if note else ''}")
