"""What the user has seen and answered, by inbox item; an answer is taken once."""

from ..core.errors import Conflict
from ..core.times import format_iso
from ..core.value import Value, list_fields
from .change import Change
from .codec import Columns, loads
from .database import Database

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
