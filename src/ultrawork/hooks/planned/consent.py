"""What a hook may run by itself in a planned session."""

from ...core.stop import gate_limits
from ...store import receipts, sessions
from .. import permissions
from .session import find_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..event import Event


def may_run(event: "Event", command: str) -> bool:
    place = sessions.get(event.store.database, find_name(event)).working_dir
    return gate_limits.may_run_command(
        event.text("permission_mode"),
        command,
        allowed=receipts.is_allowed(event.store.database, place, command),
        sandboxed=permissions.is_sandboxed(event),
    )
