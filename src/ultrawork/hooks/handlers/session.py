"""The beginning and the end of a client's session."""

import os

from ...core import phases, wording
from ...core import session as kinds
from ...core import verdict as verdicts
from ...core.errors import NotFound
from ...store import markers, sessions
from ..answer import Answer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...core.session import Session
    from ..event import Event

_RESUMED = ("compact", "resume")
_BRIEF = 1000


def welcome(event: "Event") -> Answer | None:
    """One line at the first start after installing, once ever."""
    mark = f"{event.home.root}/welcomed"
    if event.text("source") not in ("startup", "") or os.path.exists(mark):
        return None
    os.makedirs(event.home.root, mode=0o700, exist_ok=True)
    with open(mark, "x", encoding="utf-8"):
        return Answer(message=wording.READY)


def brief(event: "Event") -> Answer | None:
    """After compaction or resuming, what the model can no longer know; a fork starts switched off."""
    source = event.text("source")
    if source == "fork":
        return _fork(event)
    if source not in _RESUMED or not markers.armed(event.home, event.session):
        return None
    session = sessions.get(event.store.database, event.session)
    return Answer(context=wording.cut("\n".join(_lines(event, session)), _BRIEF))


def _fork(event: "Event") -> Answer | None:
    if any(os.scandir(f"{event.home.root}/{markers.ACTIVE}")):
        return Answer(
            message="ultrawork: a fork starts switched off. On: begin a request with ulw."
        )
    return None


def _lines(event: "Event", session: "Session") -> list[str]:
    from ...store import pins, receipts

    pin = pins.get(event.store.database, session.id)
    last = receipts.last_verdict(event.store.database, session.id)
    gates = ", ".join(f"{gate.name} ({gate.command})" for gate in pin.gates) if pin else ""
    lines = [
        f"ultrawork is on. Goal: {wording.cut(wording.one_line(session.goal), 300)}",
        f"Phase {session.phase}. Done means green: {gates or 'no check is known here'}.",
    ]
    if last is not None:
        found = [one["what"] for one in last["findings"] if one["level"] != "note"][:3]
        lines.append(f"Last check: {last['verdict']}" + (f": {'; '.join(found)}" if found else ""))
    return [*lines, "Stop when `ultrawork verify` is green, or end with a line `BLOCKED: why`."]


def leave(event: "Event") -> Answer | None:
    """`/clear` begins a new session: the old one ends without a verdict. Other ends may be resumed."""
    if event.text("reason") != "clear" or not markers.armed(event.home, event.session):
        return None
    try:
        with event.store.change(event.session) as change:
            session = sessions.get(change.database, event.session)
            if session.active and session.kind == kinds.LIGHT:
                session.phase, session.verdict = phases.CANCELLED, verdicts.UNVERIFIED
                session.ended_at = change.now
                sessions.save(change, session, "session.cleared", {})
    except NotFound:
        pass
    markers.disarm(event.home, event.environ, event.session)
    return None
