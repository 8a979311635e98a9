"""Attempts in the database: claimed and finished together with their task, fenced by their epoch.

Also what they cost and came to, summed over one session or many, and when a provider may be asked again: starts within
its rate, and limits that it named itself, shared by everything that starts agents on this machine."""

from collections.abc import Sequence

from ..core.errors import UsageError
from ..core.plan.task import FAILED, IN_PROGRESS, MAX_RETRY, PENDING, RESOLVED, Task
from ..core.run import prices
from ..core.run.rate_limits import Bucket, Rate, find_start_wait, take_start
from ..core.value import Value, list_fields
from . import tasks
from .codec import Columns
from .database import Change, Database

RUNNING = "running"
ENDED = "ended"
LOST = "lost"
OWNER = "engine"


class AttemptRow(Value):
    """One attempt as stored; `status` is what its subject became, `machine` and `account` are empty for this
    machine's."""

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
    machine: str
    account: str


_COLUMNS = Columns(list_fields(AttemptRow))
_SELECT = f"SELECT {_COLUMNS.names} FROM attempts WHERE session=?"  # noqa: S608


class AttemptEnd(Value):
    """How an attempt went: `status` is its subject's next one; PENDING returns what was not an attempt."""

    status: str
    reason: str = ""
    state: str = ENDED
    why: str = ""
    code: int | None = None
    evidence: Sequence[object] = ()
    started_at: float | None = None
    ended_at: float | None = None
    tokens: int = 0
    cost_usd: float | None = None
    commit: str = ""
    machine: str = ""
    account: str = ""


class OpenedAttempt(Value):
    """A granted claim; `task` is the plan's, if the subject is a task."""

    epoch: int
    folder: str
    task: Task | None


def claim(
    change: Change,
    subject: str,
    role: str,
    *,
    folder: str,
    backend: str,
    is_task: bool,
    model: str = "",
    account: str = "",
    reserved_tokens: int = 0,
    reserved_usd: float = 0.0,
) -> OpenedAttempt:
    """Opens the next attempt at a subject; the epoch of a task's is the task's fencing token."""
    database, session = change.database, change.session
    task = tasks.claim(change, OWNER, subject) if is_task else None
    epoch = task.token if task else _next_epoch(change, subject, role)
    opened = OpenedAttempt(epoch, f"{folder}/{subject}.{epoch}", task)
    database.rows(
        "INSERT INTO attempts (session, subject, epoch, role, backend, model, state, folder, claimed_at,"
        " why, status, reason, reserved_tokens, reserved_usd, tokens, result, account)"
        " VALUES (?,?,?,?,?,?,?,?,?,'','','',?,?,0,'',?)",
        session, subject, epoch, role, backend, model, RUNNING, opened.folder, change.now,
        reserved_tokens, reserved_usd, account,
    )  # fmt: skip
    return opened


def _next_epoch(change: Change, subject: str, role: str) -> int:
    newest: int | None = change.database.value(
        "SELECT max(epoch) FROM attempts WHERE session=? AND subject=?", change.session, subject
    )
    epoch = (newest or 0) + 1
    change.record("attempt.claimed", {"subject": subject, "role": role, "epoch": epoch})
    return epoch


def finish(change: Change, subject: str, epoch: int, end: AttemptEnd, *, is_task: bool) -> str:
    """Record the end of an attempt once, and its subject's new status, which is returned. Empty if it was recorded
    before. A task that was taken from this attempt meanwhile stays."""
    if not _close(change, subject, epoch, end):
        return ""
    status = _finish_task(change, subject, epoch, end) if is_task else _next(change, subject, end)
    change.record(
        "attempt.ended",
        {
            "subject": subject, "epoch": epoch, "why": end.why, "code": end.code, "status": status,
            "tokens": end.tokens, "cost_usd": end.cost_usd, "commit": end.commit,
        },
    )  # fmt: skip
    return status


def _close(change: Change, subject: str, epoch: int, end: AttemptEnd) -> bool:
    closed = change.database.rows(
        "UPDATE attempts SET state=?, why=?, code=?, status=?, reason=?, started_at=?, ended_at=?,"
        " tokens=?, cost_usd=?, result=?, machine=?, account=coalesce(nullif(?, ''), account),"
        " reserved_tokens=0, reserved_usd=0"
        " WHERE session=? AND subject=? AND epoch=? AND state='running' RETURNING 1",
        end.state, end.why, end.code, end.status, end.reason, end.started_at,
        change.now if end.ended_at is None else end.ended_at, end.tokens, end.cost_usd, end.commit,
        end.machine, end.account, change.session, subject, epoch,
    )  # fmt: skip
    return bool(closed)


