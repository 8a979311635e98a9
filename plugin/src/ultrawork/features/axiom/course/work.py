"""Work on a requirement: the user's answers, and the ends of its workers.

A worker ends with QUESTION, COMPLETE or BLOCKED. COMPLETE is a claim: the task's criteria and the project's checks
decide, run by us. What failed and how often decides whether it is fixed, or waits for the user."""

from collections.abc import Callable, Mapping

from ....core.errors import Conflict, UltraworkError
from ....core.modes.machine import ModeProgress
from ....core.plan.task import FAILED, IN_PROGRESS, PENDING, RESOLVED, Task
from ....core.session.session import VERIFICATION, Session
from ....core.stop.last_message import CLAIMED, REFUTED
from ....core.wording import cut
from ....flow import agent_ends, iteration, planning
from ....store import agents, sessions, tasks
from ....store.database import Change
from ....store.store import Store
from ..values import answers as said
from ..values import states
from ..values import step as axiom_step
from ..values.step import read_progress
from . import checkpoints as axiom_checkpoints
from . import papers as axiom_papers
from .progress import keep, move

Outcome = Callable[[Change, Session, ModeProgress, str], None]

WISHES = (
    "What should be different?",
    ("Smaller: leave out what is not needed", "Clearer: say what is meant where it is vague"),
)
_LONGEST = 1000


def find_question(session: "Session") -> tuple[str, tuple[str, ...]]:
    """Return the current question to the user with its usual answers; empty if there is none."""
    progress, open_question = read_progress(session), session.state.lead.get("open")
    if isinstance(open_question, dict) and open_question.get("question"):
        return str(open_question["question"]), tuple(open_question.get("options") or ())
    if progress is None or not session.active:
        return "", ()
    if progress.phase == states.CONFIRMING and progress.facts.get("confirmed") != progress.facts.get("prd"):
        return axiom_step.CONFIRM
    return axiom_step.BLOCKED if progress.phase == states.BLOCKED else ("", ())


def is_question(store: "Store", name: str, question: str, words: str) -> bool:
    """Return whether these words answer the current question: one of its options, or any words if it is open."""
    session = sessions.get(store.database, name)
    current_question, options = find_question(session)
    if not current_question or current_question != question or not words.strip():
        return False
    return bool(session.state.lead.get("open")) or words in options or current_question == axiom_step.CONFIRM[0]


def answer_question(store: "Store", name: str, question: str, words: str, *, how: str) -> None:
    """Store the user's answer, however it arrived; the caller has verified that it is theirs."""
    with store.change(name) as change:
        session = sessions.get(change.database, name)
        progress = read_progress(session)
        current_question, _ = find_question(session)
        if progress is None or current_question != question:
            raise Conflict("this question is no longer open; see ultrawork axiom status")
        answer = {"question": question, "answer": words[:_LONGEST], "how": how}
        change.record("axiom.answered", answer)
        session.state.lead = {**session.state.lead, "answered_at": how}
        _find_outcome(session, question)(change, session, progress, words.strip()[:_LONGEST])


def _find_outcome(session: "Session", question: str) -> "Outcome":
    open_question = session.state.lead.get("open")
    if isinstance(open_question, dict) and open_question.get("question") == question:
        return _OPEN[str(open_question.get("about"))]
    return _confirm if question == axiom_step.CONFIRM[0] else _release


def _close_question(session: "Session", **more: object) -> None:
    kept = {key: value for key, value in session.state.lead.items() if key != "open"}
    session.state.lead = {**kept, **more}


def _clarify(change: "Change", session: "Session", progress: "ModeProgress", words: str) -> None:
    question = str(session.state.lead["open"]["question"])
    answers = [*(session.state.lead.get("asked") or ()), {"question": question, "answer": words}]
    _close_question(session, asked=answers)
    if (question, words) == (axiom_papers.CLEAR_ENOUGH[0], axiom_papers.CLEAR_ENOUGH[1][0]):
        progress.facts["clarity"] = states.CLARITY  # because the user said so
    keep(change, session, progress, "axiom.clarified", {"answers": len(answers)})


def _instruct(change: "Change", session: "Session", progress: "ModeProgress", words: str) -> None:
    """Add the answer to a worker's question to its task."""
    task = str(session.state.lead["open"].get("task"))
    answers = {**(session.state.lead.get("answers") or {}), task: words}
    _close_question(session, answers=answers)
    keep(change, session, progress, "axiom.instructed", {"task": task})


def _wish(change: "Change", session: "Session", progress: "ModeProgress", words: str) -> None:
    """Return to the draft, with the user's own words."""
    _close_question(session, wishes=[*(session.state.lead.get("wishes") or ()), words])
    progress.facts.update(draft="", reviews={}, rough="")
    move(change, session, progress, states.PLANNING, "the user wants changes")


def _confirm(change: "Change", session: "Session", progress: "ModeProgress", words: str) -> None:
    if words == axiom_step.YES:
        progress.facts["confirmed"] = progress.facts.get("prd")
        by = f"you, at {session.state.lead.get('answered_at')}"
        gate = {"last_gate": f"{states.USER}: Yes, {by}", "confirmed_by": by}
        session.state.lead = {**session.state.lead, **gate}
        keep(change, session, progress, "axiom.confirmed", {"prd": progress.facts.get("prd")})
        return
    if words != axiom_step.NO:
        _wish(change, session, progress, words)
        return
    question, options = WISHES
    open_question = {"question": question, "options": list(options), "about": "wishes", "why": "the user said no"}
    session.state.lead = {**session.state.lead, "open": open_question}
    keep(change, session, progress, "axiom.declined", {})


