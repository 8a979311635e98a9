"""Who makes plans makes one the active one: an agent that writes `.omc/plans`, a planned session that has tasks."""

import os

from ...core import phases, statuses
from ...core.kinds import FULL
from ...store import markers, sessions, tasks
from ...store.omc import boulder
from ...store.omc.place import HASTE, Omc
from ..handlers.tool import target
from .light import relative

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...core.checklist import Progress
    from ...core.session import Session
    from ..event import Event

# A plan stands, and its session has not come to an end.
_STANDING = (phases.PLANNING_COMPLETE, phases.EXECUTION, phases.VERIFICATION)
_FOLDER = ".omc/plans/"


def written(event: "Event") -> None:
    """A plan with open boxes becomes the active one, unless another is being worked off."""
    path = relative(event, target(event))
    if not path.startswith(_FOLDER) or not path.endswith(".md") or not event.session:
        return
    omc = Omc(event.place, HASTE)
    before = boulder.plan(omc)
    if before and before[0] != path and before[1].done and before[1].open:
        return
    from ...core.checklist import progress

    if progress(omc.read(f"{omc.top}/{path}") or "").open:
        boulder.begin(omc, path, event.session, event.clock())


def is_worked_off(omc: Omc, session: str, found: "Progress") -> bool:
    """A plan that this session has only drafted waits for its person; a planned session has a decision of its own."""
    document = boulder.read(omc)
    if document.get("planned_session"):
        return False
    return bool(found.done) or session not in (document.get("session_ids") or ())


def renewed(event: "Event") -> None:
    """At the end of a turn: only where a planned session is concerned."""
    if markers.planned(event.home, event.session) or boulder.planned(Omc(event.place, HASTE)):
        kept(event)


def kept(event: "Event") -> str:
    """The tasks of a planned session as boxes, brought up to date; its id while it is not at its end."""
    omc = Omc(event.place, HASTE)
    shown = boulder.planned(omc)
    name = markers.planned(event.home, event.session) or shown or _standing(event, omc)
    session = _session(event, name)
    if session is None:
        return ""
    path = boulder.checklist(omc, _title(session), session.goal, _boxes(event, session))
    if session.phase in _STANDING and session.ended_at is None:
        boulder.begin(omc, path, event.session, event.clock(), planned_session=session.id)
        return session.id
    if shown == session.id:
        boulder.end(omc)
    return ""


def _standing(event: "Event", omc: Omc) -> str:
    """The newest planned session of this checkout that is not at its end, where no other plan is active."""
    other = boulder.plan(omc)
    if (other and other[1].open) or not os.path.exists(event.home.database):
        return ""
    found = event.store.database.row(
        "SELECT id FROM sessions WHERE working_dir=? AND kind=? AND ended_at IS NULL AND phase IN (?,?,?)"
        " ORDER BY started_at DESC LIMIT 1",
        event.place, FULL, *_STANDING,
    )  # fmt: skip
    return str(found[0]) if found else ""


def _session(event: "Event", name: str) -> "Session | None":
    """One of this checkout whose plan stands or stood; what is still being planned is no checklist yet."""
    if not name or not os.path.exists(event.home.database):
        return None
    from ...core.errors import UltraworkError

    try:
        session = sessions.get(event.store.database, name)
    except UltraworkError:
        return None
    is_here = session.working_dir == event.place
    return session if is_here and session.phase != phases.PLANNING else None


def _boxes(event: "Event", session: "Session") -> list[tuple[bool, str]]:
    plan = tasks.listed(event.store.database, session.id)
    return [(task.status == statuses.RESOLVED, f"{task.id}: {task.subject}") for task in plan]


def _title(session: "Session") -> str:
    words = "".join(each if each.isascii() and each.isalnum() else " " for each in session.goal)
    return "-".join([*words.lower().split()[:6], session.id[:8]])
