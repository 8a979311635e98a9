"""The copy of the program that a session which was just switched on runs on from its next event on."""

from ..store import markers
from .answer import Answer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .event import Event


def keep_copy(event: "Event") -> Answer | None:
    if not event.session or not markers.is_armed(event.home, event.session):
        return None
    if not markers.is_set(event.home, markers.PROGRAM, event.session):
        from ..store import program_copy

        program_copy.keep_copy(event.home, event.session, event.clock())
    return None
