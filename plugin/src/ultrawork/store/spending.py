"""What attempts cost and came to: sums over the attempts of one session, or of many."""

from ..core.plan import task
from ..core.run import prices
from ..core.value import Value
from .database import Database


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
    failed: int | None = database.value("SELECT sum(status=?) FROM attempts WHERE session=?", task.FAILED, session)
    return failed
