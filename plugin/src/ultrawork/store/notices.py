"""Notifications in the store: of each item and channel whether it was sent, or why not."""

from ..core.notices import SENT
from . import markers
from .change import Change
from .database import Database
from .store import Store

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
