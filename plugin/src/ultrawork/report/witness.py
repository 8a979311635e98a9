"""Ask clients for their own lists of sessions, as a second source for every screen."""

from ..clients.find import get_client
from ..store import anchors, sessions, witness
from ..store.store import Store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    Listed = dict[str, tuple[int, str, str]]

EVERY = 10.0


def ask_clients(store: Store, environ: "Mapping[str, str]") -> None:
    """Ask at most every `EVERY` seconds, and only clients that have an active session."""
    if names := list_clients_to_ask(store):
        keep_listed(store, read_lists(names, environ))


def list_clients_to_ask(store: Store) -> set[str]:
    if witness.measure_age(store.home, store.now()) < EVERY:
        return set()
    database = store.database
    active = [row.id for row in sessions.list_all(database) if row.active and not row.state.run]
    return {name for session in active if (name := anchors.read_client_name(database, session))}


def read_lists(names: "Iterable[str]", environ: "Mapping[str, str]") -> "Listed | None":
    """Return what the clients list; None if none of them can answer."""
    answers = [get_client(name).list_sessions(environ) for name in names]
    known = [answer for answer in answers if answer is not None]
    return {session: words for answer in known for session, words in answer.items()} if known else None


def keep_listed(store: Store, listed: "Listed | None") -> None:
    """Store an answer. Without a new one the stored list ages, until screens no longer use it."""
    if listed is not None:
        witness.keep_words(store.home, store.now(), listed)
