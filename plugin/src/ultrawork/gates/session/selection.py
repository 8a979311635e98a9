"""Choose the session of a verification: the named one, the active one of the checkout, or its own."""

from collections.abc import Mapping

from ...core.errors import NotFound
from ...core.session.session import CHECKOUT, Session
from ...store import sessions
from ...store.codec import digest
from ...store.paths import find_client_session
from ...store.store import Store


def make_own_name(place: str) -> str:
    """The session of a checkout that `verify` outside of any other uses."""
    return f"verify-{digest(place)[:8]}"


def find_active(store: Store, environ: Mapping[str, str], place: str, name: str | None) -> Session | None:
    if name is not None:
        return sessions.find(store.database, name, place)
    client = find_client_session(environ)
    rows = store.database.rows(
        "SELECT id FROM sessions WHERE ended_at IS NULL AND kind!=? AND (id=? OR working_dir=?)"
        " ORDER BY id=? DESC, started_at DESC, rowid DESC",
        CHECKOUT, client, place, client,
    )  # fmt: skip
    candidates = (sessions.get(store.database, row[0]) for row in rows)
    return next((session for session in candidates if session.active), None)


def find_own(store: Store, place: str) -> Session | None:
    try:
        return sessions.get(store.database, make_own_name(place))
    except NotFound:
        return None
