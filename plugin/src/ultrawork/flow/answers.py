"""The user's answers: to the program's own questions, with what they change, and to inbox items, each taken once,
wherever it was given."""

from collections.abc import Callable

from ..core import registry
from ..core.course import steps
from ..core.errors import Conflict, UsageError
from ..core.plan.task import RESOLVED, SKIPPED
from ..core.session.session import CANCELLED, FAILED, VERIFICATION, Session
from ..core.state import ENGINE
from ..core.times import format_iso
from ..core.verdict import verdict as verdicts
from ..core.wording import join_lines
from ..report import inbox as report
from ..report.inbox import InboxItem
from ..store import ending, sessions, tasks
from ..store import inbox as stored
from ..store.database import Change
from ..store.store import Store
from . import iteration

Outcome = Callable[[Session, Change], None]

_LONGEST = 300


def list_options(question: str) -> tuple[str, ...]:
    """Return the options of our question; none if it is not ours."""
    return next((options for (text, options), _ in _QUESTIONS if text == question), ())


def is_answer(question: str, words: str) -> bool:
    """Return whether it is exactly one option of exactly our question; only a reason may have any words."""
    return bool(words.strip()) if question == steps.REASON[0] else words in list_options(question)


def is_wish(question: str, words: str) -> bool:
    """Return whether the user's own words answer a plan: what should be different."""
    questions = [text for text, _ in steps.APPROVAL.values()]
    return question in questions and bool(words.strip()) and words not in list_options(question)


def send_back(store: Store, name: str, wishes: str) -> None:
    """Reject the plan; the next one is made with the user's own words."""
    with store.change(name) as change:
        session = sessions.get(change.database, name)
        session.state.plan_errors = [join_lines(wishes)[:_LONGEST]]
        sessions.save(change, session, "plan.sent-back", {"wishes": wishes[:_LONGEST]})


def record(store: Store, name: str, question: str, words: str, how: str = "terminal") -> None:
    if sessions.get(store.database, name).state.lead:
        registry.ask_lead("answer_question")(store, name, question, words, how=how)
        return
    with store.change(name) as change:
        session = sessions.get(change.database, name)
        if question == steps.REASON[0]:
            _skip(session, change, words)
        for (text, options), outcomes in _QUESTIONS:
            if text == question and words in options and outcomes:
                outcomes[options.index(words)](session, change)
        details = {"question": question, "answer": words[:_LONGEST], "how": how}
        if session.plan.get("approved_at"):
            session.plan = {"approved_by": f"you, at {how}", **session.plan}
        if session.ended_at is not None:
            details["why"] = session.state.skipped or f'you answered "{details["answer"]}"'
        sessions.save(change, session, "question.answered", details)


def _approve(session: Session, change: Change) -> None:
    session.plan = {**session.plan, "approved_at": format_iso(change.now)}


def _send_back(session: Session, _change: Change) -> None:
    generic = "the user wants changes. Ask which, then store the plan again"
    session.state.plan_errors = session.state.plan_errors or [generic]


def _end(phase: str, verdict: str) -> Outcome:
    def end(session: Session, change: Change) -> None:
        session.phase, session.verdict, session.ended_at = phase, verdict, change.now

    return end


def _try_again(session: Session, change: Change) -> None:
    """Start one more round, even beyond the limit."""
    limit = int(str(session.options["max_iterations"]))
    session.options["max_iterations"] = max(limit, session.iteration + 1)
    iteration.begin(change, session)


def _wants_to_skip(session: Session, _change: Change) -> None:
    session.state.skipping = True


