"""Switching a session on: its goal, its base and its gates, pinned in one transaction."""

from ..core import phases, session, wording
from ..core.errors import NotFound
from ..core.session import Session
from ..core.times import iso
from ..store import markers, pins, sessions
from .answer import Answer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .event import Event

FRESH = {"enabled": True, "stopBlocks": 0, "lastStopAt": None}


def arm(event: "Event", goal: str) -> Answer | None:
    """Idempotent: the same request may arrive by two events, in either order."""
    known = _active(event)
    if known is not None:
        return _extend(event, known, goal)
    from ..gates import pinning

    place = event.place
    settings = pinning.settings_now(place, event.store, event.environ)
    pin = pinning.pin(place, event.store, event.environ)
    new = Session(
        id=event.session,
        goal=goal,
        working_dir=place,
        kind=session.LIGHT,
        phase=phases.EXECUTION,
        started_at=event.clock(),
        state=_state(event),
    )
    with event.store.change(event.session) as change:
        sessions.create(change, new, force=True)
        pins.save(change, pin)
    markers.arm(event.home, event.environ, event.session, {"phase": new.phase, "kind": new.kind})
    if settings["trigger.plain"]:
        return Answer(plain=wording.instruction(goal, pin.gates))
    return Answer(
        context=wording.instruction(goal, pin.gates),
        message=wording.on(pin.gates),
        title=wording.cut(wording.one_line(goal), 60),
    )


def _state(event: "Event") -> dict[str, object]:
    return {
        "ulw": {**FRESH, "armedAt": event.clock(), "prompt": event.text("prompt_id"), "turns": 1},
        "stopContinuation": {"disabled": False, "disabledReason": None},
    }


def _active(event: "Event") -> Session | None:
    try:
        found = sessions.get(event.store.database, event.session)
    except NotFound:
        return None
    on = found.active and found.kind == session.LIGHT
    return found if on and markers.armed(event.home, event.session) else None


def _extend(event: "Event", known: Session, goal: str) -> Answer | None:
    """More of the goal; the base stays. The second event of one prompt adds nothing."""
    ulw = _ulw(known)
    same_prompt = bool(ulw.get("prompt")) and ulw.get("prompt") == event.text("prompt_id")
    if same_prompt or wording.one_line(goal) in wording.one_line(known.goal):
        return None
    with event.store.change(event.session) as change:
        current = sessions.get(change.database, event.session)
        current.goal = f"{current.goal}\n{goal}"
        current.state["ulw"] = {**_ulw(current), **FRESH, "armedAt": event.clock()}
        sessions.save(change, current, "goal.extended", {"goal": goal, "at": iso(event.clock())})
    return Answer(message=wording.more(goal))


def _ulw(known: Session) -> dict[str, object]:
    value = known.state.get("ulw")
    return value if isinstance(value, dict) else {}
