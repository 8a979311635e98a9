"""Accept a plan from a planner's last message or from a file: store it whole, or refuse it whole with the reason.
Planner and verifier get what they need to read in their prompts, because they have no shell."""

from collections.abc import Sequence
from typing import Any

from ..core import registry
from ..core.course import roles
from ..core.course.roles import Spawn
from ..core.errors import UltraworkError, UsageError
from ..core.modes.modes import PIPELINE
from ..core.plan import criteria, graph
from ..core.plan import task as core_task
from ..core.plan.decompose import DraftTask
from ..core.plan.task import VERIFY, Task
from ..core.session.session import Session
from ..core.times import format_iso
from ..store import pins, sessions, tasks
from ..store.codec import loads
from ..store.database import Change
from ..store.store import Store
from .course import Course

ARCHITECT = "architect"


def parse_block(message: str) -> dict[str, Any]:
    """Return the last fenced JSON object of a message."""
    parts = message.split("```")
    for part in reversed(parts[1::2]):
        body = part.partition("\n")[2] if part[:1] != "{" else part
        try:
            value = loads(body.strip())
        except ValueError:
            continue
        if isinstance(value, dict):
            return value
    raise UsageError("the message ends without a fenced JSON block; it must be ```json {…} ```")


def make_tasks(entries: Sequence[Any], known: dict[str, list[str]], *, now: float) -> list[Task]:
    """Return the tasks of a plan, each with checkable criteria, and `verify` last."""
    if not entries:
        raise UsageError("the plan has no tasks")
    tasks = [core_task.parse_task(_weighed(entry), now=now) for entry in entries if isinstance(entry, dict)]
    if len(tasks) != len(entries):
        raise UsageError("a task of the plan is not an object")
    return complete_tasks(tasks, known, now=now)


def draft_tasks(goal: str, gates: Sequence[str], *, now: float) -> list[Task]:
    """Return tasks from the words of a goal: its steps or its areas, each with what it may write."""
    from ..core.plan.decompose import decompose

    criteria = list(gates) or ["judged: the goal, by the verifier"]
    entries = [
        {
            "id": part.id,
            "subject": part.subject[:200],
            "description": _describe(part),
            "criteria": criteria,
            "blockedBy": part.blocked_by,
        }
        for part in decompose(goal)
    ]
    return [core_task.parse_task(_weighed(entry), now=now) for entry in entries]


def _describe(part: DraftTask) -> str:
    """Describe what a task may write, and which agent page its worker should read."""
    from ..core.routing.catalogue import choose_agent

    who, why, _ = choose_agent("" if part.area else part.subject, kind=part.area)
    lines = [f"Writes only: {', '.join(part.owns)}"] if part.owns else []
    if who and who != "executor":
        lines.append(f"Work as {who} does ({why}): ultrawork content show --agent {who}")
    return "\n".join(lines)


def _weighed(entry: dict[str, Any]) -> dict[str, Any]:
    """Add a complexity by the task's words if the plan gives none."""
    if "complexity" in entry:
        return entry
    from ..core.routing.routes import choose_route

    words = (entry.get(key) for key in ("subject", "description"))
    return {**entry, "complexity": choose_route("\n".join(str(word or "") for word in words)).complexity}


def complete_tasks(tasks: list[Task], known: dict[str, list[str]], *, now: float) -> list[Task]:
    """Return a valid plan, with `verify` added last if it is missing."""
    criteria.refuse_unchecked(tasks)
    if VERIFY not in known and VERIFY not in [task.id for task in tasks]:
        tasks = [*tasks, _verify_task([*known, *(task.id for task in tasks)], now)]
    tasks = list(tasks)
    graph.check({**known, **{task.id: task.blocked_by for task in tasks}})
    return tasks


def _verify_task(names: list[str], now: float) -> Task:
    return Task(
        id=VERIFY,
        subject="[VERIFY] the checks pass and every criterion is met",
        complexity=core_task.COMPLEX,
        criteria=["judged: by the checks and the verifier"],
        blocked_by=names,
        created_at=now,
        updated_at=now,
    )


def find_overlaps(plan: Sequence[Task]) -> list[str]:
    """Return pairs of tasks that write the same file with no order between them."""
    needs = {task.id: set(task.blocked_by) for task in plan}
    before = {name: _all_before(name, needs) for name in needs}
    writers = [task for task in plan if task.files]
    return [
        f"{writer.id} and {other.id} both write {path}, and neither depends on the other"
        for place, writer in enumerate(writers)
        for other in writers[place + 1 :]
        if writer.id not in before[other.id] and other.id not in before[writer.id]
        for path in sorted(set(writer.files) & set(other.files))
    ]


