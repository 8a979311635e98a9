"""Ending what agents of a session do: by its engine if one runs, else by ourselves."""

from ..core.errors import Conflict
from ..store import attempts, controls
from .executor import open_executor
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
    try:
        with EngineLock(store.home.session(name), patience=0.0):
            _end_orphans(store, name, working)
    except Conflict:
        pass  # its engine is there, and does what it was asked
    return len(working)


def _end_orphans(store: "Store", name: str, working: "list[attempts.Row]") -> None:
    executor = open_executor("local", store.home.session(name))
    for row in working:
        attempt = remembered(row.folder)
        if attempt is not None:
            executor.cancel(attempt)
    executor.close()
