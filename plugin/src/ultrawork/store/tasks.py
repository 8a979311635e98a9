"""Tasks in the database: created once, claimed by one agent, updated by its holder."""

from ..core import check
from ..core.errors import Conflict, NotFound, UsageError
from ..core.plan import evidence, graph
from ..core.plan.task import IN_PROGRESS, NEXT, PENDING, RESOLVED, SKIPPED, VERIFY, Task, move
from ..core.value import list_fields
from .codec import Columns, dumps, loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from .database import Change, Database

_BY_HAND = "task.settled-by-hand"

_LISTED = ("blocked_by", "evidence")  # in tables of their own
_COLUMNS = Columns((field for field in list_fields(Task) if field not in _LISTED), json=("criteria", "files"))
_SELECT = f"SELECT {_COLUMNS.names} FROM tasks WHERE session=?"  # noqa: S608
# One query instead of three: this runs for every task, repeatedly.
_LISTS = """
  (SELECT json_group_array(other) FROM needs WHERE session=?1 AND task=?2),
  (SELECT json_group_array(json(entry)) FROM (
    SELECT entry FROM evidence WHERE session=?1 AND task=?2 ORDER BY id))
"""
_WHOLE = f"SELECT {_COLUMNS.names}, {_LISTS} FROM tasks WHERE session=?1 AND id=?2"  # noqa: S608
_WAITS_FOR = """
SELECT other FROM needs JOIN tasks AS wanted ON wanted.session=?1 AND wanted.id=needs.other
WHERE needs.session=?1 AND needs.task=?2 AND wanted.status<>'resolved'
"""
_STARTABLE = ", ".join(f"'{status}'" for status, after in NEXT.items() if IN_PROGRESS in after)
_CLAIM = f"""
UPDATE tasks SET status=?3, owner=?4, token=token+1, attempts=attempts+1, updated_at=?5
WHERE session=?1 AND id=?2 AND status IN ({_STARTABLE}) AND NOT EXISTS ({_WAITS_FOR})
RETURNING {_COLUMNS.names}, {_LISTS}
"""  # noqa: S608
_READY = """
SELECT id FROM tasks WHERE session=?1 AND status='pending' AND id<>?2 AND NOT EXISTS (
  SELECT 1 FROM needs JOIN tasks AS wanted ON wanted.session=?1 AND wanted.id=needs.other
  WHERE needs.session=?1 AND needs.task=tasks.id AND wanted.status<>'resolved'
) ORDER BY place
"""


def list_all(database: "Database", session: str, *, status: str | None = None) -> list[Task]:
    """Return tasks in the order of the plan."""
    where, values = ("", [session]) if status is None else (" AND status=?", [session, status])
    rows = database.rows(f"{_SELECT}{where} ORDER BY place", *values)
    needs = _grouped(database, "SELECT task, other FROM needs WHERE session=?", session)
    entries = _grouped(database, "SELECT task, entry FROM evidence WHERE session=? ORDER BY id", session)
    # A plan may have thousands: their lists are read at once.
    criteria, files = _COLUMNS.load(rows, "criteria"), _COLUMNS.load(rows, "files")
    tasks = [_COLUMNS.read(Task, row, criteria=criteria[at], files=files[at]) for at, row in enumerate(rows)]
    for task in tasks:
        task.blocked_by = needs.get(task.id, [])
        if task.id in entries:
            task.evidence = [loads(entry) for entry in entries[task.id]]
    return tasks


def get(database: "Database", session: str, name: str) -> Task:
    row = database.row(_WHOLE, session, check.require_task_id(name))
    if row is None:
        raise NotFound(f"session {session} has no task {check.quote(name)}; list them: ultrawork task list")
    return _whole(row)


def _whole(row: "tuple[Any, ...]") -> Task:
    *own, needs, entries = row
    return _COLUMNS.read(Task, own, blocked_by=loads(needs), evidence=loads(entries))


def _grouped(database: "Database", sql: str, session: str) -> dict[str, list[str]]:
    result: dict[str, list[str]] = {}
    for task, value in database.rows(sql, session):
        result.setdefault(task, []).append(value)
    return result