def _all_before(name: str, needs: dict[str, set[str]]) -> set[str]:
    names: set[str] = set()
    queue = list(needs[name])
    while queue:
        need = queue.pop()
        if need not in names:
            names.add(need)
            queue += needs.get(need, ())
    return names


def set_aside(change: Change) -> None:
    """Remove a plan that the user rejected; the record keeps it."""
    session = sessions.get(change.database, change.session)
    if not session.state.plan_errors:
        return
    documents = [task.document() for task in tasks.list_all(change.database, change.session)]
    # Delete a dependency with either of its tasks, whichever is deleted first.
    change.database.rows("DELETE FROM needs WHERE session=?", change.session)
    change.database.rows("DELETE FROM tasks WHERE session=?", change.session)
    session.state.plan_errors = []
    version = int(str(session.plan.get("version") or 1)) + 1
    session.plan = {**session.plan, "version": version, "created_at": None}
    sessions.save(change, session, "plan.set-aside", {"tasks": documents})
    change.touch("leftovers")


def note_made(change: Change) -> None:
    """Record when the plan was made."""
    session = sessions.get(change.database, change.session)
    if not session.plan.get("created_at"):
        session.plan = {**session.plan, "created_at": format_iso(change.now)}
        sessions.save(change, session, "plan.made", {})


def take_plan(store: Store, name: str, message: str, *, max_retry: int = core_task.MAX_RETRY) -> list[str]:
    """Store a planner's message as the plan; keep its errors for the next attempt."""
    with store.change(name) as change:
        set_aside(change)
        session = sessions.get(change.database, name)
        errors = _stored(change, message, max_retry)
        session.state.plan_errors = errors
        if not errors:
            session.plan = {**session.plan, "created_at": format_iso(change.now)}
        elif session.state.modes:
            _count(session, change.now)
        sessions.save(change, session, "plan.taken" if not errors else "plan.refused", {"errors": errors})
    return errors


def _count(session: Session, now: float) -> None:
    """Count a failed plan; a mode has a limited number."""
    from ..core.modes import record, tables

    for progress in record.read_active(session).values():
        if ARCHITECT in progress.limits:
            tables.spend(progress, ARCHITECT, now)
            record.put(session, progress)


def _stored(change: Change, message: str, max_retry: int) -> list[str]:
    try:
        given = parse_block(message).get("tasks") or []
        entries = [{"max_retry": max_retry, **entry} if isinstance(entry, dict) else entry for entry in given]
        plan = make_tasks(entries, {}, now=change.now)
        tasks.create(change, plan)
    except UltraworkError as error:
        return [str(error)]
    return []


FINDINGS = 12_000
DIFF = 40_000


def brief(course: Course, spawn: Spawn) -> Spawn:
    """Return the spawn with everything it needs in its prompt."""
    if spawn.stage:
        stage: Spawn = registry.ask(PIPELINE, "brief_stage")(course, spawn)
        return stage
    if spawn.key == roles.PART:
        session = sessions.get(course.store.database, course.name)
        if session.state.lead and registry.ask_lead("is_paper")(spawn.subject):
            reading = registry.ask_lead("describe_reading")
            prompt = reading(course.store.database, session, spawn.subject)
            return spawn.with_prompt(prompt) if prompt else spawn
    more = _MORE.get(spawn.agent)
    return spawn if more is None else spawn.with_prompt(more(course))


def _findings(course: Course) -> str:
    listed = sessions.list_explorers(course.store.database, course.name)
    reports = [
        f"## {explorer.id}: {explorer.hint}\n{explorer.report or explorer.summary}"
        for explorer in listed
        if explorer.done_at
    ]
    text = "FINDINGS:\n" + _cut("\n\n".join(reports), FINDINGS)
    design = sessions.get(course.store.database, course.name).design
    return f"DESIGN:\n{_cut(design, FINDINGS)}\n\n{text}" if design else text


def describe_diff(course: Course, place: str = "") -> str:
    from ..gates.context import HOOK, GateContext
    from ..gates.trees.source import Source

    pin = pins.get(course.store.database, course.name)
    if pin is None:
        return "DIFF: (no baseline to compare with)"
    session = sessions.get(course.store.database, course.name)
    work = GateContext(
        course.store,
        session,
        root=place or session.place,
        settings=course.load_settings(session),
        environ=course.environ,
        by=HOOK,
        seconds=60.0,
    )
    source = Source(work)
    return "DIFF:\n" + _cut(source.patch(pin.tree, source.snapshot()), DIFF)


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[:limit]}\n({len(text) - limit:,} more characters omitted)"


_MORE = {roles.PLANNER: _findings, roles.VERIFIER: describe_diff, roles.REVIEWER: describe_diff}
