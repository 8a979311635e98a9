"""
What the person sees of a planned session in the client, whatever the model says or leaves out: the plan before it is
approved, what begins and what is settled, why another round is needed, what is open when they are asked, the end.
"""

from ...core import registry
from ...core.course import steps
from ...core.session import phases
from ...core.session.outcome import ANSWERED
from ...core.session.session import Session
from ...report import plan
from ...store import receipts, sessions, tasks
from ..answer import Answer
from ..event import Event

_LINES = 20
_BEFORE = (phases.PLANNING, phases.PLANNING_COMPLETE)


def tell_begun(event: Event, name: str, subject: str, model: str) -> str:
    listed = tasks.list_all(event.store.database, name)
    found = [task for task in listed if task.id == subject]
    return plan.render_begun(found[0], listed, model) if found else ""


def keep_settled(event: Event, name: str, subject: str) -> None:
    """
    Of an agent that worked on a task; explorers and judges have none. The client shows nothing that is said at the
    end of an agent, so the line waits for the next event whose words it shows.
    """
    listed = tasks.list_all(event.store.database, name)
    found = [task for task in listed if task.id == subject and not task.is_verify]
    if found:
        keep_line(event, name, plan.render_settled(found[0], listed))


def keep_line(event: Event, name: str, line: str) -> None:
    with event.store.change(name) as change:
        session = sessions.get(change.database, name)
        session.state.settled = [*session.state.settled, line][-_LINES:]
        sessions.save(change, session, "line.kept", {"line": line})


def take_settled(event: Event, name: str) -> str:
    """The lines that wait; asking counts as showing."""
    waiting = sessions.get(event.store.database, name).state.settled
    if not waiting:
        return ""
    with event.store.change(name) as change:
        session = sessions.get(change.database, name)
        waiting = session.state.settled
        del session.state.settled
        sessions.save(change, session, "person.told", {"lines": len(waiting)})
    return "\n".join(waiting)


def show_plan(event: Event, session: Session) -> str:
    """The whole plan; from now on the person has seen it."""
    listed = tasks.list_all(event.store.database, session.id)
    with event.store.change(session.id) as change:
        current = sessions.get(change.database, session.id)
        current.plan = {**current.plan, "shown": current.plan.get("version")}
        sessions.save(change, current, "plan.shown", {})
    return f"ultrawork: the plan\n{plan.render_plan(session, listed)}"


def is_shown(session: Session) -> bool:
    return session.plan.get("shown") == session.plan.get("version")


def tell_queue(event: Event, session: Session) -> str:
    """What is about to be carried out; nothing while there is no plan, or where stages have their own screen."""
    listed = tasks.list_all(event.store.database, session.id)
    if session.phase != phases.EXECUTION or session.state.pipeline or not listed:
        return ""
    return plan.render_queue(session, listed)


def tell_moves(event: Event, before: Session, after: Session) -> str:
    """What changed for the session as a whole: its queue begins, another round is needed, all is settled."""
    listed = tasks.list_all(event.store.database, after.id)
    if after.iteration > before.iteration:
        from ...report.why import read_last_step

        step = read_last_step(event.store.database, after.id)
        return plan.render_round(after, _explain_round(event, after, step[1] if step else ""))
    if before.phase in _BEFORE and after.phase == phases.EXECUTION and not after.state.pipeline:
        return plan.render_queue(after, listed)
    if before.phase == phases.EXECUTION and after.phase == phases.VERIFICATION:
        return f"ultrawork: tasks {plan.count_tasks(listed)} resolved. Now I run the checks on the whole result"
    return ""


def _explain_round(event: Event, session: Session, why: str) -> str:
    """Why, and of what was found the first thing."""
    from ...core.verdict.summary import find_reason
    from ...core.verdict_values import PASS

    last = receipts.find_last_verdict(event.store.database, session.id)
    if last is not None and last["verdict"] != PASS:
        return find_reason(last)
    found = session.state.verification.get("before") or []
    return "; ".join([why, *map(str, found[:1])])


def tell_question(event: Event, session: Session, question: str) -> str:
    """
    What a person has to see who is about to be asked: the plan, or what is open and why. With the step that has the
    model ask: what comes with the call of the question itself is shown only once it is answered.
    """
    if not question:
        return ""
    listed = tasks.list_all(event.store.database, session.id)
    if question in (asked for asked, _ in steps.APPROVAL.values()):
        return show_plan(event, session)
    if question in (steps.STUCK[0], steps.REASON[0]):
        from ...report.course import list_issues

        last = receipts.find_last_verdict(event.store.database, session.id)
        return plan.render_failed(listed, list_issues(session, last))
    if not session.state.lead:
        return ""
    told: str = registry.ask_lead("tell_question")(event, session, question)
    return told


def tell_end(event: Event, session: Session) -> Answer:
    """The whole of what it came to, with where the work is and what can be done now."""
    from ...report.blocks import render_blocks
    from ...report.course import list_ending
    from ...report.summary import summarize

    database, summary = event.store.database, summarize(event.store, session)
    outcome = summary.outcome
    if outcome.word == ANSWERED:
        return Answer()
    listed = tasks.list_all(database, session.id)
    blocks = list_ending(database, summary, listed, client=True)
    head = f"ultrawork: {outcome.word or session.phase}. Full report: ulw report"
    text = f"{head}\n{render_blocks(blocks[1:])}"
    shown = outcome.exit == 0 or event.attended
    return Answer(message=text) if shown else Answer(message=text, end=text)
