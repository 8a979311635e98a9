"""What a session's screens are made of, read in one place."""

from ..core import verdict as verdicts
from ..core.errors import NotFound
from ..core.session import LIGHT
from ..core.times import iso
from ..store import decisions, receipts, sessions
from . import evidence, pull_request

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..store.database import Database


def verdict(database: "Database", session: str) -> "dict[str, Any]":
    """The last verdict; a green check that came before the session was let go is not its verdict."""
    found = receipts.last_verdict(database, session)
    if found is None:
        raise NotFound("no verdict yet; ultrawork verify makes one")
    ended = sessions.get(database, session)
    before = ended.ended_at is not None and found["decided"] <= str(iso(ended.ended_at))
    if ended.kind != LIGHT or ended.verdict != verdicts.UNVERIFIED or not before:
        return found
    if found["verdict"] != verdicts.PASS:
        return found
    last = decisions.last(database, session)
    why = last.because if last else "the session was let go"
    return {
        **found,
        "verdict": verdicts.UNVERIFIED,
        "not_checked": [*found["not_checked"], f"the session ended otherwise: {why}"],
    }


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


def last_decision(database: "Database", session: str) -> decisions.Taken:
    taken = decisions.last(database, session)
    if taken is None:
        raise NotFound("no stop has been decided yet in this session")
    return taken
