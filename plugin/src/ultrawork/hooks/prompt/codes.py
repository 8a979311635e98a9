"""Consent given at a terminal of unknown origin counts once the user types back the code that the client shows. The
model sees neither the code nor the prompt that holds it."""

from ...core.check import quote
from ...store import consents
from ..caller import is_started_by_agent
from ..event import Answer, Event


def show_code(event: Event) -> Answer | None:
    if is_started_by_agent(event.caller):
        return None
    code, command, terminal = consents.issue_code(event.home, event.place, event.clock())
    if not code:
        return None
    return Answer(
        message=f"ultrawork: {quote(command)} was typed at {terminal}, which is not your login terminal. If that was you, type {code} here. If not, an agent tried to answer for you: do nothing."
    )


def hear_code(event: Event) -> Answer | None:
    """Accept a code that is the whole prompt; at any other prompt, show one that waits."""
    typed = event.text("prompt")
    if is_started_by_agent(event.caller):
        return None
    command = consents.give(event.home, event.place, typed, event.clock())
    if not command:
        return show_code(event)
    return Answer(end=f"ultrawork: approved by you, once and for 10 minutes. Run it again: {command}")
