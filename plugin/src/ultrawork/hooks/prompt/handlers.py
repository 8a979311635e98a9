"""Handle a prompt: news, commands that the hook answers itself, the keyword that turns ultrawork on, and turns."""

from ...core.errors import UltraworkError
from ...store import markers, trace
from ..event import Answer
from ..table import is_skipped, list_rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from ...core.prompt.request import FreeWord
    from ..event import Event

_ARMING = ("ultrawork:ulw", "omo:ulw")
# Skills that only a user can start, and the commands they stand for.
_SKILLS = {
    "ultrawork:stop-continuation": "off",
    "omo:stop-continuation": "off",
    "ultrawork:cancel": "off",
    "ultrawork:ultrawork-cancel": "off",
    "ultrawork:status": "status",
    "ultrawork:why": "why",
    "ultrawork:gates": "gates",
    "ultrawork:evidence": "evidence",
}
_GATE_WORDS = ("allow", "deny", "draft", "draft --write")
# Earlier prefixes of the same skills.
_OLD_PREFIXES = ("/ultrapower:", "/oh-my-claudecode:", "/omc:")


def tell_of_trouble(event: "Event") -> Answer | None:
    """Report trouble of a session that was on, if there is any."""
    import os

    if not event.session or not os.path.exists(event.home.session(event.session)):
        return None
    kinds = (markers.DECIDING, markers.BACKGROUND)
    if any(markers.is_set(event.home, kind, event.session) for kind in kinds):
        from ..silence import tell_cut_off

        answer = tell_cut_off(event)
        if answer is not None:
            return answer
    if markers.is_armed_anywhere(event.home, event.environ, event.session):
        return None
    from .. import silence

    return silence.tell_lost(event)


def tell_fork(event: "Event") -> Answer | None:
    """Report a forked session. Claude Code 2.1.197 starts a fork under its parent's name, so only the first prompt
    reveals it."""
    client = event.client
    marker = markers.get(event.home, markers.RESUMED, client)
    if marker is None:
        return None
    markers.remove(event.home, markers.RESUMED, client)
    known = ("", marker.get("session"))
    if event.session in known or markers.is_armed(event.home, event.session):
        return None
    from ...core.wording import FORK

    return Answer(message=FORK, context=FORK)


def tell_news(event: "Event") -> Answer | None:
    """Report what a background run found since the last prompt."""
    marker = markers.get(event.home, markers.NEWS, event.session)
    if marker is None:
        return None
    markers.remove(event.home, markers.NEWS, event.session)
    return Answer(message=str(marker.get("message") or ""), context=str(marker.get("context") or ""))


def answer_free_words(event: "Event") -> Answer | None:
    """Answer `ulw off` and similar commands if they are the whole prompt."""
    prompt = event.text("prompt")
    if not _names_us(prompt):
        return None
    from ...core.prompt import order

    command = order.find_free_word(prompt)
    if command is None:
        name, rest = _split_typed_skill(event, prompt)
        return _skill(event, name, rest) if name else None
    return _answered(event, command)


def _names_us(prompt: str) -> bool:
    """Return whether a prompt may name ultrawork. Most do not, so this must be cheap."""
    lower = prompt.lower()
    return "ulw" in lower or "ultrawork" in lower or "omo:" in lower


def _answered(event: "Event", command: "FreeWord") -> Answer | None:
    from . import free_words, schedule

    if schedule.is_by_model(event):
        return None
    return _answer_errors(lambda: Answer(end=free_words.answer(event, command)))


def _answer_errors(act: "Callable[[], Answer | None]") -> Answer | None:
    try:
        return act()
    except UltraworkError as error:
        return Answer(end=f"ultrawork: {error}")


def _split_typed_skill(event: "Event", prompt: str) -> tuple[str, str]:
    """Split `$ultrawork:ulw fix it` where a typed skill has no event of its own."""
    name, _, rest = prompt.strip().partition(" ")
    if ":" not in name or event.adapter.reports_skills or not name.startswith(event.adapter.skill_sign):
        return "", ""
    return name[1:], rest.strip()


def begin_modes(event: "Event") -> Answer | None:
    """Start other modes by their keywords. The cheap test comes first and rejects most prompts."""
    if not event.session or not _names_a_mode(event):
        return None
    from ..modes import words

    return words.answer(event)