def read_needs(database: "Database", session: str) -> dict[str, list[str]]:
    """Return the plan as a graph, in plan order."""
    result: dict[str, list[str]] = {
        name: [] for (name,) in database.rows("SELECT id FROM tasks WHERE session=? ORDER BY place", session)
    }
    for task, other in database.rows("SELECT task, other FROM needs WHERE session=?", session):
        result[task].append(other)
    return result


def count(database: "Database", session: str) -> int:
    total: int = database.value("SELECT count(*) FROM tasks WHERE session=?", session)
    return total


def count_statuses(database: "Database") -> "list[tuple[str, str, int]]":
    """Return of every session: its id, a status, and how many of its tasks have it."""
    return database.rows("SELECT session, status, count(*) FROM tasks WHERE id<>? GROUP BY session, status", VERIFY)


def list_statuses(database: "Database", session: str) -> "list[tuple[str, str]]":
    return database.rows("SELECT id, status FROM tasks WHERE session=?", session)


def create(change: "Change", tasks: "Sequence[Task]") -> None:
    """Adds tasks to a session's plan, all or none; the plan stays a graph without cycles."""
    database, session = change.database, change.session
    needs = read_needs(database, session)
    _refuse_known(needs, tasks)
    place = len(needs)
    needs.update({task.id: task.blocked_by for task in tasks})
    graph.check(needs)
    database.execute_many(
        f"INSERT INTO tasks (session, place, {_COLUMNS.names}) VALUES (?,?,{_COLUMNS.marks})",  # noqa: S608
        [(session, place + offset, *_COLUMNS.write(task)) for offset, task in enumerate(tasks)],
    )
    database.execute_many(
        "INSERT INTO needs (session, task, other) VALUES (?,?,?)",
        [(session, task.id, other) for task in tasks for other in task.blocked_by],
    )
    for task in tasks:
        if task.evidence:
            _add_evidence(change, task.id, task.evidence)
    change.record("tasks.created", {"tasks": [task.id for task in tasks]})
    change.touch(*(f"task:{task.id}" for task in tasks))


def leave_out(change: "Change", name: str) -> None:
    """Remove a skipped task from all needs."""
    change.database.rows("DELETE FROM needs WHERE session=? AND other=?", change.session, name)
    change.touch(*(f"task:{task}" for task in read_needs(change.database, change.session)))


def wait_for_all(change: "Change", name: str) -> None:
    """Make a task wait for every other one, so that verification comes last."""
    change.database.rows(
        "INSERT OR IGNORE INTO needs (session, task, other)"
        " SELECT session, ?2, id FROM tasks WHERE session=?1 AND id<>?2"
        " AND EXISTS (SELECT 1 FROM tasks AS one WHERE one.session=?1 AND one.id=?2)",
        change.session, name,
    )  # fmt: skip
    change.touch(f"task:{name}")


def _refuse_known(needs: "dict[str, list[str]]", tasks: "Sequence[Task]") -> None:
    known = {name.lower(): name for name in needs}
    for task in tasks:
        if task.id.lower() in known:
            raise Conflict(f"task {task.id} already exists (as {known[task.id.lower()]}); choose another id")
        known[task.id.lower()] = task.id


def claim(change: "Change", owner: str, name: str | None = None) -> Task | None:
    """Give a ready task to one owner, with a new fencing token; None if nothing is ready."""
    database, session = change.database, change.session
    if name is None:
        name = database.value(_READY + "LIMIT 1", session, VERIFY)
        if name is None:
            return None
    row = database.row(_CLAIM, session, check.require_task_id(name), IN_PROGRESS, owner, change.now)
    if row is None:
        _refuse(database, session, get(database, session, name))
    assert row is not None
    task = _whole(row)
    change.record("task.claimed", {"task": name, "owner": owner, "token": task.token})
    change.touch(f"task:{name}")
    return task


def _refuse(database: "Database", session: str, task: Task) -> None:
    """Raise with the reason why a task cannot be claimed."""
    if task.status == IN_PROGRESS:
        raise Conflict(f"task {task.id} is claimed by {task.owner or 'another worker'} (token {task.token})")
    waiting = database.rows(_WAITS_FOR + "LIMIT 5", session, task.id)
    if waiting:
        raise Conflict(f"task {task.id} waits for {', '.join(other for (other,) in waiting)}")
    move(task.status, IN_PROGRESS)


