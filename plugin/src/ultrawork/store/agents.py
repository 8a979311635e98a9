"""Agents of a session: requested, started, ended; the files their tasks hold; and what clients report of sessions that run
inside them: where their transcripts are, and each message once."""

from collections.abc import Iterable

from ..core.run.prices import MessageUsage
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


class Transcript(Value):
    """A client's record of a session; `read_at` is when its messages were last stored, 0 if never."""

    session: str
    client: str
    path: str
    read_at: float
    started_at: float
    ended_at: float | None


_TRANSCRIPTS = (
    "SELECT session, client, path, read_at, started_at, ended_at FROM transcripts JOIN sessions ON sessions.id=session"
)


class MessageSum(Value):
    """The messages of one agent of a session, with one model, on one day."""

    session: str
    working_dir: str
    client: str
    day: str
    agent: str
    model: str
    tokens: int
    cost_usd: float | None
    unpriced: int
    estimated: int


def find_transcript(database: Database, session: str) -> Transcript | None:
    row = database.row(f"{_TRANSCRIPTS} WHERE session=?", session)
    return None if row is None else Transcript(*row)


def list_transcripts(database: Database, since: float) -> list[Transcript]:
    """Return those of sessions that were on since a time."""
    rows = database.rows(f"{_TRANSCRIPTS} WHERE coalesce(ended_at, updated_at)>=?", since)
    return [Transcript(*row) for row in rows]


def add(change: Change, priced: list[tuple[MessageUsage, float | None, bool]], read_at: float) -> None:
    """Store messages with their cost and whether we estimated it. One that is known gets its newest counts."""
    for message, cost, estimated in priced:
        change.database.rows(
            "INSERT OR REPLACE INTO messages (session, message, at, agent, model, tokens, cost_usd, estimated)"
            " VALUES (?,?,?,?,?,?,?,?)",
            change.session, message.message, message.at, message.agent, message.model, message.tokens,
            cost, int(estimated),
        )  # fmt: skip
    change.database.rows("UPDATE transcripts SET read_at=? WHERE session=?", read_at, change.session)


def list_message_sums(database: Database, since: float) -> list[MessageSum]:
    rows = database.rows(
        "SELECT messages.session, working_dir, client, strftime('%Y-%m-%d', at, 'unixepoch') AS day, agent,"
        " model, sum(tokens), sum(cost_usd), sum(tokens>0 AND cost_usd IS NULL), sum(estimated) FROM messages"
        " JOIN sessions ON sessions.id=messages.session JOIN transcripts ON transcripts.session=messages.session"
        " WHERE at>=? GROUP BY messages.session, agent, model, day",
        since,
    )
    return [MessageSum(*row) for row in rows]


def list_silent(database: Database, since: float) -> list[tuple[str, str, str, str]]:
    """Return session, folder, client and day of sessions inside a client that has reported nothing."""
    rows = database.rows(
        "SELECT session, working_dir, client, strftime('%Y-%m-%d', started_at, 'unixepoch') FROM transcripts"
        " JOIN sessions ON sessions.id=session WHERE started_at>=?"
        " AND NOT EXISTS (SELECT 1 FROM messages WHERE messages.session=transcripts.session)",
        since,
    )
    return [(session, place, client, day) for session, place, client, day in rows]


_CLAIM = "claim.judged"


def record_claim(change: Change, claim: str, agent: str = "") -> None:
    """Record what `core.stop.last_message` made of a last message in a planned session; `agent` is the client's id."""
    if claim:
        change.record(_CLAIM, {"claim": claim, "agent": agent})


def list_stop_claims(database: Database, since: float) -> list[tuple[str, str, str, str, str, str, bool]]:
    """Return each claim at a stop: session, folder, client, day, the agent and the model that made it, and whether a
    check refuted it."""
    rows = database.rows(
        "WITH claims AS (SELECT session, at, '' AS agent, claim FROM decisions WHERE claim<>'' UNION ALL"
        " SELECT session, at, json_extract(data, '$.agent'), json_extract(data, '$.claim') FROM events WHERE kind=?)"
        " SELECT c.session, working_dir, coalesce(client, ''), strftime('%Y-%m-%d', c.at, 'unixepoch'), c.agent,"
        " coalesce((SELECT model FROM messages m WHERE m.session=c.session AND m.at<=c.at"
        " AND m.agent IN (c.agent, 'agent-' || c.agent) ORDER BY m.at DESC LIMIT 1), ''), c.claim='refuted'"
        " FROM claims c JOIN sessions ON sessions.id=c.session LEFT JOIN transcripts t ON t.session=c.session"
        " WHERE c.at>=?",
        _CLAIM, since,
    )  # fmt: skip
    return [(*row[:6], bool(row[6])) for row in rows]


def sum_messages(database: Database, session: str = "") -> list[tuple[str, float | None, int, int]]:
    """Return per session the cost, how many messages lack one (a session that goes on lacks its next), and how many
    are estimates."""
    return database.rows(
        "SELECT session, sum(cost_usd), sum(tokens>0 AND cost_usd IS NULL) + (ended_at IS NULL), sum(estimated)"  # noqa: S608
        " FROM messages JOIN sessions ON sessions.id=session"
        f"{' WHERE session=?' if session else ''} GROUP BY session",
        *filter(None, (session,)),
    )
