"""What clients report of sessions that run inside them: where their transcripts are, and each message once."""

from ..core.run.prices import MessageUsage
from ..core.value import Value
from .database import Change, Database


class Transcript(Value):
    """A client's record of a session; `read_at` is when its messages were last stored, 0 if never."""

    session: str
    client: str
    path: str
    read_at: float
    started_at: float
    ended_at: float | None


_SELECT = (
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
    row = database.row(f"{_SELECT} WHERE session=?", session)
    return None if row is None else Transcript(*row)


def list_transcripts(database: Database, since: float) -> list[Transcript]:
    """Return those of sessions that were on since a time."""
    rows = database.rows(f"{_SELECT} WHERE coalesce(ended_at, updated_at)>=?", since)
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
