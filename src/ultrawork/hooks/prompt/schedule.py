"""Is a prompt a person's word? What the model scheduled for itself comes back looking the same."""

from ...store import trace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..event import Event


def is_noted(event: "Event") -> bool:
    """Whether this prompt was seen being scheduled while the session was on."""
    prompt = event.text("prompt").strip()
    entries = trace.find_holding(event.home, event.session, '"scheduled"') if event.session else []
    return any(entry.get("scheduled") == prompt for entry in entries)


def is_by_model(event: "Event") -> bool:
    """The same from the client's own record, which goes back to before it was on."""
    if is_noted(event):
        return True
    from .. import transcript

    prompt = event.text("prompt").strip()
    return any(one == prompt for one in transcript.list_scheduled(event.text("transcript_path")))


def note(event: "Event") -> None:
    """A stop tells what is scheduled; remember it for the day it comes back."""
    for one in event.entries("session_crons"):
        if isinstance(one.get("prompt"), str):
            entry = {"at": round(event.clock(), 3), "scheduled": one["prompt"].strip()}
            trace.append(event.home, event.session, entry)
