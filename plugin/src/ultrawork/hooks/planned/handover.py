"""A client whose planned session the user moved to another one: it is told, and its agents end."""

from ...flow import planned_mode
from ...store import markers
from ..event import Answer, Event
from .session import find_agent


def hold_agents(event: Event) -> Answer | None:
    """Refuse every further step of this client for the session."""
    return Answer(deny=f"ultrawork: {_tell(event)} Stop here: end your turn without another tool call.")


def note_ended(event: Event) -> None:
    session = _name(event)
    agent = find_agent(event, session)
    if agent is not None and agent.ended_at is None:
        planned_mode.release_agent(event.store, session, agent)


def tell_model(event: Event) -> Answer | None:
    return Answer(context=f"{_tell(event)} You have nothing more to do for it here.")


def tell_person(event: Event) -> Answer | None:
    """Tell the user once, when the turn ends; its agents are held until they have ended."""
    text = f"ultrawork: {_tell(event)} Off in this conversation."
    if not any(entry.get("type") != "shell" for entry in event.entries("background_tasks")):
        markers.disarm(event.home, event.environ, event.session)
        markers.remove(event.home, markers.HANDED, event.session)
    return Answer(message=text)


def _name(event: Event) -> str:
    content = markers.get(event.home, markers.HANDED, event.session) or {}
    return str(content.get("session") or "")


def _tell(event: Event) -> str:
    return f"session {_name(event)[:8]} continues in another client."
