"""Ending what agents of a session do: by its engine if one runs, else by ourselves."""

from ..core.errors import Conflict
from ..store import attempts, controls
from .executor import open_executor
from .local.executor import ENGINE_LOCK
from .local.folder import is_held
from .lock import EngineLock
from .work import remembered

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..store.state import Store


def call_off(store: "Store", name: str) -> int:
    """How many agents were at work; they and all they started are ended."""
    working = attempts.running(store.database, name)
    if not working:
        return 0
    with store.change(name) as change:
        controls.ask(change, controls.CANCEL)
    folder = store.home.session(name)
    if not is_held(f"{folder}/{ENGINE_LOCK}"):
        _end_orphans(store, name, working)
    return len(working)  # an engine that is there does what it was asked


def _end_orphans(store: "Store", name: str, working: "list[attempts.Row]") -> None:
    try:
        with EngineLock(store.home.session(name)):
            executor = open_executor("local", store.home.session(name))
            for attempt in filter(None, (remembered(row.folder) for row in working)):
                executor.cancel(attempt)
            executor.close()
    except Conflict:
        pass  # one has just begun, and reads what is asked of it