def _finish_task(change: Change, name: str, epoch: int, end: AttemptEnd) -> str:
    task = tasks.get(change.database, change.session, name)
    if task.token != epoch or task.status != IN_PROGRESS:
        return task.status
    if end.status == PENDING:
        tasks.give_back(change, name, end.reason)
        return PENDING
    status = _moved(change, task, end)
    if status == FAILED and task.may_retry:
        tried = task.retry_count + 1
        return tasks.update(change, name, status=PENDING, retry_count=tried).status
    return status


def _next(change: Change, subject: str, end: AttemptEnd) -> str:
    """Return the next status; a subject that is not a task has the same number of tries, each time it is requested."""
    ends = [row.status for row in list_of_subject(change.database, change.session, subject)]
    good = [number for number, status in enumerate(ends, 1) if status == RESOLVED]
    failed = ends[max(good, default=0) :].count(FAILED)
    again = end.status == FAILED and failed <= MAX_RETRY
    return PENDING if again else end.status


def _moved(change: Change, task: Task, end: AttemptEnd) -> str:
    reason = end.reason or None
    try:
        return tasks.update(change, task, status=end.status, evidence=end.evidence, reason=reason).status
    except UsageError as error:  # evidence that shows nothing
        return tasks.update(change, task.id, status=FAILED, reason=str(error)).status


def list_running(database: Database, session: str) -> list[AttemptRow]:
    return _list(database, " AND state='running' ORDER BY claimed_at", session)


def list_of_subject(database: Database, session: str, subject: str) -> list[AttemptRow]:
    """Oldest first."""
    return _list(database, " AND subject=? ORDER BY epoch", session, subject)


def list_all(database: Database, session: str) -> list[AttemptRow]:
    return _list(database, " ORDER BY claimed_at, subject", session)


def _list(database: Database, where: str, *values: object) -> list[AttemptRow]:
    return [_COLUMNS.read(AttemptRow, row) for row in database.rows(_SELECT + where, *values)]


def list_open_folders(database: Database, backend: str, account: str = "") -> list[str]:
    """Return folders of all sessions, because a provider does not care which one asks; the lock shows whether one
    runs. For an account, include those that any machine may still take."""
    rows = database.rows("SELECT folder, account FROM attempts WHERE backend=? AND state='running'", backend)
    return [folder for folder, paid in rows if not account or paid in ("", account)]


def count_losses(database: Database, session: str, subject: str, *, but: str = "") -> int:
    """Return how many of its newest attempts were lost in a row, beside a running one; those with the reason `but` are
    ignored."""
    rows = [row for row in list_of_subject(database, session, subject) if row.state != RUNNING]
    states = [row.state for row in rows if row.state != LOST or not but or row.why != but]
    kept = [number for number, state in enumerate(states, 1) if state != LOST]
    return len(states) - max(kept, default=0)


def note_course(change: Change, subject: str, epoch: int, course: tuple[int, float | None, str, str]) -> None:
    """Record what a running agent has spent so far, where and on whose account; its end replaces that."""
    change.database.rows(
        "UPDATE attempts SET tokens=?, cost_usd=?, machine=?, account=coalesce(nullif(?, ''), account)"
        " WHERE session=? AND subject=? AND epoch=? AND state='running'",
        *course, change.session, subject, epoch,
    )  # fmt: skip


LONGEST_BLOCK = 8 * 86_400.0  # a weekly limit, and a day


def read_bucket(database: Database, name: str, rate: Rate, now: float) -> Bucket:
    row = database.row("SELECT remaining, at, blocked_until FROM providers WHERE name=?", name)
    return Bucket(*row) if row else Bucket(float(rate.burst), now)


def find_wait(database: Database, name: str, rate: Rate, now: float) -> float:
    """Return seconds until it may be called; takes nothing."""
    return find_start_wait(read_bucket(database, name, rate, now), rate, now)


def claim_start(database: Database, name: str, rate: Rate, now: float) -> float:
    """Take one start from the bucket, inside a transaction; else return the seconds to wait."""
    bucket = read_bucket(database, name, rate, now)
    seconds = find_start_wait(bucket, rate, now)
    if not seconds and rate.per_minute:
        _save_bucket(database, name, take_start(bucket, rate, now))
    return seconds


