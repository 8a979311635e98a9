"""What remains of a plan: a planned session's tasks as checkboxes, for a later session. Also the end of a turn without
`ulw`, where open items are reported once."""

import os

from ...core.plan.checklist import Checklist
from ...core.plan.task import RESOLVED
from ...core.session.session import EXECUTION, PLANNING, PLANNING_COMPLETE, VERIFICATION, Session
from ...core.session_kinds import FULL
from ...core.stop.last_message import has_question
from ...core.stop.refusal import explain_open_work
from ...store import markers, sessions, tasks, trace
from ...store.omc import boulder, failures
from ...store.omc.folder import HASTE, Omc
from ..event import Answer, Event
from ..todo_list import list_open

# Phases with a plan, before the session's end.
_STANDING = (PLANNING_COMPLETE, EXECUTION, VERIFICATION)


def is_worked_off(omc: Omc, session: str, checklist: Checklist) -> bool:
    """Return whether the plan is being executed: not if this session only drafted it; a planned session decides for
    itself."""
    document = boulder.read(omc)
    if document.get("planned_session"):
        return False
    return bool(checklist.done) or session not in (document.get("session_ids") or ())


def renew_checklist(event: Event) -> None:
    """Update the checklist at the end of a turn, if a planned session is involved."""
    if markers.find_planned_session(event.home, event.session) or boulder.find_planned_session(Omc(event.place, HASTE)):
        keep_checklist(event)


def keep_checklist(event: Event) -> str:
    """Update the tasks of a planned session as checkboxes; return its id while it is not finished."""
    omc = Omc(event.place, HASTE)
    shown = boulder.find_planned_session(omc)
    name = markers.find_planned_session(event.home, event.session) or shown or _standing(event, omc)
    session = _session(event, name)
    if session is None:
        return ""
    path = boulder.write_checklist(omc, _title(session), session.goal, _boxes(event, session))
    if session.phase in _STANDING and session.ended_at is None:
        boulder.begin(omc, path, event.session, event.clock(), planned_session=session.id)
        return session.id
    if shown == session.id:
        boulder.end(omc)
    return ""


def _standing(event: Event, omc: Omc) -> str:
    """Return the newest unfinished planned session of this checkout, if no other plan is active."""
    plan = boulder.read_plan(omc)
    if (plan and plan[1].open) or not os.path.exists(event.home.database):
        return ""
    row = event.store.database.row(
        "SELECT id FROM sessions WHERE working_dir=? AND kind=? AND ended_at IS NULL AND phase IN (?,?,?)"
        " ORDER BY started_at DESC LIMIT 1",
        event.place, FULL, *_STANDING,
    )  # fmt: skip
    return str(row[0]) if row else ""


def _session(event: Event, name: str) -> Session | None:
    """Return a session of this checkout with a finished plan; one still being planned has no checklist."""
    if not name or not os.path.exists(event.home.database):
        return None
    from ...core.errors import UltraworkError

    try:
        session = sessions.get(event.store.database, name)
    except UltraworkError:
        return None
    is_here = session.working_dir == event.place
    return session if is_here and session.phase != PLANNING else None


def _boxes(event: Event, session: Session) -> list[tuple[bool, str]]:
    plan = tasks.list_all(event.store.database, session.id)
    return [(task.status == RESOLVED, f"{task.id}: {task.subject}") for task in plan]


def _title(session: Session) -> str:
    words = "".join(each if each.isascii() and each.isalnum() else " " for each in session.goal)
    return "-".join([*words.lower().split()[:6], session.id[:8]])


def send_back_open(event: Event) -> Answer | None:
    """Refuse once per state of the list; armed sessions decide for themselves."""
    if markers.is_armed_anywhere(event.home, event.environ, event.session):
        return None
    omc = Omc(event.place, HASTE)
    plan = boulder.read_plan(omc) if "boulder" in event.features else None
    items = list_open(trace.read_all(event.home, event.session)) if "todo" in event.features else []
    boxes = plan[1].open if plan and is_worked_off(omc, event.session, plan[1]) else []
    why = explain_open_work(
        items,
        boxes,
        busy=bool(event.entries("background_tasks") or event.entries("session_crons")),
        asked=event.attended and has_question(event.text("last_assistant_message")),
        again=event.data.get("stop_hook_active") is True,
        plan_mode=event.text("permission_mode") == "plan",
    )
    if not why or not failures.take_new(omc, event.session, f"open {' '.join([*items, *boxes])}"):
        return None
    last = failures.find_last(omc, event.session, event.clock())
    error = f" Last failure: {last['tool']}: {str(last['error'])[:150]}" if last else ""
    return Answer(feedback=f"ultrawork: {why}{error}")
