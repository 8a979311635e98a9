"""Ending a session without a verdict of its own: the person's switch, and whatever slips past it."""

from ..core import phases, stop
from ..core import verdict as verdicts
from ..core.errors import NotFound
from ..core.session import LIGHT, Session
from . import decisions, markers, sessions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .state import Store

SWITCHED_OFF = "switched-off"
BY_FILE = "switched off by its file, not by a word of yours"
_SEEN = "seen at that time"
# Between the record and the markers of a session that is being switched on lies a moment.
_ARMING = 60.0


def release(store: "Store", name: str, *, how: str) -> Session | None:
    """
    Switches a session off: the file first, then the record. Never a PASS, always says how. The
    markers stay: at the next stop the launcher finds them beside the switch, and says so.
    """
    markers.switch_off(store.home, name)
    return end(store, name, rule=SWITCHED_OFF, how=how)


def end(store: "Store", name: str, *, rule: str, how: str) -> Session | None:
    """Cancelled and unverified; None if there is no such session."""
    try:
        with store.change(name, durable=True) as change:
            session = sessions.get(change.database, name)
            if session.active:
                session.phase = phases.CANCELLED
                session.verdict = verdicts.UNVERIFIED
                session.ended_at = change.now
                session.state["stopContinuation"] = {"disabled": True, "disabledReason": how}
                decision = stop.Decision(stop.LET_GO, rule, how, stop.TRY_AGAIN)
                decisions.add(change, decision, event="switch", tree="")
                sessions.save(change, session, "session.released", {"by": store.actor, "how": how})
    except NotFound:
        return None
    return session


def settle(store: "Store", name: str, command: str = "") -> None:
    """
    Brings the record in line with the switch: if it does not know, somebody made the file by hand, and
    it ends as any release does. `command` is what the agent ran at that time; it is told with the reason.
    """
    row = store.database.row("SELECT kind, ended_at, updated_at FROM sessions WHERE id=?", name)
    if row is None:
        return
    kind, ended, updated = row
    seen = f"; {_SEEN}: {command}" if command else ""
    if markers.switched_off(store.home, name):
        if ended is None:
            release(store, name, how=f"{BY_FILE}{seen}")
        elif seen:
            _add_what_was_seen(store, name, seen)
    elif kind == LIGHT and ended is None and _markers_are_gone(store, name, updated):
        end(store, name, rule="state-gone", how="its markers are gone; nothing was verified")


def _markers_are_gone(store: "Store", name: str, updated: float) -> bool:
    return not markers.armed(store.home, name) and store.now() - updated > _ARMING


def _add_what_was_seen(store: "Store", name: str, seen: str) -> None:
    last = decisions.last(store.database, name)
    if last is None or last.rule != SWITCHED_OFF or _SEEN in last.because:
        return
    decision = stop.Decision(stop.LET_GO, SWITCHED_OFF, f"{last.because}{seen}", stop.TRY_AGAIN)
    with store.change(name) as change:
        decisions.add(change, decision, event="switch", tree="")
