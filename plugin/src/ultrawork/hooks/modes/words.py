"""A prompt that mentions modes: one starts, all end, or the user learns how to start one."""

import re

from ...core import wording
from ...core.errors import UltraworkError
from ...core.modes import modes, record
from ...core.prompt import composition, mode_request, order
from ...core.prompt.composition import Composition
from ...core.prompt.mode_words import ARROWS
from ...core.prompt.request import ModeRequest
from ...flow import modes as flow
from ...store import markers, sessions
from ...store.settings import Settings
from ..event import Answer, Event
from ..prompt import schedule
from ..table import is_skipped
from . import begin

# Modes that carry the work; a guarantee is linked with them, everything else is a part of them.
CARRIERS = (*modes.PLANNED, modes.SWARM)
# A longer prompt asks for more than an end.
SHORT = 12
_OURS = ("cancelomc", "stopomc")


def answer(event: Event) -> Answer | None:
    try:
        mode_request = find_request(event)
    except UltraworkError as error:
        return Answer(message=wording.tell_not_on(str(error)))
    if mode_request is None or schedule.is_by_model(event):
        return None
    if mode_request.cancel:
        return _end_modes(event)
    return _hinted(event, mode_request.hint) if mode_request.hint else _begin_requested(event, mode_request)


def find_request(event: Event) -> ModeRequest | None:
    """Return what the prompt requests beside `ulw`; None if a setting or switch disables it."""
    mode_request = event.find_modes()
    if mode_request is None or mode_request.modes == (modes.ULTRAWORK,):
        return None
    settings = _settings(event, certainly=not mode_request.hint)
    if settings is None or not settings["trigger.other_modes"]:
        return None
    if mode_request.hint and settings["trigger.plain"]:
        return None
    mode_request = event.find_modes(settings["trigger.words"])
    if mode_request is None or not mode_request.modes:
        return mode_request
    wanted = [mode for mode in mode_request.modes if mode != modes.ULTRAWORK]
    return mode_request if any(not is_skipped(event.environ, mode) for mode in wanted) else None


def _settings(event: Event, *, certainly: bool) -> Settings | None:
    """Return the settings; None if the file is broken and only a hint depends on it."""
    try:
        return event.settings
    except UltraworkError:
        if certainly:
            raise
        return None


def _begin_requested(event: Event, mode_request: ModeRequest) -> Answer:
    made = mode_request.composed
    assert made is not None
    leading = made.execution if made.execution in CARRIERS else made.guarantee
    answer = begin.begin(event, leading, _words(event, leading, mode_request))
    if not (answer.context or answer.plain):
        return answer
    _note(event, leading)
    if made.guarantee and made.guarantee != leading:
        _link(event, leading, made.guarantee)
    if len(mode_request.modes) + len(mode_request.others) + len(made.left_out) > 1:
        tell_parts(event, answer, made)
    return answer


def _words(event: Event, mode: str, mode_request: ModeRequest) -> str:
    """Return the text of the request; a pipeline keeps its arrows, and a swarm gets its count first."""
    prompt = event.text("prompt")
    if mode == modes.PIPELINE and any(arrow in prompt for arrow in ARROWS):
        return prompt
    if mode == modes.SWARM:
        return put_count_first(mode_request.goal)
    return mode_request.goal or _find_previous_request(event)


def _find_previous_request(event: Event) -> str:
    """Return the user's previous request, for a keyword alone."""

    typed = event.adapter.list_requests(event.record)
    return next((goal for goal in map(_request, typed) if goal), "")


def _request(prompt: str) -> str:
    modes = mode_request.find_modes(prompt)
    if modes is None or modes.hint:
        return order.extract_request(prompt)
    return modes.goal


def put_count_first(goal: str) -> str:
    """Turn `use a swarm of 5 agents to fix it` into `5 agents fix it`; without a number unchanged."""
    match = re.search(r"(?i)(?:\b[a-z]+ )?(?:\ban? )?swarm (?:of )?(\d{1,3}) (?:\w+ )?(?:agents|workers)\b[:,]?", goal)
    if match is None:
        return goal
    rest = f"{goal[: match.start()].strip()} {goal[match.end() :].strip()}".strip()
    return f"{match[1]} agents {rest.removeprefix('to ').removeprefix('and ')}"


def _link(event: Event, leading: str, guarantee: str) -> None:
    """Link the leading mode with its guarantee in the session."""
    store = event.store
    if leading in record.read_active(sessions.get(store.database, event.session)):
        now = event.clock()
        flow.begin(store, event.place, event.session, leading, linked=(guarantee,), now=now)


def tell_parts(event: Event, answer: Answer, made: Composition) -> None:
    """Tell the model which parts there are and the user what was dropped; the session stores them as evidence."""
    name = markers.find_planned_session(event.home, event.session) or event.session
    with event.store.change(name) as change:
        session = sessions.get(event.store.database, name)
        session.state.composition = made.document()
        sessions.save(change, session, "session.composed", made.document())
    block = composition.render_block(made)
    answer.context = f"{answer.context}\n{block}" if answer.context else ""
    answer.plain = f"{answer.plain}\n{block}" if answer.plain else ""
    for name, why in made.left_out:
        answer.message += f"\nultrawork: {name} is not used: {why}."


def _end_modes(event: Event) -> Answer | None:
    """End what is on; if nothing is, answer only a prompt that names us."""
    from ..prompt import free_words

    prompt = event.text("prompt")
    named = any(word in prompt.lower() for word in _OURS)
    if not named and not markers.is_armed_anywhere(event.home, event.environ, event.session):
        return None
    off = free_words.switch_off(event)
    return Answer(end=off) if len(prompt.split()) <= SHORT else Answer(message=off)


def _hinted(event: Event, mode: str) -> Answer | None:
    """Suggest each mode once per session, and never while something is on. A prompt that begins with its word may be
    an order, which is always answered."""
    if markers.is_armed_anywhere(event.home, event.environ, event.session):
        return None
    content = markers.get(event.home, markers.HINTED, event.session) or {}
    if mode in content and not event.text("prompt").strip().lower().startswith(mode):
        return None
    markers.put(event.home, markers.HINTED, event.session, {**content, mode: True})
    return Answer(message=f"ultrawork: {mode} did not start: not clearly requested. Start it: /ultrawork:{mode} <task>")


def _note(event: Event, mode: str) -> None:
    """Add it to the trace, where the keyword filter finds it."""
    from ...store import trace
    from ..tool import is_traced

    if is_traced(event):
        entry = {"at": event.clock(), "kind": "keywords", "what": f"{mode}: started by its keyword"}
        trace.append(event.home, event.session, entry)
