"""What the user sees of a planned session in the client, whatever the model prints: the plan before approval, what
starts and ends, why another round is needed, what is open at a question, the end."""

from ...core import registry
from ...core.course import steps
from ...core.session.outcome import ANSWERED
from ...core.session.session import EXECUTION, PLANNING, PLANNING_COMPLETE, VERIFICATION, Session
from ...report import plan
from ...store import pins, receipts, sessions, tasks
from ..event import Answer, Event

_LINES = 20
_BEFORE = (PLANNING, PLANNING_COMPLETE)


def tell_begun(event: Event, name: str, subject: str, model: str) -> str:
    listed = tasks.list_all(event.store.database, name)
    matches = [task for task in listed if task.id == subject]
    return plan.render_begun(matches[0], listed, model) if matches else ""


def keep_settled(event: Event, name: str, subject: str) -> None:
    """Store the line about a finished task; explorers and judges have none. The client shows nothing at the end of an
    agent, so the line waits for an event that it does show."""
    listed = tasks.list_all(event.store.database, name)
    matches = [task for task in listed if task.id == subject and not task.is_verify]
    if matches:
        keep_line(event, name, plan.render_settled(matches[0], listed))


def keep_line(event: Event, name: str, line: str) -> None:
    with event.store.change(name) as change:
        session = sessions.get(change.database, name)
        session.state.settled = [*session.state.settled, line][-_LINES:]
        sessions.save(change, session, "line.kept", {"line": line})


def take_settled(event: Event, name: str) -> str:
    """Return the lines that were not shown yet, and mark them as shown."""
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
    """Return the whole plan and record that the user has seen it."""
    listed = tasks.list_all(event.store.database, session.id)
    with event.store.change(session.id) as change:
        current = sessions.get(change.database, session.id)
        current.plan = {**current.plan, "shown": current.plan.get("version")}
        sessions.save(change, current, "plan.shown", {})
    return f"ultrawork: the plan\n{plan.render_plan(session, listed)}"


def is_shown(session: Session) -> bool:
    return session.plan.get("shown") == session.plan.get("version")


def tell_queue(event: Event, session: Session) -> str:
    """Return what is about to be executed; nothing without a plan, or if stages have their own screen."""
    listed = tasks.list_all(event.store.database, session.id)
    if session.phase != EXECUTION or session.state.pipeline or not listed:
        return ""
    return plan.render_queue(session, listed)


def tell_moves(event: Event, before: Session, after: Session) -> str:
    """Return what changed for the whole session: its queue starts, another round is needed, all is settled."""
    listed = tasks.list_all(event.store.database, after.id)
    if after.iteration > before.iteration:
        from ...report.why import read_last_step

        step = read_last_step(event.store.database, after.id)
        return plan.render_round(after, _explain_round(event, after, step[1] if step else ""))
    if before.phase in _BEFORE and after.phase == EXECUTION and not after.state.pipeline:
        return plan.render_queue(after, listed)
    if before.phase == EXECUTION and after.phase == VERIFICATION:
        return f"ultrawork: {plan.count_tasks(listed)} tasks resolved. Now I run the checks on the whole result"
    return ""


def _explain_round(event: Event, session: Session, why: str) -> str:
    """Return why another round is needed, with the first finding."""
    from ...core.verdict.summary import find_reason
    from ...core.verdict_values import PASS

    last = receipts.find_last_verdict(event.store.database, session.id)
    if last is not None and last["verdict"] != PASS:
        return find_reason(last)
    before = session.state.verification.get("before") or []
    return "; ".join([why, *map(str, before[:1])])


def tell_question(event: Event, session: Session, question: str) -> str:
    """Return what the user has to see before a question: the plan, or what is open and why. It comes with the step
    that makes the model ask, because the client shows the text of the question call only after the answer."""
    if not question:
        return ""
    listed = tasks.list_all(event.store.database, session.id)
    if question in (approval for approval, _ in steps.APPROVAL.values()):
        return show_plan(event, session)
    if question in (steps.STUCK[0], steps.REASON[0]):
        from ...report.course import list_issues

        last = receipts.find_last_verdict(event.store.database, session.id)
        return plan.render_failed(listed, list_issues(session, last))
    if not session.state.lead:
        return ""
    text: str = registry.ask_lead("tell_question")(event, session, question)
    return text


def _count_changed(event: Event, session: Session) -> int | None:
    """Return how many files changed where no verdict has counted them."""
    pin = pins.get(event.store.database, session.id)
    if pin is None or receipts.find_last_verdict(event.store.database, session.id) is not None:
        return None
    from ...gates.session import pinning

    return pinning.count_changed_files(event.place, event.store, event.environ, pin)


def tell_end(event: Event, session: Session) -> Answer:
    """Return the full result, with where the work is and what to do next."""
    from ...report.blocks import render_blocks
    from ...report.course import list_ending
    from ...report.summary import summarize

    database, summary = event.store.database, summarize(event.store, session)
    outcome = summary.outcome
    if outcome.word == ANSWERED:
        return Answer()
    listed = tasks.list_all(database, session.id)
    blocks = list_ending(database, summary, listed, client=True, changed=_count_changed(event, session))
    head = f"ultrawork: {outcome.word or session.phase}. Full report: ulw report"
    text = f"{head}\n{render_blocks(blocks[1:])}"
    shown = outcome.exit == 0 or event.attended
    return Answer(message=text) if shown else Answer(message=text, end=text)
