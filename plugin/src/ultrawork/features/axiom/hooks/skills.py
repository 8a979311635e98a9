"""Axiom's skills as a user types them: the hook starts and resumes requirements, whatever the model does next.

What only a user may decide (approve a PRD, a lesson, a rollback) counts if it was typed in a client that no agent
started; from a model it is only text."""

from collections.abc import Callable

from ....core.errors import Conflict, UltraworkError
from ....core.session.session import Session
from ....flow import beginning
from ....hooks import consent
from ....hooks.event import Answer, Event
from ....hooks.planned.session import find_name, take_up, tell_what_runs
from ....store import markers, sessions
from ..course import memory as axiom_memory
from ..course import progress as axiom_course
from ..course import work as axiom_work
from ..values import states
from ..values import step as axiom_step
from .boot import list_shown
from .requirement import park

PREFIX = "ultrawork:ax-"
CONDUCT = (
    "Axiom runs this requirement. The program decides, agents do the work, and you relay between them. Do exactly"
    " the step that ultrawork names, never edit yourself, and end your turn when it says to wait."
)
# The earliest state for a step, and the gate before it.
_STEPS = {
    "review": (states.PLANNING, states.EXPERT),
    "decompose": (states.CONFIRMING, states.USER),
    "implement": (states.EXECUTING, states.COMPLEXITY),
}
_YES = ("yes", "--yes")
_ORDER = (states.PLANNING, states.CONFIRMING, states.EXECUTING)


def run_typed(event: "Event") -> Answer | None:
    """Run a typed skill; None if its own text is all there is to do."""
    name = event.text("command_name").removeprefix(PREFIX)
    act = _ACTS.get(name)
    if act is None or not event.session:
        return None
    try:
        return act(event, event.text("command_args").strip())
    except UltraworkError as error:
        return Answer(block=f"ultrawork: {error}")


def _draft(event: "Event", words: str) -> Answer:
    if not words:
        return _go_on(event, "draft")
    goal_command = beginning.parse(words)
    session = axiom_course.begin(event.store, event.environ, event.place, event.session, goal_command)
    _note_shown(event, session)
    return _lead(event, session)


def _note_shown(event: "Event", session: "Session") -> None:
    """Record what the session had seen when it began, to know later what was useful."""
    entries = list_shown(event)
    if entries:
        with event.store.change(session.id) as change:
            current = sessions.get(change.database, session.id)
            current.state.lead = {**current.state.lead, "told": entries}
            sessions.save(change, current, "axiom.told", {"entries": entries})


def _lead(event: "Event", session: "Session") -> Answer:
    session, text = take_up(event, session)
    state = axiom_step.find_state(session)
    return Answer(
        context=f"{CONDUCT}\n{text}",
        message=f"ultrawork: requirement {session.id[:8]}, {state}. Turn off: ulw off. Show: /ultrawork:ax-status"
        + tell_what_runs(event, session),
        title=session.goal[:60],
    )


def _find_open(event: "Event") -> "Session":
    return axiom_course.require_requirement(event.store, event.place)


def _go_on(event: "Event", step: str) -> Answer:
    """Resume the open requirement, unless this step is ahead of its gate."""
    session = _find_open(event)
    state = axiom_step.find_state(session)
    wanted, gate = _STEPS.get(step, (states.PLANNING, ""))
    if state in _ORDER and _ORDER.index(state) < _ORDER.index(wanted):
        progress = axiom_step.read_progress(session)
        assert progress is not None
        lack = states.explain_shut(progress, _ORDER[_ORDER.index(state) + 1])
        raise Conflict(f"ax-{step} waits for the {gate}: the requirement is in {state}. {lack}")
    if session.state.run:
        raise Conflict("it was started without a client; continue in a terminal: ultrawork resume")
    if find_name(event) != session.id:
        words = beginning.GoalCommand({"session": session.id}, "")
        session = beginning.resume(event.store, event.place, event.session, words, event.caller)
        _clear_offer(event, session)
    return _lead(event, session)


def _clear_offer(event: "Event", session: "Session") -> None:
    with event.store.change(session.id) as change:
        current = sessions.get(change.database, session.id)
        current.state.lead = {**current.state.lead, "offered": False}
        sessions.save(change, current, "axiom.taken-up", {"by": event.session})


