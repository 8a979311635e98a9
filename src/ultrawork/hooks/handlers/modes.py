"""Modes begin here: by their skills. Only a cheap question is asked; the work is in `hooks/modes`."""

from ..answer import Answer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..event import Event

SKILLS = {
    f"ultrawork:{mode}": mode
    for mode in ("autopilot", "ultrapilot", "team", "pipeline", "ralph", "ultraqa", "swarm")
}


def skills(event: "Event") -> Answer | None:
    """`/ultrawork:ralph fix it`: the hook begins the mode, whatever the model does next."""
    mode = SKILLS.get(event.text("command_name"))
    if mode is None or not event.session or event.text("agent_id"):
        return None
    from ..modes import starting

    return starting.begin(event, mode, event.text("command_args").strip())
