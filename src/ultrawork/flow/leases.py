"""The files that a task was planned to write are its own from its claim on, where nobody else holds them."""

from ..store import agents

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..core.task import Task
    from ..store.change import Change

_PATTERN = "*?["


def take(change: "Change", place: str, task: "Task | None") -> None:
    """Folders and patterns are no single file: they are looked at when something in them is written."""
    if task is None or not task.files:
        return
    held = agents.holders(change.database, change.session)
    plain = [
        name for name in task.files if not name.endswith("/") and not set(name) & set(_PATTERN)
    ]
    paths = [
        name if name.startswith("/") else f"{place}/{name.removeprefix('./')}" for name in plain
    ]
    agents.lease(change, task.id, [path for path in paths if path not in held])