def _skip(session: Session, change: Change, reason: str) -> None:
    """Skip what failed. Skipped never counts as resolved; if only the checks fail, only the verdict can be skipped."""
    wanted = session.state.skipping
    del session.state.skipping
    if not wanted:
        return
    text = f"skipped by you: {join_lines(reason)[:_LONGEST]}"
    if session.phase == VERIFICATION:
        session.verdict, session.ended_at = verdicts.UNVERIFIED, change.now
        session.state.skipped = text
        return
    for task in tasks.list_all(change.database, change.session):
        if not task.is_verify and task.status not in (RESOLVED, SKIPPED):
            tasks.update(change, task.id, status=SKIPPED, reason=text)


_PLAN_OUTCOMES = (_approve, _send_back, _end(CANCELLED, verdicts.UNVERIFIED))
_STUCK_OUTCOMES = (_try_again, _wants_to_skip, _end(FAILED, verdicts.FAIL))
_QUESTIONS = (
    *((question, _PLAN_OUTCOMES) for question in steps.APPROVAL.values()),
    (steps.STUCK, _STUCK_OUTCOMES),
    (steps.REASON, ()),
)


_ACCEPT, _DENY = "accept", "deny"


def answer_item(store: Store, item: InboxItem, words: str, where: str) -> tuple[str, str]:
    """Return what was understood, and what comes next. `where` is a terminal or the page."""
    return _ANSWERS[item.kind](store, item, words.strip(), where)


def mark_results_seen(store: Store, items: list[InboxItem]) -> list[str]:
    """Mark what failed or is done as seen, and return the marked items. A question stays until it is answered."""
    seen = [item for item in items if item.rank in (report.FAILED, report.DONE)]
    for item in seen:
        with store.change(item.row.session.id) as change:
            stored.mark_seen(change, item.id)
    return [item.id for item in seen]


def _answer_plan(store: Store, item: InboxItem, words: str, where: str) -> tuple[str, str]:
    """Accept an option by its number or first letters; any other words ask for a different plan."""
    if not words:
        raise UsageError(f"{item.question} Answer with one of: {', '.join(item.options)}")
    chosen = _match(words, item.options) or words
    _take(store, item, chosen, where)
    name = item.row.session.id
    if is_wish(item.question, chosen):
        send_back(store, name, chosen)
    else:
        record(store, name, item.question, chosen, where)
    return chosen, f"answered: {chosen}. {_name_next(item)}"


def _match(words: str, options: tuple[str, ...]) -> str:
    lower = words.lower()
    matches = [
        option
        for number, option in enumerate(options, 1)
        if lower and (lower == str(number) or option.lower().startswith(lower))
    ]
    return matches[0] if len(matches) == 1 else ""


def _name_next(item: InboxItem) -> str:
    driver = item.row.driver
    if driver.kind == ENGINE and not driver.is_alive:
        return f"To continue: ultrawork resume --session {item.row.id}"
    return "The session continues with its next step."


def _answer_test(store: Store, item: InboxItem, words: str, where: str) -> tuple[str, str]:
    verb, _, reason = words.partition(" ")
    chosen = _match(verb, item.options)
    if not chosen:
        raise UsageError(f"is {item.test} wrong? Answer accept, or deny with a reason")
    _take(store, item, words if chosen == _DENY else chosen, where)
    name = item.row.session.id
    if chosen == _ACCEPT:
        ending.allow_test(store, name, f"test `{item.test}`")
        return (chosen, f"{item.test} may be changed. To continue, type in the client: ulw fix {item.test}")
    with store.change(name) as change:
        stored.deny_test(change, item.test, reason)
    return (chosen, f"{item.test} stays as it is. To continue, type in the client: ulw make {item.test} pass")


def _refer_to_client(_store: Store, item: InboxItem, _words: str, _where: str) -> tuple[str, str]:
    raise Conflict(f"{item.id} is a question of the client itself; {item.command}")


def _take(store: Store, item: InboxItem, words: str, where: str) -> None:
    with store.change(item.row.session.id, durable=True) as change:
        stored.take_answer(change, item.id, words, where)


_ANSWERS = {report.PLAN: _answer_plan, report.TEST: _answer_test, report.CLIENT: _refer_to_client}
