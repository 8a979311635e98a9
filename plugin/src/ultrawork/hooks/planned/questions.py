"""Record the user's answers to the program's own questions, in the hook that saw them."""

from ...core import registry
from ...flow import answers
from ...store import markers, sessions
from ...store.codec import digest
from ..caller import is_started_by_agent
from ..event import Answer, Event
from .session import find_name, push

# Seconds in which no one can have read a question.
_TOO_EARLY = 0.5


def record_answer(event: Event) -> Answer | None:
    """Record one of the options of exactly our question; wishes for a plan, and the reason for a skip, may have any
    words."""
    if not event.attended or event.text("agent_id") or is_started_by_agent(event.caller):
        return None
    if _is_typed_ahead(event):
        return Answer(
            context="The answer came before the user could read the question, so it does not count. Ask again.",
            message="ultrawork: you pressed a key before the question appeared. I will ask again.",
        )
    given = event.mapping("tool_response").get("answers")
    for question, chosen in given.items() if isinstance(given, dict) else ():
        if not isinstance(chosen, str):
            continue
        if _is_for_lead(event, question, chosen):
            answers.record(event.store, find_name(event), question, chosen, "the client")
            return push(event)
        if answers.is_wish(question, chosen):
            answers.send_back(event.store, find_name(event), chosen)
            return push(event)
        if answers.is_answer(question, chosen):
            answers.record(event.store, find_name(event), question, chosen, "the client")
            return push(event)
    return None


def _is_typed_ahead(event: Event) -> bool:
    """Return whether the answer was typed before the question appeared."""
    key = _key(event)
    marker = markers.get(event.home, markers.BEFORE, key) if key else None
    if marker is None:
        return False
    markers.remove(event.home, markers.BEFORE, key)
    since = float(event.clock()) - float(marker.get("asked") or 0.0)
    return since < _TOO_EARLY


def _key(event: Event) -> str:
    return digest(event.text("tool_use_id"))[:16] if event.text("tool_use_id") else ""


def _is_for_lead(event: Event, question: str, chosen: str) -> bool:
    name = find_name(event)
    if not sessions.get(event.store.database, name).state.lead:
        return False
    return bool(registry.ask_lead("is_question")(event.store, name, question, chosen))


def check_question(event: Event) -> Answer | None:
    """Refuse a question with answers in its input: the model would answer itself."""
    if event.mapping("tool_input").get("answers"):
        return Answer(deny="ultrawork: ask the question without answers. The user answers it")
    answer = _check_options(event)
    if answer is None and _key(event):
        markers.put(event.home, markers.BEFORE, _key(event), {"asked": event.clock()})
    return answer


def _check_options(event: Event) -> Answer | None:
    """Refuse other options than ours, which would mislead the user."""
    session = sessions.get(event.store.database, find_name(event))
    if not session.state.lead or session.state.lead.get("open"):
        return None
    current, options = registry.ask_lead("find_question")(session)
    questions = event.mapping("tool_input").get("questions")
    for question in questions if isinstance(questions, list) else ():
        if isinstance(question, dict) and question.get("question") == current and _list_labels(question) != options:
            wanted = ", ".join(options)
            return Answer(deny=f"ultrawork: use these answers in this order: {wanted}")
    return None


def _list_labels(question: dict[str, object]) -> tuple[str, ...]:
    options = question.get("options")
    choices = [option for option in options if isinstance(option, dict)] if isinstance(options, list) else []
    return tuple(str(choice.get("label")) for choice in choices)