def _release(change: "Change", session: "Session", progress: "ModeProgress", words: str) -> None:
    """Try again with the full number of tries, or archive the requirement as it is, never as PASS."""
    progress.facts["resolved"] = words
    _close_question(session, blocked="", stuck={})
    if words == axiom_step.AS_IT_IS:
        move(change, session, progress, states.ARCHIVING, "the user archives it as it is")
        return
    for task in tasks.list_all(change.database, change.session, status=FAILED):
        tasks.update(change, task.id, status=PENDING, retry_count=0)
    if session.phase == VERIFICATION:
        limit = int(str(session.options["max_iterations"]))
        session.options["max_iterations"] = max(limit, session.iteration + 1 + states.MENDS)
        iteration.begin(change, session)
    states.forget_mends(progress)
    move(change, session, progress, states.EXECUTING, "the user wants another try")


def _retry_paper(change: "Change", session: "Session", progress: "ModeProgress", words: str) -> None:
    """Write the paper again, or end the requirement with what is missing."""
    part = str(session.state.lead["open"].get("part"))
    lost = dict(session.state.lead.get("lost") or {})
    if words == axiom_papers.LOST["options"][0]:
        lost.pop(part, None)
    _close_question(session, lost=lost)
    keep(change, session, progress, "axiom.retried", {"part": part, "answer": words})


_OPEN: "dict[str, Outcome]" = {
    "lost": _retry_paper,
    axiom_step.REQUIREMENT: _clarify,
    "task": _instruct,
    "wishes": _wish,
}


def end_task(
    store: "Store",
    environ: "Mapping[str, str]",
    name: str,
    task: "Task",
    message: str,
    *,
    by: str,
    agent: str,
    may_run: "Callable[[str], bool] | None" = None,
    last: bool = True,
) -> str:
    """Handle the end of a task's `agent` in the checkout; return the sentence it is sent back with, empty if its task
    is settled. It is sent back only while criteria that it alone may start have not run, and not at its `last` end."""
    answer = read_answer(message)
    if answer.status == said.QUESTION and answer.question:
        ask_for_task(store, name, task.id, answer)
        return ""
    if answer.status == said.BLOCKED:
        note_stuck(store, name, answer)
        why = answer.cause or answer.needs or "it gave no reason"
        _settle(store, name, task, FAILED, f"the worker reports that it is blocked: {why}", [])
        return ""
    checked = agent_ends.check_criteria(store, environ, name, task, by=by, may_run=may_run)
    if checked.unrun and not checked.failed and not last:
        return f"these have not run: {'; '.join(checked.unrun)}"
    status, reason, evidence = agent_ends.decide_end(checked, message)
    if status == RESOLVED and not checked.met and answer.status != said.COMPLETE:
        status, reason = FAILED, "nothing was run, and the worker did not say COMPLETE"
    if status == RESOLVED:
        green, words = agent_ends.run_gates(store, environ, name, by=by, may_run=may_run)
        evidence = [*evidence, f"{states.CI}: {words}"] if words else evidence
        status, reason = (status, reason) if green else (FAILED, words)
    _settle(store, name, task, status, reason, evidence)
    if answer.status == said.COMPLETE:
        with store.change(name) as change:
            agents.record_claim(change, CLAIMED if status == RESOLVED else REFUTED, agent)
    if status == RESOLVED:
        session = sessions.get(store.database, name)
        axiom_checkpoints.make_checkpoint(store, environ, session, f"{task.id} is green")
    return ""


def read_answer(message: str) -> said.WorkerAnswer:
    try:
        block = planning.parse_block(message)
    except UltraworkError:
        block = {}
    return said.read_worker_answer(block, message)


def _settle(  # noqa: PLR0917 (what a task ends with)
    store: "Store", name: str, task: "Task", status: str, reason: str, evidence: "list[str]"
) -> None:
    with store.change(name) as change:
        tasks.update(change, task.id, status=status, evidence=evidence, reason=reason or None)
        agents.release(change, task.id)


def ask_for_task(store: "Store", name: str, task: str, answer: said.WorkerAnswer) -> None:
    """Pass a worker's question to the user; that is not an attempt."""
    why = cut(f"the worker of {task} asks; {answer.background}", 200)
    open_question = {
        "question": answer.question,
        "options": list(answer.options if len(answer.options) > 1 else axiom_papers.USUAL),
        "about": "task",
        "task": task,
        "why": why,
    }
    with store.change(name) as change:
        session = sessions.get(change.database, name)
        session.state.lead = {**session.state.lead, "open": open_question}
        sessions.save(change, session, "axiom.asked", {"task": task, "question": answer.question})
        if tasks.get(change.database, name, task).status == IN_PROGRESS:
            tasks.give_back(change, task, "its worker asked a question")
        agents.release(change, task)


def note_stuck(store: "Store", name: str, answer: said.WorkerAnswer) -> None:
    """Record why it cannot continue for the report; nothing is retried."""
    reasons = {key: getattr(answer, key) for key in ("cause", "tried", "needs", "advice")}
    with store.change(name) as change:
        session = sessions.get(change.database, name)
        progress = read_progress(session)
        if progress is None:
            return
        progress.facts["stuck"] = True
        session.state.lead = {**session.state.lead, "stuck": reasons}
        keep(change, session, progress, "axiom.stuck", reasons)
