"""What the user has seen and answered, by inbox item, an answer being taken once; and of each item and channel whether a
notification was sent, or why not."""

from ..core.errors import Conflict
from ..core.notices import SENT
from ..core.times import format_iso
from ..core.value import Value, list_fields
from . import markers
from .codec import Columns, loads
from .database import Change, Database
from .store import Store

DENIED_TEST = "test.denied"


class Mark(Value):
    """What is stored about an item: when it was seen, the answer, and how."""

    item: str
    session: str
    seen_at: float | None
    answered_at: float | None
    answer: str
    how: str


_COLUMNS = Columns(list_fields(Mark))


def read_all(database: Database) -> dict[str, Mark]:
    rows = database.rows(f"SELECT {_COLUMNS.names} FROM inbox")  # noqa: S608
    return {mark.item: mark for mark in (_COLUMNS.read(Mark, row) for row in rows)}


def mark_seen(change: Change, item: str) -> None:
    change.database.rows(
        "INSERT INTO inbox (item, session, seen_at) VALUES (?,?,?)"
        " ON CONFLICT (item) DO UPDATE SET seen_at=coalesce(seen_at, excluded.seen_at)",
        item, change.session, change.now,
    )  # fmt: skip


def take_answer(change: Change, item: str, words: str, how: str) -> None:
    """Store the first answer; raise for a later one and show the first."""
    taken = change.database.rows(
        "INSERT INTO inbox (item, session, seen_at, answered_at, answer, how) VALUES (?,?,?,?,?,?)"
        " ON CONFLICT (item) DO UPDATE SET answered_at=excluded.answered_at, answer=excluded.answer,"
        " how=excluded.how, seen_at=coalesce(seen_at, excluded.seen_at)"
        " WHERE answered_at IS NULL RETURNING 1",
        item, change.session, change.now, change.now, words, how,
    )  # fmt: skip
    if not taken:
        raise Conflict(explain_answered(read_all(change.database)[item]))
    change.record("inbox.answered", {"item": item, "answer": words, "how": how})


def explain_answered(mark: Mark) -> str:
    at = (format_iso(mark.answered_at) or "")[11:16]
    return f"{mark.item} was already answered at {at}: {mark.answer}"


def find_last_answer(database: Database, session: str) -> tuple[str, float, str] | None:
    """Return the last answer to one of our questions, with time and place."""
    row = database.row(
        "SELECT at, data FROM events WHERE session=? AND kind='question.answered' ORDER BY id DESC LIMIT 1", session
    )
    if row is None:
        return None
    document = loads(row[1])
    return str(document.get("answer")), float(row[0]), str(document.get("how"))


def deny_test(change: Change, test: str, reason: str) -> None:
    """Record that the user says the test is right: the agent may not change it."""
    change.record(DENIED_TEST, {"test": test, "reason": reason})


_LOOKED = "notified"


def read_states(store: Store, channel: str) -> dict[str, str] | None:
    """Return the states of a channel; None before the first check."""
    if not markers.is_set(store.home, _LOOKED, channel):
        return None
    return dict(store.database.rows("SELECT item, state FROM notices WHERE channel=?", channel))


def mark_looked(store: Store, channel: str) -> None:
    markers.put(store.home, _LOOKED, channel, {"at": store.now()})


def find_last_sent(database: Database, channel: str) -> float:
    sql = "SELECT max(at) FROM notices WHERE channel=? AND state=?"
    return float(database.value(sql, channel, SENT) or 0.0)


def put(change: Change, item: str, channel: str, state: str, why: str = "") -> None:
    change.database.rows(
        "INSERT OR REPLACE INTO notices (item, channel, session, at, state, why) VALUES (?,?,?,?,?,?)",
        item, channel, change.session, change.now, state, why,
    )  # fmt: skip


def list_newest(database: Database, limit: int) -> list[tuple[str, str, float, str, str, bool]]:
    """Return item, channel, time, state, why, and whether the user has seen the item."""
    return database.rows(
        "SELECT notices.item, channel, at, state, why, inbox.seen_at IS NOT NULL FROM notices"
        " LEFT JOIN inbox ON inbox.item=notices.item ORDER BY at DESC, notices.item LIMIT ?",
        limit,
    )
