"""Failures of tools: written down, spoken of when they repeat, forgotten when the tool works again."""

from ...store.omc import failures
from ...store.omc.place import HASTE, Omc
from ..answer import Answer
from .light import masked

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..event import Event

ESCALATE = 5


def failed(event: "Event") -> Answer | None:
    """Written down; when the same thing fails again and again, it is said."""
    tool, error = event.text("tool_name"), event.text("error")
    if not event.session or event.data.get("is_interrupt") is True:
        return None
    given = event.mapping("tool_input")
    shown = masked(event, str(given.get("command") or given.get("file_path") or ""))
    error = masked(event, error)
    count = failures.note(
        Omc(event.place, HASTE), event.session, tool, given=shown, error=error, now=event.clock()
    )
    if count != ESCALATE:
        return None
    return Answer(
        context=f"ultrawork: {tool} has failed {count} times in the same way. Stop repeating it: find"
        " out why it fails, take another way, or say what is in the way."
    )


def mended(event: "Event") -> None:
    failures.mended(Omc(event.place, HASTE), event.session, event.text("tool_name"))