def _suspend(event: "Event", _words: str) -> Answer:
    """Suspend the requirement; the session is an ordinary one again."""
    session = _find_open(event)
    state = park(event, session.id, "ax-suspend")
    if find_name(event) == session.id:
        markers.disarm(event.home, event.environ, event.session)
    return Answer(end=f"ultrawork: suspended in {state}. Continue: {states.name_way_on(state)}")


def _status(event: "Event", _words: str) -> Answer:
    from .. import report as axiom

    stale = axiom_memory.list_stale_ids(event.store, event.place)
    return Answer(end="ultrawork:\n" + axiom.render_status(axiom.read(event.store, event.place, stale)))


def _evolve(event: "Event", words: str) -> Answer | None:
    """Handle `accept Q-001` and `refuse Q-001`, typed by a user; everything else is the skill's."""
    act, _, names = words.partition(" ")
    if act not in ("accept", "refuse") or not names.strip():
        return None
    if not consent.is_typed(event):
        raise Conflict("only the user can accept what was learned, and the user did not type this")
    done = []
    for name in names.replace(",", " ").split():
        if act == "accept":
            entry = axiom_memory.accept(event.store, event.place, name, by_person=True, how="the client")
            done.append(f"{name} is {entry.id} now")
        else:
            axiom_memory.refuse(event.store, event.place, name, how="the client")
            done.append(f"{name} is refused")
    return Answer(end=f"ultrawork: {'; '.join(done)}")


def _rollback(event: "Event", words: str) -> Answer:
    """Show what would go; `yes`, typed by a user, applies it."""
    from ..course import checkpoints as axiom_checkpoints
    from ..report import render_rollback

    session = _find_open(event)
    named = [word for word in words.split() if word not in _YES]
    plan = axiom_checkpoints.plan_rollback(event.store, event.environ, session, named[0] if named else "")
    shown = f"ultrawork: {render_rollback(plan.name, plan.restored, plan.removed)}"
    if plan.is_empty or len(named) == len(words.split()):
        return Answer(end=f"{shown}\nrestore it: /ultrawork:ax-rollback {plan.name} yes")
    if not consent.is_typed(event):
        raise Conflict("only the user can restore files, and the user did not type this")
    saved = axiom_checkpoints.roll_back(event.store, event.environ, session, plan)
    return Answer(end=f"{shown}\nthe files before are {saved}")


def _use_context(event: "Event", words: str) -> Answer | None:
    """Handle memory commands that only a user may give; everything else is the skill's."""
    act, _, given = words.partition(" ")
    if act == "sync":
        return _sync(event, given.strip())
    return _answer(event, given) if act == "answer" and given.strip() else None


def _sync(event: "Event", given: str) -> Answer:
    """Handle `ax-context sync`: show what changed on the pages; `yes`, or ids, imports it."""
    from ..report import list_page_edits
    from ..store import page_edits

    edited_pages = page_edits.list_edited_pages(event.store.database, event.place)
    if not edited_pages:
        return Answer(end="ultrawork: the pages have no manual edits")
    if not given:
        way = "import them: /ultrawork:ax-context sync yes, or sync ID,ID"
        return Answer(end="\n".join(["ultrawork: changed on the pages", *list_page_edits(edited_pages), way]))
    if not consent.is_typed(event):
        raise Conflict("only the user can import what was written by hand; the user did not type this")
    only = [] if given in _YES else given.replace(",", " ").split()
    done = axiom_memory.take_edits(event.store, event.place, only, how="the client")
    lines = [f"ultrawork: imported: {', '.join(done.taken) or 'nothing'}"]
    return Answer(end="\n".join([*lines, *(f"kept aside: {path}" for path in done.aside)]))


def _answer(event: "Event", given: str) -> Answer:
    """Handle `ax-context answer WORDS`: the user's answer if no question could be shown."""
    if not consent.is_typed(event):
        raise Conflict("only the user can answer, and the user did not type this")
    session = _find_open(event)
    question, _ = axiom_work.find_question(session)
    axiom_work.answer_question(event.store, session.id, question, given, how="the client")
    return _go_on(event, "draft")


_ACTS: "dict[str, Callable[[Event, str], Answer | None]]" = {
    "draft": _draft,
    "review": lambda event, _words: _go_on(event, "review"),
    "decompose": lambda event, _words: _go_on(event, "decompose"),
    "implement": lambda event, _words: _go_on(event, "implement"),
    "suspend": _suspend,
    "status": _status,
    "evolve": _evolve,
    "context": _use_context,
    "rollback": _rollback,
}
