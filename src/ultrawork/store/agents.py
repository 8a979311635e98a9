"""Agents of a session: asked for, started, ended; and the files their tasks hold."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from .change import Change
    from .database import Database

LAPSE = 60.0


class AgentCall:
    """One call of an agent; `agent` is the client's id once it is known."""

    __slots__ = ("agent", "asked_at", "call", "ended_at", "model", "role", "started_at", "subject")

    def __init__(self, row: "tuple[Any, ...]") -> None:
        self.call, self.role, self.subject, self.model, self.asked_at = row[:5]
        self.agent, self.started_at, self.ended_at = row[5:]


_COLUMNS = "call, role, subject, model, asked_at, agent, started_at, ended_at"


def ask(change: "Change", *, call: str, role: str, subject: str, model: str) -> None:
    change.database.rows(
        "INSERT OR REPLACE INTO agents (session, call, role, subject, model, asked_at)"
        " VALUES (?,?,?,?,?,?)",
        change.session, call, role, subject, model, change.now,
    )  # fmt: skip
    change.record("agent.asked", {"call": call, "role": role, "subject": subject, "model": model})


def mark_started(change: "Change", call: str, agent: str) -> None:
    change.database.rows(
        "UPDATE agents SET agent=?, started_at=coalesce(started_at, ?) WHERE session=? AND call=?",
        agent, change.now, change.session, call,
    )  # fmt: skip


def mark_ended(change: "Change", call: str) -> None:
    change.database.rows(
        "UPDATE agents SET ended_at=? WHERE session=? AND call=?", change.now, change.session, call
    )
    change.record("agent.ended", {"call": call})


def find_by_call(database: "Database", session: str, call: str) -> AgentCall | None:
    row = database.row(
        f"SELECT {_COLUMNS} FROM agents WHERE session=? AND call=?",  # noqa: S608 (a constant)
        session, call,
    )  # fmt: skip
    return None if row is None else AgentCall(row)


def find_by_agent(database: "Database", session: str, agent: str) -> AgentCall | None:
    row = database.row(
        f"SELECT {_COLUMNS} FROM agents WHERE session=? AND agent=? ORDER BY asked_at DESC LIMIT 1",  # noqa: S608 (a constant)
        session, agent,
    )  # fmt: skip
    return None if row is None else AgentCall(row)


def list_at_work(database: "Database", session: str, *, now: float) -> list[AgentCall]:
    """Those that have not ended; one that was asked for and never started lapses after a minute."""
    rows = database.rows(
        f"SELECT {_COLUMNS} FROM agents WHERE session=? AND ended_at IS NULL"  # noqa: S608 (a constant)
        " AND (started_at IS NOT NULL OR asked_at>?)",
        session, now - LAPSE,
    )  # fmt: skip
    return [AgentCall(row) for row in rows]


def list_lapsed(database: "Database", session: str, *, now: float) -> list[AgentCall]:
    """Those that were asked for more than a minute ago and never started."""
    rows = database.rows(
        f"SELECT {_COLUMNS} FROM agents WHERE session=? AND ended_at IS NULL"  # noqa: S608 (a constant)
        " AND started_at IS NULL AND asked_at<=?",
        session, now - LAPSE,
    )  # fmt: skip
    return [AgentCall(row) for row in rows]


def list_all(database: "Database", session: str) -> list[AgentCall]:
    sql = f"SELECT {_COLUMNS} FROM agents WHERE session=? ORDER BY asked_at"  # noqa: S608 (a constant)
    return [AgentCall(row) for row in database.rows(sql, session)]


def lease(change: "Change", task: str, paths: "Iterable[str]") -> None:
    change.database.execute_many(
        "INSERT OR REPLACE INTO leases (session, path, task, at) VALUES (?,?,?,?)",
        [(change.session, path, task, change.now) for path in paths],
    )


def release(change: "Change", task: str) -> None:
    change.database.rows("DELETE FROM leases WHERE session=? AND task=?", change.session, task)


def read_holders(database: "Database", session: str) -> dict[str, str]:
    """Path → the task that holds it."""
    return dict(database.rows("SELECT path, task FROM leases WHERE session=?", session))
