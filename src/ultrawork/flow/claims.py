"""The files that say which modes are on: claimed together with the record, healed when they outlived it."""

from ..core.errors import Conflict, UltraworkError
from ..store import modes as kept
from ..store import sessions
from ..store.omc import states

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ..core.machines import Progress
    from ..core.session import Session
    from ..store.omc.place import Omc
    from ..store.state import Store


def claim(store: "Store", omc: "Omc", session: "Session", progress: "Progress") -> None:
    healing(store, omc, lambda: kept.claim(omc, session, progress))


def healing(store: "Store", omc: "Omc", ask: "Callable[[], None]") -> None:
    """Asks once more if what was in the way is a file that its own session has outlived."""
    try:
        ask()
    except Conflict:
        if not _healed(store, omc):
            raise
        ask()


def _healed(store: "Store", omc: "Omc") -> bool:
    """A client that was killed may leave a file that says `active` when the record knows better."""
    found = False
    for mode in states.FILED:
        for owner in states.active(omc, mode, store.now()):
            session = _session(store, owner)
            if session is not None and kept.outdated(omc, mode, session):
                take_back(store, omc, owner, [mode])
                found = True
    return found


def _session(store: "Store", name: str) -> "Session | None":
    try:
        return sessions.get(store.database, name)
    except UltraworkError:
        return None


def take_back(store: "Store", omc: "Omc", session_id: str, claimed: "Iterable[str]") -> None:
    """The files as the record has it; a mode that it does not know has none."""
    session = _session(store, session_id)
    before = {} if session is None else kept.known(session)
    for mode in claimed:
        if session is not None and mode in before:
            kept.claim(omc, session, before[mode])
        else:
            states.clear(omc, mode, session_id)
