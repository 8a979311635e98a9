"""Ending a session without a verdict of its own: the person's switch, and whatever slips past it."""

from ..core import phases
from ..core import verdict as verdicts
from ..core.errors import NotFound
from ..core.session import Session
from . import markers, sessions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from .state import Store


def release(store: "Store", environ: "Mapping[str, str]", name: str, *, how: str) -> Session | None:
    """Switches a session off: the file first, then the record. Never a PASS, always says who did it."""
    markers.switch_off(store.home, name)
    try:
        with store.change(name) as change:
            session = sessions.get(change.database, name)
            if session.active:
                session.phase = phases.CANCELLED
                session.verdict = verdicts.UNVERIFIED
                session.ended_at = change.now
                session.state["stopContinuation"] = {"disabled": True, "disabledReason": how}
                sessions.save(change, session, "session.released", {"by": store.actor, "how": how})
    except NotFound:
        return None
    finally:
        markers.disarm(store.home, environ, name)
    return session
