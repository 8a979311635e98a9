"""Which process owns a session, and events from others: in the chain, where nothing is removed."""

from ..core.caller import ANCHOR, Caller, read_caller
from .codec import loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .database import Change, Database

CLEARED = "cleared"
_ANCHORED = "session.anchored"
_FOREIGN = "event.foreign"
_TAMPERING = "tampering.denied"
_TOLD = "silence.told"
_TAKEN_OVER = "taken_over"
_CLIENT = "client"


def record_anchor(
    change: "Change", caller: Caller, *, client: str = "", transcript: str = "", taken_over: bool = False
) -> None:
    """`taken_over`: the process that it belonged to was still there. `client` is the name of its program, and
    `transcript` the client's own record of the session."""
    details = {ANCHOR: caller.stamp(), _TAKEN_OVER: taken_over}
    change.record(_ANCHORED, {**details, _CLIENT: client} if client else details)
    if client and transcript:
        change.database.rows(
            "INSERT INTO transcripts (session, client, path) VALUES (?,?,?)"
            " ON CONFLICT (session) DO UPDATE SET client=excluded.client, path=excluded.path",
            change.session, client, transcript,
        )  # fmt: skip


def read_client_name(database: "Database", session: str) -> str:
    """Return the client that a session runs in; empty if none is recorded."""
    text = database.value(
        "SELECT data FROM events WHERE session=? AND kind=? ORDER BY id DESC LIMIT 1", session, _ANCHORED
    )
    return str(loads(text).get(_CLIENT) or "") if text else ""


def get_anchor(database: "Database", session: str) -> Caller | None:
    text = database.value(
        "SELECT data FROM events WHERE session=? AND kind=? ORDER BY id DESC LIMIT 1", session, _ANCHORED
    )
    return read_caller(loads(text).get(ANCHOR)) if text else None


def find_anchored_at(database: "Database", session: str) -> float:
    """Return when its current process took it; agents requested earlier are not its own."""
    at = database.value("SELECT max(at) FROM events WHERE session=? AND kind=?", session, _ANCHORED)
    return float(at or 0.0)


def is_taken_over(database: "Database", session: str, since: float) -> bool:
    """Return whether another process has taken it from one that was still there."""
    return any(details.get(_TAKEN_OVER) for details in _list(database, session, _ANCHORED, since))


def record_shown(change: "Change") -> None:
    """Record that the user has seen that it ended without a verdict, so that it is not reported again."""
    change.record(_TOLD, {})


def list_open_unshown(database: "Database", place: str, other_than: str) -> list[str]:
    """Return open sessions of a checkout, or of a folder that is gone, driven by clients, whose end was not reported."""
    from os.path import isdir

    rows = database.rows(
        "SELECT id, working_dir FROM sessions s WHERE ended_at IS NULL AND id<>?"
        " AND EXISTS (SELECT 1 FROM events WHERE session=s.id AND kind=?)"
        " AND NOT EXISTS (SELECT 1 FROM events WHERE session=s.id AND kind=? AND at>=s.started_at)"
        " ORDER BY started_at DESC",
        other_than, _ANCHORED, _TOLD,
    )  # fmt: skip
    return [name for name, folder in rows if folder == place or not isdir(folder)]


def list_cleared_unshown(database: "Database", place: str) -> list[str]:
    """
    Return sessions of a checkout that were on when their conversation was cleared, and whose end was not
    reported.
    """
    rows = database.rows(
        "SELECT id FROM sessions s WHERE working_dir=? AND ended_at IS NOT NULL"
        " AND EXISTS (SELECT 1 FROM decisions WHERE session=s.id AND rule=? AND at>=s.ended_at)"
        " AND NOT EXISTS (SELECT 1 FROM events WHERE session=s.id AND kind=? AND at>=s.ended_at)"
        " ORDER BY ended_at DESC",
        place, CLEARED, _TOLD,
    )  # fmt: skip
    return [name for (name,) in rows]


def record_tampering(change: "Change", target: str) -> None:
    """Record a denied edit of our own files."""
    change.record(_TAMPERING, {"what": target})


def list_tampering(database: "Database", session: str, since: float) -> list[str]:
    return [str(details.get("what")) for details in _list(database, session, _TAMPERING, since)]


def record_foreign(change: "Change", details: "dict[str, Any]") -> None:
    change.record(_FOREIGN, details)


def list_foreign(database: "Database", session: str, since: float) -> "list[dict[str, Any]]":
    return _list(database, session, _FOREIGN, since)


def _list(database: "Database", session: str, kind: str, since: float) -> "list[dict[str, Any]]":
    rows = database.rows(
        "SELECT data FROM events WHERE session=? AND kind=? AND at>=? ORDER BY id", session, kind, since
    )
    return [loads(data) for (data,) in rows]
