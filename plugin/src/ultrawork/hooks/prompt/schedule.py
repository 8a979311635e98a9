"""Tell prompts of the user from prompts that the model scheduled for itself, which look the same."""

from ...store import trace
from ..event import Event


def is_by_model(event: Event) -> bool:
    """Return whether the model scheduled the prompt, by our notes, else by the client's older record."""
    prompt = event.text("prompt").strip()
    if event.session and trace.is_scheduled(event.home, event.session, prompt):
        return True
    return any(scheduled_prompt == prompt for scheduled_prompt in event.adapter.list_scheduled(event.record))


def note(event: Event) -> None:
    """Record what a stop reports as scheduled, for when it comes back."""
    for cron in event.entries("session_crons"):
        if isinstance(cron.get("prompt"), str):
            entry = {"at": round(event.clock(), 3), trace.SCHEDULED: cron["prompt"].strip()}
            trace.append(event.home, event.session, entry)
