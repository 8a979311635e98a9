"""The person's answers to the program's own questions, recorded by the hook that saw them given."""

from ...core import phases, steps
from ...core import verdict as verdicts
from ...core.times import iso
from ...store import sessions
from ...store.fast import dumps
from ..answer import Answer
from .pushing import name_of, push

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...core.session import Session
    from ..event import Event


def answered(event: "Event") -> Answer | None:
    """Approval, changes or cancel; the model's own words never count as an answer."""
    asked = dumps(event.mapping("tool_input"))
    given = dumps(event.data.get("tool_response"))
    for question, options in steps.APPROVAL.values():
        if question in asked:
            chosen = [
                place for place, option in enumerate(options) if _chose(given, question, option)
            ]
            if len(chosen) == 1:
                _record(event, chosen[0])
                return push(event)
    return None


def _chose(given: str, question: str, option: str) -> bool:
    """The answer stands beside its question: `"question": "option"`, or `"question"="option"`."""
    _, found, rest = given.partition(question)
    while found:
        if rest.lstrip('\\"= :').startswith(option):
            return True
        _, found, rest = rest.partition(question)
    return False


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
