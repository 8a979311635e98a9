"""
The features of a project. Only the cheap question is asked here, whether a feature is on; the work is
in `hooks/features`. They are on where a person switched them on, and some in every armed session.
"""

from ...store import markers
from ...store.omc.features import read

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..answer import Answer
    from ..event import Event

# What helps any armed session and writes nothing into the project.
ARMED = ("models", "recovery")
_AGENT_TOOLS = ("Agent", "Task")
_FILE_TOOLS = ("Read", "Edit", "Write", "MultiEdit", "NotebookEdit")
_WRITERS = _FILE_TOOLS[1:]


class _Switches:
    """The switches of one event, read once for all its handlers."""

    event: "Event | None" = None
    on: dict[str, str] = {}  # noqa: RUF012 (one event at a time, replaced as a whole)


def value(event: "Event", name: str) -> str | None:
    """The value of a feature that is on here; None if it is off."""
    if _Switches.event is not event:
        _Switches.event, _Switches.on = event, read(event.place)
    found = _Switches.on.get(name)
    if found is None and name in ARMED and markers.armed(event.home, event.session):
        return ""
    return found


def _is(event: "Event", name: str, *tools: str) -> bool:
    return (not tools or event.text("tool_name") in tools) and value(event, name) is not None


def models(event: "Event") -> "Answer | None":
    """An agent that is called without a model gets the one that suits it."""
    if not _is(event, "models", *_AGENT_TOOLS):
        return None
    from ..features import agents

    return agents.model(event)


def delegation(event: "Event") -> "Answer | None":
    """Whoever conducts agents leaves large edits to them."""
    if event.text("agent_id") or not _is(event, "delegation", *_WRITERS):
        return None
    from ..features import agents

    return agents.edit(event, str(value(event, "delegation")))
