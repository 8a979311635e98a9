"""Chains of requests that share a baseline: each is stored for the session that continued it last."""

from typing import Any

from ..core.course.chain import Chain
from ..core.value import list_fields
from . import receipts
from .codec import Columns
from .database import Change, Database

_COLUMNS = Columns(list_fields(Chain), json=("branches", "continues"))
_SELECT = f"SELECT {_COLUMNS.names} FROM chains WHERE "  # noqa: S608
_CLOSED = "chain.closed"


def save(change: Change, chain: Chain) -> None:
    change.database.rows(
        f"INSERT OR REPLACE INTO chains ({_COLUMNS.names}) VALUES ({_COLUMNS.marks})",  # noqa: S608
        *_COLUMNS.write(chain),
    )


def find(database: Database, session: str) -> Chain | None:
    """Return the chain that a session works on; it may have left another on another branch."""
    row = database.row(f"{_SELECT}session=? ORDER BY id DESC LIMIT 1", session)
    return None if row is None else _COLUMNS.read(Chain, row)


def list_here(database: Database, place: str) -> list[Chain]:
    """Return the chains of a checkout, oldest first."""
    rows = database.rows(f"{_SELECT}place=? ORDER BY id", place)
    return [_COLUMNS.read(Chain, row) for row in rows]


def discard_chain(database: Database, chain: Chain) -> None:
    database.rows("DELETE FROM chains WHERE id=?", chain.id)


def close_chain(change: Change, chain: Chain | None, why: str) -> None:
    """The next request starts from the files as they are."""
    if chain is not None:
        discard_chain(change.database, chain)
        change.record(_CLOSED, {"session": chain.session, "why": why})


def find_verdict_since(database: Database, session: str, at: float) -> dict[str, Any] | None:
    """Return the last verdict of a session, if it was decided after this moment."""
    decided = database.value("SELECT max(decided_at) FROM verdicts WHERE session=?", session)
    if decided is None or decided < at:
        return None
    return receipts.find_last_verdict(database, session)
