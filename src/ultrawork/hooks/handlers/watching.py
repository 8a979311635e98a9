"""Beside a stop of a team: whoever conducts it sleeps, and is woken when a worker says nothing for too long."""

from time import sleep

from ...core.errors import Conflict
from ...store import markers
from ...store.lock import Lock
from ..answer import Answer
from ..leash import Leash
from ..table import MARGIN, TIMEOUTS, WAKE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..event import Event

LONGEST = float(TIMEOUTS[WAKE] - MARGIN)
_POLL = 5.0


def watch(event: "Event") -> Answer | None:
    content = markers.get(event.home, markers.BACKGROUND, event.session) or {}
    if content.get("watch") is not True or not event.attended:
        return None
    path = f"{event.home.root}/{markers.BACKGROUND}/{event.session}.watch"
    try:
        with Leash(LONGEST), Lock(path, patience=0.1):
            said = _watched(event)
    except Conflict:
        return None  # another process watches already
    return Answer(wake="\n".join(f"ultrawork: {one}." for one in said)) if said else None


def _watched(event: "Event") -> list[str]:
    """Until there is something to say, or nobody is at work any more."""
    from ...core.phases import EXECUTION
    from ...flow import modes, shell, watching
    from ...store import agents, sessions

    while not markers.switched_off(event.home, event.session):
        name = markers.planned(event.home, event.session)
        session = sessions.get(event.store.database, name) if name else None
        if session is None or not session.active or session.phase != EXECUTION:
            break
        for progress in modes.of(session).values():
            watching.keep(event.store, name, watching.look(event.store, session, progress))
        said = shell.untold(event.store, name)
        if said or not agents.at_work(event.store.database, name, now=event.clock()):
            return said
        sleep(_POLL)
    return []