def load_pages(event: "Event") -> Answer | None:
    """Add the pages for a way of working that the prompt requests or needs."""
    from ...core.prompt.mode_request import may_order

    prompt = event.text("prompt")
    if prompt.startswith(_OLD_PREFIXES):
        return _name_ours(prompt.split()[0])
    needs = _may_need_page(event, prompt)
    if not needs and not may_order(prompt):
        return None
    from . import skill_words

    return skill_words.tell_pages(event, may_need=needs)


def _name_ours(typed: str) -> Answer | None:
    """Name our skill for an old prefix. The client would send it to the model without telling the user."""
    import os

    from ...store.paths import find_root

    name = typed.partition(":")[2]
    if not os.path.exists(f"{find_root()}/skills/{name}/SKILL.md"):
        return None
    return Answer(message=f"ultrawork: {typed} did not start. Type /ultrawork:{name} instead.")


def _may_need_page(event: "Event", prompt: str) -> bool:
    """Return whether the prompt may need a page. Not while a session is on, and not for prompts about ultrawork."""
    if not event.session or _names_us(prompt):
        return False
    if markers.is_armed_anywhere(event.home, event.environ, event.session):
        return False
    from ...core.routing.catalogue import may_need

    return may_need(prompt)


def _names_a_mode(event: "Event") -> bool:
    from ...core.prompt import mode_request

    return mode_request.may_name(event.text("prompt").lower()) and event.find_modes() is not None


def _is_for_a_mode(event: "Event") -> bool:
    """Return whether the prompt is `ralph ulw …`: then the mode starts or ends the session."""
    if is_skipped(event.environ, "mode-words") or not _names_a_mode(event):
        return False
    from ..modes import words

    mode_request = words.find_request(event)
    return mode_request is not None and not mode_request.hint


def arm_by_word(event: "Event") -> Answer | None:
    """Turn the session on if the user's prompt contains `ulw`."""
    if not event.session:
        return None
    if not _names_us(event.text("prompt")) and not _own_words(event):
        return None
    from ...core.prompt import order
    from . import schedule

    try:
        known = _words(event)
    except UltraworkError as error:
        return _not_on(error) if event.find_order(order.WORDS) else None
    near = _ask_near_command(event, known)
    if near is not None:
        return near
    prompt_order = event.find_order(known)
    if schedule.is_by_model(event) or _is_for_a_mode(event):
        return None
    if prompt_order is None:
        return _explain_remark(event, known)
    answer = _armed(event, order.drop_bare_word(prompt_order.goal, known) or _find_previous_request(event, known))
    return _compose(event, answer)


def _ask_near_command(event: "Event", known: "Sequence[str]") -> Answer | None:
    """Ask back for `ulw statsu` and `ulw doctor`, so that neither a typo nor a command of the terminal starts work."""
    from ...core.prompt import first_word
    from . import schedule

    rest = first_word.find_rest(event.text("prompt"), known)
    if not rest:
        return None
    near, verb = first_word.find_near_command(rest), first_word.find_terminal_verb(rest)
    if not (near or verb) or schedule.is_by_model(event):
        return None
    return Answer(end=first_word.ask_near_command(rest, near) if near else first_word.name_terminal_verb(verb))


def _explain_remark(event: "Event", known: "Sequence[str]") -> Answer | None:
    """Tell the user if the keyword comes first but requests nothing."""
    from ...core.prompt import first_word

    rest = first_word.find_rest(event.text("prompt"), known)
    if rest is None or event.settings["trigger.plain"]:
        return None
    is_on = markers.is_armed_anywhere(event.home, event.environ, event.session)
    return Answer(message=first_word.explain_remark(rest, is_on=is_on))


def _compose(event: "Event", answer: Answer | None) -> Answer | None:
    """Add modes named beside the keyword to the session: `ulw tdd git-master fix it`."""
    if answer is None or not (answer.context or answer.plain) or not _names_a_mode(event):
        return answer
    mode_request = event.find_modes()
    if mode_request is not None and mode_request.composed is not None and mode_request.others:
        from ..modes import words

        words.tell_parts(event, answer, mode_request.composed)
    return answer


def _find_previous_request(event: "Event", words: "Sequence[str]" = ()) -> str:
    """Return the user's previous request, for a prompt that is only the keyword."""
    from ...core.prompt import order

    typed = event.adapter.list_requests(event.record)
    goals = (order.extract_request(request, words or order.WORDS) for request in typed)
    return next((goal for goal in goals if goal), "")


def _armed(event: "Event", goal: str) -> Answer | None:
    from .arming import arm

    if not goal and not markers.is_armed_anywhere(event.home, event.environ, event.session):
        from ...core.wording import NO_GOAL

        return Answer(end=NO_GOAL)
    try:
        return arm(event, goal)
    except UltraworkError as error:
        return _not_on(error)


