"""The person's answers to the program's own questions, recorded by the hook that saw them given."""

from ...core import phases, statuses, steps
from ...core import verdict as verdicts
from ...core.times import iso
from ...store import sessions, tasks
from ..answer import Answer
from .pushing import name_of, push

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ...core.session import Session
    from ...store.change import Change
    from ..event import Event

    Outcome = Callable[[Session, Change], None]


def answered(event: "Event") -> Answer | None:
    """Exactly one of the options, given to exactly our question."""
    if not event.attended or event.text("agent_id"):
        return None
    given = event.mapping("tool_response").get("answers")
    for (question, options), outcomes in _QUESTIONS:
        chosen = given.get(question) if isinstance(given, dict) else None
        if chosen in options:
            _record(event, question, outcomes[options.index(chosen)])
            return push(event)
    return None


def before(event: "Event") -> Answer | None:
    """The tool takes answers as input, for the client's own use: a model that gives them answers itself."""
    if event.mapping("tool_input").get("answers"):
        return Answer(deny="ultrawork: a question is asked without answers; the person gives them")
    return None


def _record(event: "Event", question: str, outcome: "Outcome") -> None:
    with event.store.change(name_of(event)) as change:
        session = sessions.get(change.database, name_of(event))
        outcome(session, change)
        sessions.save(change, session, "question.answered", {"question": question})


def _approve(session: "Session", change: "Change") -> None:
    session.plan = {**session.plan, "approved_at": iso(change.now)}


def _send_back(session: "Session", _change: "Change") -> None:
    session.state["plan_errors"] = [
        "the person wants changes; ask which, then store the plan again"
    ]


def _end(phase: str, verdict: str) -> "Outcome":
    def end(session: "Session", change: "Change") -> None:
        session.phase, session.verdict, session.ended_at = phase, verdict, change.now

    return end


def _try_again(session: "Session", _change: "Change") -> None:
    session.options["max_iterations"] = session.iteration + 1


def _skip(session: "Session", change: "Change") -> None:
    """Skipped never counts as resolved; where only the gates are red there is nothing to skip but the verdict."""
    if session.phase == phases.VERIFICATION:
        session.verdict, session.ended_at = verdicts.UNVERIFIED, change.now
        return
    for task in tasks.listed(change.database, change.session):
        if not task.is_verify and task.status not in (statuses.RESOLVED, statuses.SKIPPED):
            tasks.update(change, task.id, status=statuses.SKIPPED, reason="the person skipped it")


_PLAN_OUTCOMES = (_approve, _send_back, _end(phases.CANCELLED, verdicts.UNVERIFIED))
_STUCK_OUTCOMES = (_try_again, _skip, _end(phases.FAILED, verdicts.FAIL))
_QUESTIONS = (
    *((asked, _PLAN_OUTCOMES) for asked in steps.APPROVAL.values()),
    (steps.STUCK, _STUCK_OUTCOMES),
)
