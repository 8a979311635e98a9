"""The person's answers to the program's own questions, recorded by the hook that saw them given."""

from ...core import phases, steps
from ...core import verdict as verdicts
from ...core.times import iso
from ...store import sessions
from ..answer import Answer
from .pushing import name_of, push

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...core.session import Session
    from ..event import Event


def answered(event: "Event") -> Answer | None:
    """Approval, changes or cancel: exactly one of the options, given to exactly our question."""
    if not event.attended or event.text("agent_id"):
        return None
    given = event.mapping("tool_response").get("answers")
    for question, options in steps.APPROVAL.values():
        chosen = given.get(question) if isinstance(given, dict) else None
        if chosen in options:
            _record(event, options.index(chosen))
            return push(event)
    return None


def before(event: "Event") -> Answer | None:
    """The tool takes answers as input, for the client's own use: a model that gives them answers itself."""
    if event.mapping("tool_input").get("answers"):
        return Answer(deny="ultrawork: a question is asked without answers; the person gives them")
    return None


def _record(event: "Event", place: int) -> None:
    with event.store.change(name_of(event)) as change:
        session = sessions.get(change.database, name_of(event))
        _OUTCOMES[place](session, change.now)
        sessions.save(change, session, "plan.answered", {"option": place})


def _approve(session: "Session", now: float) -> None:
    session.plan = {**session.plan, "approved_at": iso(now)}


def _send_back(session: "Session", _now: float) -> None:
    session.state["plan_errors"] = [
        "the person wants changes; ask which, then store the plan again"
    ]


def _cancel(session: "Session", now: float) -> None:
    session.phase, session.verdict, session.ended_at = phases.CANCELLED, verdicts.UNVERIFIED, now


_OUTCOMES = (_approve, _send_back, _cancel)
