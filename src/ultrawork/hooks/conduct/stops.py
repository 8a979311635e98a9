"""The end of a turn in a planned session."""

from ...core import phases, steps
from ...core import stop as rules
from ...core import verdict as verdicts
from ...core.refusing import unverified
from ...core.stop import Decision
from ...flow.abandon import abandon
from ...gates import listing, start
from ...gates.work import HOOK
from ...store import agents, contexts, decisions, markers, sessions, tasks
from ..answer import Answer
from ..table import skipped
from .consent import may_run
from .pushing import course_of, name_of, on, pushed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...core.session import Session
    from ..event import Event

_BUDGET = 240.0
_RETRY = "retry-asked-for"


def stop(event: "Event") -> Answer | None:
    """The end of a turn: the gates are run when it is time, and the next step refuses the stop."""
    course = course_of(event)
    if course is None or any(skipped(event.environ, mode) for mode in on(event)):
        return None
    if not _agents_at_work(event):
        abandon(event.store, course.name, "its agent ended without a word")
    session, step, text = pushed(event, course)
    if step.kind == steps.VERIFY and _may_verify(event, session):
        start.verify(
            event.store,
            event.environ,
            session.working_dir,
            session=session.id,
            by=HOOK,
            seconds=_BUDGET,
        )
        session, step, text = pushed(event, course)
    if step.kind == steps.DONE:
        return _ended(event, session)
    decision = _decision(event, session, step)
    with event.store.change(session.id) as change:
        decisions.add(
            change,
            decision,
            event="Stop",
            tree=_place(event, session),
            told=[step.kind],
            text=text,
            counts=decision.rule != _RETRY,
        )
    return _answer(event, session, decision, text)


def _agents_at_work(event: "Event") -> bool:
    """As the client sees it: what it does not list is not running, whatever we remember. Codex lists nothing."""
    if event.is_codex:
        return bool(agents.at_work(event.store.database, name_of(event), now=event.clock()))
    return any(one.get("type") != "shell" for one in event.entries("background_tasks"))


def _may_verify(event: "Event", session: "Session") -> bool:
    found = listing.of(event.store, event.environ, session.working_dir).gates
    return all(may_run(event, gate.command) for gate in found)


def _place(event: "Event", session: "Session") -> str:
    """Where the session stands: any progress makes this another place."""
    plan = tasks.listed(event.store.database, session.id)
    done = [task.id for task in plan if task.status == "resolved"]
    reported = sum(1 for one in contexts.listed(event.store.database, session.id) if one.done_at)
    version = session.plan.get("version")
    drafted = sum(bool(one) for one in (session.design, session.state.get("prd")))
    state = session.state.get("verification")
    judged = len(state.get("judged", ())) if isinstance(state, dict) else 0
    return (
        f"{session.phase} {session.iteration} {len(done)} {reported} {len(plan)} {version}"
        f" {drafted} {judged}"
    )


def _is_of(taken: "decisions.Taken", session: "Session") -> bool:
    """Refusals are counted since the phase or the round last changed."""
    return str(taken.tree).startswith(f"{session.phase} {session.iteration} ")


def _decision(event: "Event", session: "Session", step: steps.Step) -> Decision:
    """
    Work that runs defers, where its end is heard of; planning waits for its person, and so does a question once the model was
    told to ask it; the rest is refused, within bounds.
    """
    place = _place(event, session)
    taken = decisions.since(event.store.database, session.id, 0.0)
    stops = [one for one in taken if one.event == "Stop"]
    here = [one for one in stops if one.rule != _RETRY and _is_of(one, session)]
    history = decisions.History(here, place)
    if not event.is_codex and (step.kind == steps.WAIT or _agents_at_work(event)):
        return Decision(rules.SILENT, "agents-running", step.text)
    if event.attended and (step.kind == steps.PLAN or (step.kind == steps.ASK and history.row)):
        return Decision(rules.SILENT, "with-the-person", step.text)
    if _asks_for_the_round(event, step, [one for one in stops if one.tree == place]):
        return Decision(rules.REFUSE, _RETRY, step.text, "do what it says")
    if history.row >= 2 or history.refusals >= 8:
        return Decision(
            rules.LET_GO, "no-progress", f"let go without progress: {step.text}", "ulw status"
        )
    return Decision(rules.REFUSE, "next", step.text, "do what it says")


def _asks_for_the_round(
    event: "Event", step: steps.Step, here: "Sequence[decisions.Taken]"
) -> bool:
    """The mark as the last line, when a retry is due, is no refusal; once for each place it comes to."""
    lines = event.text("last_assistant_message").strip().splitlines()
    marked = bool(lines) and lines[-1].strip() == steps.RETRY_MARK
    return marked and step.again and not any(one.rule == _RETRY for one in here)


def _answer(event: "Event", session: "Session", decision: Decision, text: str) -> Answer | None:
    if decision.action == rules.REFUSE:
        return Answer(block=text)
    if decision.action != rules.LET_GO:
        return None
    with event.store.change(session.id) as change:
        current = sessions.get(change.database, session.id)
        current.verdict, current.ended_at = verdicts.UNVERIFIED, change.now
        sessions.save(change, current, "session.let-go", {"why": decision.because})
    return _ended(event, current)


def _ended(event: "Event", session: "Session") -> Answer:
    markers.disarm(event.home, event.environ, event.session)
    if session.state.get("answered"):
        return Answer()
    if session.phase == phases.PLANNING_COMPLETE:
        return Answer(message="ultrawork: the plan stands. Execute it: /ultrawork:ultrawork-exec")
    if session.phase == phases.COMPLETE:
        text = f"ultrawork: PASS  {session.goal[:60]}. Show: ultrawork report --session {session.id[:8]}"
        return Answer(message=text)
    why = session.state.get("unproved") or session.phase
    said = unverified([], f"{why}: {session.goal[:60]}.")
    return Answer(message=said) if event.attended else Answer(message=said, end=said)
