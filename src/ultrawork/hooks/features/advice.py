"""Advice about single tool calls, in armed sessions too: so it loads next to nothing."""

import os

from ..answer import Answer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..event import Event


def helped(event: "Event") -> Answer | None:
    """How to go on after a well-known failure; the same advice is given once."""
    from ...core.recovery import guidance

    kind, helps = guidance(event.text("error"))
    if not kind or event.data.get("is_interrupt") is True:
        return None
    return Answer(context=f"ultrawork: {helps}.") if _is_new(event, kind) else None


def _is_new(event: "Event", kind: str) -> bool:
    """An armed session writes nothing into a project that did not ask for it."""
    if not os.path.exists(f"{event.place}/.omc"):
        return True
    from ...store.omc import told
    from ...store.omc.place import Omc

    return bool(
        told.first(Omc(event.place), event.session, f"advice {event.text('tool_name')} {kind}")
    )


def kills(command: str) -> Answer | None:
    """Said before it is too late; the person's permission still decides."""
    from ...core.enforcer import ends_itself

    if not ends_itself(command):
        return None
    return Answer(
        context="ultrawork: pkill -f also finds the command line of this session and would end it;"
        " end processes by their number"
    )