def block_provider(database: Database, name: str, until: float, now: float) -> None:
    """Record the provider's own limit: it is not used before then."""
    bucket = read_bucket(database, name, Rate(), now)
    until = min(max(bucket.blocked_until, until), now + LONGEST_BLOCK)
    _save_bucket(database, name, Bucket(bucket.left, bucket.at, until))


def list_providers(database: Database) -> list[tuple[str, float]]:
    """Return each provider that was ever limited, with the end of its limit."""
    rows = database.rows("SELECT name, blocked_until FROM providers ORDER BY name")
    return [(name, until) for name, until in rows]


def clear_provider(database: Database, name: str) -> None:
    """Allow a provider again on the user's command."""
    database.rows("UPDATE providers SET blocked_until=0 WHERE name=?", name)


def _save_bucket(database: Database, name: str, value: Bucket) -> None:
    database.rows(
        "INSERT OR REPLACE INTO providers (name, remaining, at, blocked_until) VALUES (?,?,?,?)",
        name, value.left, value.at, value.blocked_until,
    )  # fmt: skip


def sum_spent(database: Database, session: str, now: float, *, reserved: bool = True) -> prices.Amount:
    """Return what was spent, and if `reserved` also what running agents may still spend."""
    agents, tokens, usd, first = database.rows(
        "SELECT coalesce(sum(state<>'lost'), 0), coalesce(sum(max(tokens, ? * reserved_tokens)), 0),"
        " coalesce(sum(max(coalesce(cost_usd, 0), ? * reserved_usd)), 0), min(claimed_at)"
        " FROM attempts WHERE session=?",
        int(reserved), int(reserved), session,
    )[0]  # fmt: skip
    minutes = 0.0 if first is None else max(0.0, now - first) / 60
    return prices.Amount(agents, tokens=tokens, usd=usd, minutes=minutes)


def sum_by_backend(database: Database, session: str) -> list[tuple[str, int, int, float | None]]:
    """Return attempts, tokens and money per program; None where the cost is unknown."""
    rows = database.rows(
        "SELECT backend, sum(state<>'lost'), coalesce(sum(tokens), 0), sum(cost_usd) FROM attempts"
        " WHERE session=? GROUP BY backend ORDER BY min(claimed_at)",
        session,
    )
    return [(name, agents, tokens, usd) for name, agents, tokens, usd in rows]


def sum_by_session(database: Database, session: str = "") -> list[tuple[str, float | None, int, int]]:
    """Return of every session, or of one: its id, the money if known, how many attempts lack it, how many are estimates."""
    return database.rows(
        "SELECT session, sum(cost_usd), sum(tokens>0 AND cost_usd IS NULL),"  # noqa: S608
        " sum(cost_usd>0 AND (state='running' OR code IS NOT 0)) FROM attempts"
        f"{' WHERE session=?' if session else ''} GROUP BY session",
        *filter(None, (session,)),
    )


class AttemptFact(Value):
    """What sums over many sessions need of one ended attempt; `day` is that of its claim, in UTC."""

    session: str
    working_dir: str
    day: str
    backend: str
    role: str
    model: str
    status: str
    code: int | None
    tokens: int
    cost_usd: float | None


def list_facts(database: Database, since: float) -> list[AttemptFact]:
    rows = database.rows(
        "SELECT session, working_dir, strftime('%Y-%m-%d', claimed_at, 'unixepoch'), backend, role, model,"
        " status, code, tokens, cost_usd FROM attempts JOIN sessions ON sessions.id=session"
        " WHERE claimed_at>=? AND attempts.state<>'running'",
        since,
    )
    return [AttemptFact(*row) for row in rows]


def count_unpriced(database: Database, session: str) -> int:
    """Count attempts that used tokens of unknown cost."""
    return int(
        database.value("SELECT count(*) FROM attempts WHERE session=? AND tokens>0 AND cost_usd IS NULL", session)
    )


def has_estimates(database: Database, session: str) -> bool:
    """Return whether some of the cost is our estimate: of agents that run, or did not end regularly."""
    return bool(
        database.value(
            "SELECT count(*) FROM attempts WHERE session=? AND cost_usd>0 AND (state='running' OR code IS NOT 0)",
            session,
        )
    )


def count_failed(database: Database, session: str) -> int | None:
    """Count attempts that were rejected; None if there were no attempts."""
    failed: int | None = database.value("SELECT sum(status=?) FROM attempts WHERE session=?", FAILED, session)
    return failed
