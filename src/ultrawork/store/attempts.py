"""Attempts in the database: claimed and finished together with their task, fenced by their epoch."""

from ..core import budget, statuses
from ..core.errors import UsageError
from . import tasks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from ..core.task import Task
    from .change import Change
    from .database import Database

RUNNING = "running"
ENDED = "ended"
LOST = "lost"
OWNER = "engine"
_COLUMNS = (
    "subject", "epoch", "role", "backend", "model", "state", "folder", "claimed_at", "started_at",
    "ended_at", "code", "why", "status", "reason", "reserved_tokens", "reserved_usd", "tokens",
    "cost_usd", "result",
)  # fmt: skip
_SELECT = f"SELECT {', '.join(_COLUMNS)} FROM attempts WHERE "  # noqa: S608 (constants)


class Row:
    """One attempt as it is stored; `status` is what its subject became by it."""

    __slots__ = _COLUMNS
    subject: str
    epoch: int
    role: str
    backend: str
    model: str
    state: str
    folder: str
    claimed_at: float
    started_at: float | None
    ended_at: float | None
    code: int | None
    why: str
    status: str
    reason: str
    reserved_tokens: int
    reserved_usd: float
    tokens: int
    cost_usd: float | None
    result: str

    def __init__(self, row: "tuple[Any, ...]") -> None:
        for name, value in zip(_COLUMNS, row, strict=True):
            setattr(self, name, value)

    def document(self) -> "dict[str, Any]":
        return {name: getattr(self, name) for name in _COLUMNS}


class End:
    """How an attempt went: `status` is its subject's next one; PENDING gives back what was no attempt."""

    __slots__ = (
        "code", "commit", "cost_usd", "ended_at", "evidence", "reason", "started_at", "state", "status",
        "tokens", "why",
    )  # fmt: skip

    def __init__(
        self,
        status: str,
        reason: str = "",
        *,
        state: str = ENDED,
        why: str = "",
        code: int | None = None,
        evidence: "Sequence[object]" = (),
        started_at: float | None = None,
        ended_at: float | None = None,
        tokens: int = 0,
        cost_usd: float | None = None,
        commit: str = "",
    ) -> None:
        self.status = status
        self.reason = reason
        self.state = state
        self.why = why
        self.code = code
        self.evidence = evidence
        self.started_at = started_at
        self.ended_at = ended_at
        self.tokens = tokens
        self.cost_usd = cost_usd
        self.commit = commit


def claim(
    change: "Change",
    subject: str,
    role: str,
    *,
    folder: str,
    backend: str,
    model: str = "",
    is_task: bool = False,
    reserved_tokens: int = 0,
    reserved_usd: float = 0.0,
) -> int:
    """Opens the next attempt at a subject and gives its epoch; of a task that is its fencing token."""
    database, session = change.database, change.session
    if is_task:
        task = tasks.claim(change, OWNER, subject)
        assert task is not None, "a task that is named is given or refused"
        epoch = task.token
    else:
        newest = database.value(
            "SELECT max(epoch) FROM attempts WHERE session=? AND subject=?", session, subject
        )
        epoch = (newest or 0) + 1
        change.record("attempt.claimed", {"subject": subject, "role": role, "epoch": epoch})
    database.rows(
        "INSERT INTO attempts (session, subject, epoch, role, backend, model, state, folder, claimed_at,"
        " why, status, reason, reserved_tokens, reserved_usd, tokens, result)"
        " VALUES (?,?,?,?,?,?,?,?,?,'','','',?,?,0,'')",
        session, subject, epoch, role, backend, model, RUNNING, f"{folder}/{subject}.{epoch}",
        change.now, reserved_tokens, reserved_usd,
    )  # fmt: skip
    return epoch


def finish(change: "Change", subject: str, epoch: int, end: End, *, is_task: bool = False) -> str:
    """
    Records the end of an attempt once, and what becomes of its subject; gives the subject's status.

    Empty if it was recorded before. A task that was taken from this attempt meanwhile stays as it is.
    """
    if not _close(change, subject, epoch, end):
        return ""
    status = _finish_task(change, subject, epoch, end) if is_task else end.status
    change.record(
        "attempt.ended",
        {
            "subject": subject, "epoch": epoch, "why": end.why, "code": end.code, "status": status,
            "tokens": end.tokens, "cost_usd": end.cost_usd, "commit": end.commit,
        },
    )  # fmt: skip
    return status


def _close(change: "Change", subject: str, epoch: int, end: End) -> bool:
    closed = change.database.rows(
        "UPDATE attempts SET state=?, why=?, code=?, status=?, reason=?, started_at=?, ended_at=?,"
        " tokens=?, cost_usd=?, result=?, reserved_tokens=0, reserved_usd=0"
        " WHERE session=? AND subject=? AND epoch=? AND state='running' RETURNING 1",
        end.state, end.why, end.code, end.status, end.reason, end.started_at,
        change.now if end.ended_at is None else end.ended_at, end.tokens, end.cost_usd, end.commit,
        change.session, subject, epoch,
    )  # fmt: skip
    return bool(closed)


def _finish_task(change: "Change", name: str, epoch: int, end: End) -> str:
    task = tasks.get(change.database, change.session, name)
    if task.token != epoch or task.status != statuses.IN_PROGRESS:
        return task.status
    if end.status == statuses.PENDING:
        tasks.give_back(change, name, end.reason)
        return statuses.PENDING
    status = _moved(change, task, end)
    if status == statuses.FAILED and task.may_retry:
        again = task.retry_count + 1
        return tasks.update(change, name, status=statuses.PENDING, retry_count=again).status
    return status


def _moved(change: "Change", task: "Task", end: End) -> str:
    reason = end.reason or None
    try:
        return tasks.update(
            change, task.id, status=end.status, evidence=end.evidence, reason=reason
        ).status
    except UsageError as error:  # evidence that shows nothing
        return tasks.update(change, task.id, status=statuses.FAILED, reason=str(error)).status


def get(database: "Database", session: str, subject: str, epoch: int) -> Row | None:
    row = database.row(f"{_SELECT}session=? AND subject=? AND epoch=?", session, subject, epoch)
    return None if row is None else Row(row)


def running(database: "Database", session: str) -> list[Row]:
    rows = database.rows(f"{_SELECT}session=? AND state='running' ORDER BY claimed_at", session)
    return [Row(row) for row in rows]


def of_subject(database: "Database", session: str, subject: str) -> list[Row]:
    """Oldest first."""
    rows = database.rows(f"{_SELECT}session=? AND subject=? ORDER BY epoch", session, subject)
    return [Row(row) for row in rows]


def listed(database: "Database", session: str) -> list[Row]:
    rows = database.rows(f"{_SELECT}session=? ORDER BY claimed_at, subject", session)
    return [Row(row) for row in rows]


def at_work(database: "Database", backend: str) -> int:
    """Of all sessions: a provider does not care which one asks."""
    found: int = database.value(
        "SELECT count(*) FROM attempts WHERE backend=? AND state='running'", backend
    )
    return found


def spent(database: "Database", session: str) -> budget.Amount:
    """What was spent, and what those at work may still spend."""
    agents, tokens, usd = database.rows(
        "SELECT count(*), coalesce(sum(tokens + reserved_tokens), 0),"
        " coalesce(sum(coalesce(cost_usd, 0) + reserved_usd), 0) FROM attempts"
        " WHERE session=? AND state<>'lost'",
        session,
    )[0]
    return budget.Amount(agents, tokens=tokens, usd=usd)
