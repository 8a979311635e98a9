"""Agents of a session: requested, started, ended; and the files their tasks hold."""

from collections.abc import Iterable

from ..core.value import Value, list_fields
from .codec import Columns, loads
from .database import Change, Database

LAPSE = 60.0


class AgentCall(Value):
    """One call of an agent; `agent` is the client's id once it is known."""

    call: str
    role: str
    subject: str
    model: str
    asked_at: float
    agent: str | None
    started_at: float | None
    ended_at: float | None


_COLUMNS = Columns(list_fields(AgentCall))
_SELECT = f"SELECT {_COLUMNS.names} FROM agents WHERE session=?"  # noqa: S608


def ask(change: Change, *, call: str, role: str, subject: str, model: str) -> None:
    change.database.rows(
        "INSERT OR REPLACE INTO agents (session, call, role, subject, model, asked_at)"
        " VALUES (?,?,?,?,?,?)",
        change.session, call, role, subject, model, change.now,
    )  # fmt: skip
    change.record("agent.asked", {"call": call, "role": role, "subject": subject, "model": model})


def mark_started(change: Change, call: str, agent: str) -> None:
    change.database.rows(
        "UPDATE agents SET agent=?, started_at=coalesce(started_at, ?) WHERE session=? AND call=?",
        agent, change.now, change.session, call,
    )  # fmt: skip


def mark_spawned(change: Change, call: str) -> None:
    """Record that the client started it; its id comes later."""
    change.database.rows(
        "UPDATE agents SET started_at=coalesce(started_at, ?) WHERE session=? AND call=?",
        change.now, change.session, call,
    )  # fmt: skip


def mark_ended(change: Change, call: str) -> None:
    change.database.rows("UPDATE agents SET ended_at=? WHERE session=? AND call=?", change.now, change.session, call)
    change.record("agent.ended", {"call": call})


_OPENED, _CLOSED = "agent.opened", "agent.closed"


def record_opened(change: Change, agent: str) -> None:
    """Record that it keeps its seat in the client after its end, until it is closed."""
    change.record(_OPENED, {"agent": agent})


def record_closed(change: Change, agent: str) -> None:
    change.record(_CLOSED, {"agent": agent})


def has_opened(database: Database, session: str) -> bool:
    return bool(database.value("SELECT 1 FROM events WHERE session=? AND kind=? LIMIT 1", session, _OPENED))


def list_unclosed(database: Database, session: str) -> list[str]:
    """Ids in the order in which they were opened."""
    rows = database.rows(
        "SELECT kind, data FROM events WHERE session=? AND kind IN (?,?) ORDER BY id", session, _OPENED, _CLOSED
    )
    agents: dict[str, bool] = {}
    for kind, data in rows:
        agents[str(loads(data).get("agent"))] = kind == _OPENED
    return [agent for agent, is_open in agents.items() if is_open]


def find_by_call(database: Database, session: str, call: str) -> AgentCall | None:
    return _first(_list(database, " AND call=?", session, call))


def find_by_agent(database: Database, session: str, agent: str) -> AgentCall | None:
    return _first(_list(database, " AND agent=? ORDER BY asked_at DESC LIMIT 1", session, agent))


def list_at_work(database: Database, session: str, *, now: float) -> list[AgentCall]:
    """Return agents that have not ended; one that never started lapses after a minute."""
    where = " AND ended_at IS NULL AND (started_at IS NOT NULL OR asked_at>?)"
    return _list(database, where, session, now - LAPSE)


def list_lapsed(database: Database, session: str, *, now: float) -> list[AgentCall]:
    """Return agents that were requested more than a minute ago and never started."""
    where = " AND ended_at IS NULL AND started_at IS NULL AND asked_at<=?"
    return _list(database, where, session, now - LAPSE)


def list_all(database: Database, session: str) -> list[AgentCall]:
    return _list(database, " ORDER BY asked_at", session)


def _list(database: Database, where: str, *values: object) -> list[AgentCall]:
    return [_COLUMNS.read(AgentCall, row) for row in database.rows(_SELECT + where, *values)]


def _first(agent_calls: list[AgentCall]) -> AgentCall | None:
    return agent_calls[0] if agent_calls else None


def lease(change: Change, task: str, paths: Iterable[str]) -> None:
    change.database.execute_many(
        "INSERT OR REPLACE INTO leases (session, path, task, at) VALUES (?,?,?,?)",
        [(change.session, path, task, change.now) for path in paths],
    )


def release(change: Change, task: str) -> None:
    change.database.rows("DELETE FROM leases WHERE session=? AND task=?", change.session, task)


def read_holders(database: Database, session: str) -> dict[str, str]:
    """Return path → the task that holds it."""
    return dict(database.rows("SELECT path, task FROM leases WHERE session=?", session))


_REFUTED = "claim.refuted"
_SAID = 500


def record_refuted(change: Change, subject: str, message: str, why: str) -> None:
    """Record what an agent said last, and what a run showed against it."""
    if message.strip():
        details = {"subject": subject, "said": message.strip()[:_SAID], "why": why[:_SAID]}
        change.record(_REFUTED, details)


def list_refuted(database: Database, session: str) -> list[dict[str, str]]:
    rows = database.rows("SELECT data FROM events WHERE session=? AND kind=? ORDER BY id", session, _REFUTED)
    return [{key: str(value) for key, value in loads(row[0]).items()} for row in rows]
