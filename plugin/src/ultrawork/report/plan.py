"""A plan and its progress, as blocks for every screen; and the line that reports what just happened to it."""

from collections.abc import Mapping, Sequence

from ..core.course import roles
from ..core.course.next_step import UNRESOLVED
from ..core.plan import graph
from ..core.plan.task import BLOCKED, FAILED, IN_PROGRESS, PENDING, RESOLVED, SKIPPED, Task
from ..core.session.session import Session
from ..core.value import Value
from ..core.wording import WIDTH, cut, join_lines
from .blocks import Block, Grid, Heading, Items, Pairs, render_blocks
from .timeline import describe_failure

_MARKS = {
    RESOLVED: "✓ resolved",
    IN_PROGRESS: "→ running",
    FAILED: "✗ failed",
    SKIPPED: "- skipped",
    BLOCKED: "⏳ blocked",
    PENDING: "⏳ pending",
}
_SETTLED = (RESOLVED, FAILED, SKIPPED)


class TaskCount(Value):
    """The tasks of a plan as every screen counts them, without the task that verifies them."""

    resolved: int
    all: int

    def __str__(self) -> str:
        return f"{self.resolved} of {self.all}"


def count_tasks(listed: Sequence[Task]) -> TaskCount:
    work = [task for task in listed if not task.is_verify]
    return TaskCount(sum(1 for task in work if task.status == RESOLVED), len(work))


def _list_due(session: Session, listed: Sequence[Task]) -> list[Task]:
    """Return the tasks without the verification that the user asked to skip."""
    skipped = bool(session.options["skip_verify"])
    return [task for task in listed if not (skipped and task.is_verify)]


def list_plan(session: Session, listed: Sequence[Task]) -> list[Block]:
    """Return the plan for review: each task, when it is done, waves, longest chain."""
    listed = _list_due(session, listed)
    needs = {task.id: task.blocked_by for task in listed}
    rows = [
        (task.id, task.subject, task.complexity, ", ".join(task.blocked_by) or "-", "; ".join(task.criteria))
        for task in listed
    ]
    waves = [
        f"Wave {number}: [{', '.join(wave)}] {_when(number, wave)}"
        for number, wave in enumerate(graph.list_waves(needs), 1)
    ]
    chain = " -> ".join(graph.find_critical_path(needs)) or "none"
    return [
        Heading("Ultrawork plan"),
        Pairs([("Goal", session.goal)]),
        Grid(("ID", "Task", "Complexity", "Blocked By", "Done means"), rows),
        Items(waves),
        Pairs([("Longest chain", chain)]),
    ]


def _when(number: int, wave: Sequence[str]) -> str:
    if number == 1:
        return "can start immediately"
    return "after all" if wave == ["verify"] else f"after wave {number - 1}"


def render_plan(session: Session, listed: Sequence[Task]) -> str:
    return render_blocks(list_plan(session, listed))


def list_progress(session: Session, listed: Sequence[Task], working: int, models: Mapping[str, str]) -> list[Block]:
    """Return the progress; `models` are those that tasks' agents last used; a due task shows its next one."""
    listed = _list_due(session, listed)
    due = (PENDING, BLOCKED, FAILED)
    used = {task.id: "" if task.status in due else models.get(task.id, "") for task in listed}
    rows = [(task.id, _MARKS[task.status], used[task.id] or _name_model(task), _standing(task)) for task in listed]
    return [
        Heading("Progress"),
        Pairs(
            [
                ("Iteration", f"{session.iteration} of {session.options['max_iterations']}"),
                ("Phase", session.phase),
                ("Tasks", f"{count_tasks(listed)} resolved"),
                ("Active workers", str(working)),
            ]
        ),
        Grid(("Task", "Status", "Model", "What"), rows),
    ]


def _standing(task: Task) -> str:
    return f"{task.subject}: {task.reason}" if task.reason and task.status == FAILED else task.subject


def render_queue(session: Session, listed: Sequence[Task]) -> str:
    """Return what is about to start: each task with its model, in order."""
    listed = _list_due(session, listed)
    needs = {task.id: task.blocked_by for task in listed}
    known = {task.id: task for task in listed}
    rows = [
        (
            name,
            "ready" if not known[name].blocked_by else f"after {', '.join(known[name].blocked_by)}",
            _name_model(known[name]),
            known[name].subject,
        )
        for wave in graph.list_waves(needs)
        for name in wave
        if known[name].status not in _SETTLED
    ]
    number = session.iteration, session.options["max_iterations"]
    head = f"ultrawork: {count_tasks(listed).all} tasks, round {number[0]} of {number[1]}"
    return f"{head}\n{render_blocks([Grid(('Task', 'Begins', 'Model', 'What'), rows)])}"


def _name_model(task: Task) -> str:
    """Return the model that will run; the verifier's depends on the size of the change."""
    return "by size" if task.is_verify else roles.choose_model(task)


def render_begun(task: Task, listed: Sequence[Task], model: str) -> str:
    again = f", try {task.attempts}" if task.attempts > 1 else ""
    return _tell(f"{task.id} begins ({model}{again}): {task.subject}", listed)


def render_settled(task: Task, listed: Sequence[Task]) -> str:
    """Return the line about a settled task; a retry is announced when it starts."""
    bad = task.reason and task.status != RESOLVED
    why = f", {describe_failure(str(task.reason))}" if bad else ""
    return _tell(f"{task.id} {task.status}{why}", listed)


def _tell(sentence: str, listed: Sequence[Task]) -> str:
    counted = f" ({count_tasks(listed)})"
    return cut(f"ultrawork: {join_lines(sentence)}", WIDTH - len(counted)) + counted


def render_round(session: Session, why: str) -> str:
    """Return the line about another round; a long reason has a line of its own, so that its end can be read."""
    number = f"round {session.iteration} of {session.options['max_iterations']}"
    cause = "tasks failed" if why.startswith(UNRESOLVED) else "verification failed"
    head, reason = f"ultrawork: {cause}, {number}: ", join_lines(why)
    if len(head) + len(reason) <= WIDTH:
        return head + reason
    return f"{head.rstrip()}\n  {cut(reason, 2 * WIDTH)}"


def render_failed(listed: Sequence[Task], issues: Sequence[str]) -> str:
    """Return what the user must know before deciding about failures."""
    lines = [
        f"{task.id}: {describe_failure(task.reason or task.status)}, {_count_tries(task.attempts)}"
        for task in listed
        if task.status not in (RESOLVED, SKIPPED) and not task.is_verify
    ]
    return "ultrawork: open tasks\n" + render_blocks([Items([*lines, *issues])])


def _count_tries(number: int) -> str:
    return f"{number} {'try' if number == 1 else 'tries'}"
