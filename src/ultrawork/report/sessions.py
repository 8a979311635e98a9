"""What a session's screens are made of, read in one place."""

from ..core.errors import NotFound
from ..core.times import iso
from ..store import decisions, receipts
from . import evidence, pull_request

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..store.database import Database
    from ..store.state import Store


def verdict(database: "Database", session: str) -> "dict[str, Any]":
    found = receipts.last_verdict(database, session)
    if found is None:
        raise NotFound("no verdict yet; ultrawork verify makes one")
    return found


def proof(database: "Database", session: str, *, markdown: bool = False) -> str:
    """The last verdict with its receipts and what was sent back."""
    write = pull_request.markdown if markdown else evidence.show
    return write(
        verdict(database, session),
        receipts.listed(database, session),
        sent_back(database, session),
    )


def sent_back(database: "Database", session: str) -> "list[dict[str, Any]]":
    return [
        {"at": (iso(taken.at) or "")[11:16], "what": f"sent back: {taken.because}"}
        for taken in decisions.since(database, session, 0.0)
        if taken.action in decisions.REFUSALS
    ]


def last_decision(store: "Store", session: str) -> decisions.Taken:
    """Also one that passed at the first glance, if it is the newest."""
    taken = [decisions.last(store.database, session), decisions.noted(store.home, session)]
    found = [one for one in taken if one is not None]
    if not found:
        raise NotFound("no stop has been decided yet in this session")
    return max(found, key=lambda one: one.at)


def last_step(database: "Database", session: str) -> tuple[float, str] | None:
    """When a session last moved for a reason that is recorded, and the reason."""
    row = database.row(
        "SELECT at, json_extract(data, '$.why') FROM events WHERE session=? AND kind IN (?,?,?,?)"
        " AND json_extract(data, '$.why') IS NOT NULL ORDER BY id DESC LIMIT 1",
        session, "phase.reached", "iteration.began", "session.ended", "session.failed",
    )  # fmt: skip
    return None if row is None else (row[0], str(row[1]))
