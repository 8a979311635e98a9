"""What a hook may run by itself in a planned session."""

from ...core import consent
from ...store import receipts, sessions
from .. import permissions
from .pushing import name_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..event import Event


def may_run(event: "Event", command: str) -> bool:
    place = sessions.get(event.store.database, name_of(event)).working_dir
    return consent.covers(
        event.text("permission_mode"),
        command,
        allowed=receipts.allowed(event.store.database, place, command),
        sandboxed=permissions.sandboxed(event),
    )