def _not_on(error: UltraworkError) -> Answer:
    from ...core.wording import tell_not_on

    return Answer(message=tell_not_on(str(error)))


def answer_homeless(event: str, data: "dict[str, Any]", error: UltraworkError) -> str:
    """Answer where no state can be stored: explain why if the prompt names ultrawork, else print nothing."""
    from ...core.prompt.order import find_order
    from ...core.wording import tell_not_on
    from ...store.codec import dumps

    prompt = data.get("prompt")
    names_us = event == "UserPromptSubmit" and isinstance(prompt, str) and find_order(prompt)
    return dumps({"systemMessage": tell_not_on(str(error))}) if names_us else ""


def _own_words(event: "Event") -> bool:
    """Return whether custom trigger words may be configured; only then are settings read."""
    import os

    return os.path.exists(event.home.settings) or "ULTRAWORK_TRIGGER_WORDS" in event.environ


def _words(event: "Event") -> tuple[str, ...]:
    if not _own_words(event) and not _project_settings(event):
        from ...core.prompt.order import WORDS

        return WORDS
    return tuple(event.settings["trigger.words"])


def _project_settings(event: "Event") -> bool:
    import os

    return os.path.exists(f"{event.place}/ultrawork.toml") or os.path.exists(f"{event.place}/pyproject.toml")


def note_turn(event: "Event") -> Answer | None:
    """Record a user's prompt while ultrawork is on, so that a later turn without changes counts as talk. Also record
    it after a session was on: what its agent writes then belongs to the chain of requests."""
    on = markers.is_armed(event.home, event.session)
    if not on and not _was_on(event):
        return None
    from ...core.prompt.order import MACHINE_MADE

    prompt = event.text("prompt").strip()
    if prompt.lower().startswith(MACHINE_MADE) or trace.is_scheduled(event.home, event.session, prompt):
        return None
    entry = {"at": round(event.clock(), 3), "turn": event.prompt_mark}
    if not on:
        from ...core.course.chain import UNSEEN

        entry[UNSEEN] = True
    trace.append(event.home, event.session, entry)
    return None


def _was_on(event: "Event") -> bool:
    import os

    return bool(event.session) and os.path.exists(trace.locate(event.home, event.session))


def begin_typed(event: "Event") -> Answer | None:
    """Start a skill typed as a prompt: `$ultrawork:ultrawork --auto sort it`."""
    name, rest = _split_typed_skill(event, event.text("prompt"))
    if not name:
        return None
    event.data["command_name"], event.data["command_args"] = name, rest
    from ...core.registry import FEATURES, load_function

    rows = list_rows("UserPromptExpansion", lambda feature, _state: name in FEATURES[feature].skills)
    row = next((row for row in rows if name in row.only), None)
    if row is None or (row.by and event.text("agent_id")):
        return None
    answer: Answer | None = load_function(row.full_name)(event)
    return answer


def run_skill(event: "Event") -> Answer | None:
    """Run a skill that only a user can start. The hook does the work, whatever the model does next."""
    return _skill(event, event.text("command_name"), event.text("command_args").strip())


def hear_queued(event: "Event") -> Answer | None:
    """Apply a queued `off` skill at once. The client would hold it until the turn ends."""
    for typed in event.adapter.list_queued(event.record):
        if typed[:1] == "/" and _SKILLS.get(typed[1:].split(" ")[0]) == "off":
            from . import free_words

            return Answer(message=free_words.switch_off(event))
    return None


def _skill(event: "Event", name: str, given: str) -> Answer | None:
    if name in _ARMING and event.session:
        return _armed(event, given or _find_previous_request(event))
    if name not in _SKILLS:
        return None
    from ...core.prompt.request import FreeWord
    from . import free_words

    behind = f" {given}" if name.endswith(":gates") and given in _GATE_WORDS else ""
    command = FreeWord(_SKILLS[name] + behind)
    return _answer_errors(lambda: Answer(end=free_words.answer(event, command)))


def keep_program(event: "Event") -> Answer | None:
    """Copy the program for a session that was just turned on; it runs from the copy at its next event."""
    if not event.session or not markers.is_armed(event.home, event.session):
        return None
    if not markers.is_set(event.home, markers.PROGRAM, event.session):
        from ...store import program_copy

        program_copy.keep_copy(event.home, event.session, event.clock())
    return None
