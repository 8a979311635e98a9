"""The person's answers to the program's own questions, and what they change."""

from ..core import phases, statuses, steps
from ..core import verdict as verdicts
from ..core.times import iso
from ..core.wording import one_line
from ..store import sessions, tasks
from . import rounds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ..core.session import Session
    from ..store.change import Change
    from ..store.state import Store

    Outcome = Callable[[Session, Change], None]

_LONGEST = 300


def options_of(question: str) -> tuple[str, ...]:
    """The answers that a question of ours has; none if it is not ours."""
    return next((options for (asked, options), _ in _QUESTIONS if asked == question), ())


def fits(question: str, words: str) -> bool:
    """Exactly one of the options of exactly our question; only a reason may be given in any words."""
    return bool(words.strip()) if question == steps.REASON[0] else words in options_of(question)


def send_back(store: "Store", name: str, wishes: str) -> None:
    """The plan as it is does not please; the next one is made with the person's own words."""
    with store.change(name) as change:
        session = sessions.get(change.database, name)
        session.state["plan_errors"] = [one_line(wishes)[:_LONGEST]]
        sessions.save(change, session, "plan.sent-back", {"wishes": wishes[:_LONGEST]})


def record(store: "Store", name: str, question: str, words: str) -> None:
    with store.change(name) as change:
        session = sessions.get(change.database, name)
        if question == steps.REASON[0]:
            _skip(session, change, words)
        for (asked, options), outcomes in _QUESTIONS:
            if asked == question and words in options and outcomes:
                outcomes[options.index(words)](session, change)
        sessions.save(
            change, session, "question.answered", {"question": question, "answer": words[:_LONGEST]}
        )


def _approve(session: "Session", change: "Change") -> None:
    session.plan = {**session.plan, "approved_at": iso(change.now)}


def _send_back(session: "Session", _change: "Change") -> None:
    generic = "the person wants changes; ask which, then store the plan again"
    session.state["plan_errors"] = session.state.get("plan_errors") or [generic]


def _end(phase: str, verdict: str) -> "Outcome":
    def end(session: "Session", change: "Change") -> None:
        session.phase, session.verdict, session.ended_at = phase, verdict, change.now

    return end


def _try_again(session: "Session", change: "Change") -> None:
    """One more round, whatever their number was to be."""
    limit = int(str(session.options["max_iterations"]))
    session.options["max_iterations"] = max(limit, session.iteration + 1)
    rounds.begin(change, session)


def _wants_to_skip(session: "Session", _change: "Change") -> None:
    session.state["skipping"] = True


def _skip(session: "Session", change: "Change", reason: str) -> None:
    """Skipped never counts as resolved; where only the gates are red there is nothing to skip but the verdict."""
    if not session.state.pop("skipping", None):
        return
    told = f"skipped by the person: {one_line(reason)[:_LONGEST]}"
    if session.phase == phases.VERIFICATION:
        session.verdict, session.ended_at = verdicts.UNVERIFIED, change.now
        session.state["skipped"] = told
        return
    for task in tasks.listed(change.database, change.session):
        if not task.is_verify and task.status not in (statuses.RESOLVED, statuses.SKIPPED):
            tasks.update(change, task.id, status=statuses.SKIPPED, reason=told)


_PLAN_OUTCOMES = (_approve, _send_back, _end(phases.CANCELLED, verdicts.UNVERIFIED))
_STUCK_OUTCOMES = (_try_again, _wants_to_skip, _end(phases.FAILED, verdicts.FAIL))
_QUESTIONS = (
    *((asked, _PLAN_OUTCOMES) for asked in steps.APPROVAL.values()),
    (steps.STUCK, _STUCK_OUTCOMES),
    (steps.REASON, ()),
)
