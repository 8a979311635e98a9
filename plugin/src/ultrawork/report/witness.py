"""Asks clients for their own lists, as the second witness of every screen."""

from ..clients.claude.listing import list_sessions
from ..store import anchors, sessions, witness
from ..store.store import Store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

EVERY = 10.0


def ask_clients(store: Store, environ: "Mapping[str, str]") -> None:
    """Ask once in a while, and only where a session of such a client is active."""
    if is_time_to_ask(store):
        keep_listed(store, list_sessions(environ))


def is_time_to_ask(store: Store) -> bool:
    return witness.measure_age(store.home, store.now()) >= EVERY and _has_session(store)


def keep_listed(store: Store, listed: "dict[str, tuple[int, str, str]] | None") -> None:
    """None where the client gave no answer: then the kept list grows old, and says nothing any more."""
    if listed is not None:
        witness.keep_words(store.home, store.now(), listed)


def _has_session(store: Store) -> bool:
    database = store.database
    active = [one for one in sessions.list_all(database) if one.active and not one.state.run]
    return any(anchors.read_client_name(database, one.id) == "claude" for one in active)
