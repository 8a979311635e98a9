"""A run at one moment, ready to be shown: every task and agent with a mark and its latest words."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ...clients.headless import table
from ...clients.headless.attempt import read_note
from ...core.plan.task import BLOCKED, FAILED, IN_PROGRESS, PENDING, RESOLVED, SKIPPED, Task
from ...core.session.session import Session
from ...store import attempts, sessions, tasks, witness
from ...store.database import Database
from ..agents.executor import LOCAL

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
