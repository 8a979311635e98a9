"""Is a prompt a person's word? What the model scheduled for itself comes back looking the same."""

from ...store import trace
from ..event import Event


def is_by_model(event: Event) -> bool:
    """By what was noted while the session was on, else by the client's record, which goes back to before."""
    prompt = event.text("prompt").strip()
    if event.session and trace.is_scheduled(event.home, event.session, prompt):
        return True
    return any(one == prompt for one in event.adapter.list_scheduled(event.record))


def note(event: Event) -> None:
    """A stop tells what is scheduled; remember it for the day it comes back."""
    for one in event.entries("session_crons"):
        if isinstance(one.get("prompt"), str):
            entry = {"at": round(event.clock(), 3), trace.SCHEDULED: one["prompt"].strip()}
            trace.append(event.home, event.session, entry)