def list_ready(database: "Database", session: str) -> list[str]:
    return [name for (name,) in database.rows(_READY, session, VERIFY)]


def update(
    change: "Change",
    named: str | Task,
    *,
    status: str | None = None,
    evidence: "Sequence[object]" = (),
    reason: str | None = None,
    retry_count: int | None = None,
    owner: str | None = None,
    token: int | None = None,
) -> Task:
    """Set a status, add evidence, give a reason: one change, refused whole if a part is illegal. The task may be
    passed as read inside this change; after a refusal it must be read again."""
    task = named if isinstance(named, Task) else get(change.database, change.session, named)
    _refuse_stale(task, owner, token)
    task.evidence = [*task.evidence, *evidence]
    if status is not None:
        _move(task, status, reason)
    if reason is not None:
        task.reason = reason
    if retry_count is not None:
        task.retry_count = retry_count
    task.updated_at = change.now
    change.database.rows(
        "UPDATE tasks SET status=?, owner=?, retry_count=?, reason=?, updated_at=? WHERE session=? AND id=?",
        task.status, task.owner, task.retry_count, task.reason, change.now, change.session, task.id,
    )  # fmt: skip
    _add_evidence(change, task.id, evidence)
    details = {"task": task.id, "status": status, "evidence": list(evidence), "reason": reason}
    change.record("task.updated", details if retry_count is None else {**details, "retry": retry_count})
    change.touch(f"task:{task.id}")
    return task


def give_back(change: "Change", name: str, reason: str) -> None:
    """Return a task that failed without the agent's fault: it was not an attempt; a new claim gets a new token."""
    update(change, name, status=PENDING, reason=reason)
    change.database.rows("UPDATE tasks SET attempts=max(0, attempts-1) WHERE session=? AND id=?", change.session, name)


def resolve_verify(change: "Change", evidence: str) -> None:
    """Resolve the verify task by the verdict: no agent works on it, and it waits for nothing that was skipped."""
    for task in list_all(change.database, change.session, status=PENDING):
        if task.is_verify:
            change.database.rows(
                "DELETE FROM needs WHERE session=?1 AND task=?2"
                " AND other IN (SELECT id FROM tasks WHERE session=?1 AND status=?3)",
                change.session, task.id, SKIPPED,
            )  # fmt: skip
            claim(change, "ultrawork", task.id)
            update(change, task.id, status=RESOLVED, evidence=[evidence])


def _refuse_stale(task: Task, owner: str | None, token: int | None) -> None:
    if owner is not None and owner != task.owner:
        raise Conflict(f"task {task.id} is claimed by {task.owner or 'no one'}, not by {owner}")
    if token is not None and token != task.token:
        raise Conflict(f"task {task.id} was claimed again since (token {task.token}, yours is {token})")


def _move(task: Task, status: str, reason: str | None) -> None:
    task.status = move(task.status, status, reason=reason or "")
    if status == RESOLVED:
        hedges = evidence.find_only_hedges(task.evidence)
        if hedges:
            raise UsageError(
                f'task {task.id} cannot be resolved with evidence that only says "{hedges[0]}"; add the command and its output'
            )
    if status != IN_PROGRESS:
        task.owner = None


def _add_evidence(change: "Change", name: str, entries: "Sequence[object]") -> None:
    change.database.execute_many(
        "INSERT INTO evidence (session, task, at, entry) VALUES (?,?,?,?)",
        [(change.session, name, change.now, dumps(entry)) for entry in entries],
    )


def record_by_hand(change: "Change", task: Task, where: str) -> None:
    """Record that the user settled a task, where its criteria would have decided."""
    change.record(_BY_HAND, {"task": task.id, "status": task.status, "at": where})


def list_settled_by_hand(database: "Database", session: str) -> list[str]:
    rows = database.rows("SELECT data FROM events WHERE session=? AND kind=? ORDER BY id", session, _BY_HAND)
    return list(dict.fromkeys(str(loads(data)["task"]) for (data,) in rows))
