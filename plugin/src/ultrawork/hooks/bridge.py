"""Handle events that need a closer look: other spellings, wrong types, sensitive types.

An event without its required fields is not handled. Only permission fails closed: a request that cannot be read is
denied; everything else continues as if there were no hook."""

from collections.abc import Mapping, Sequence
from time import time
from typing import Any

from ..clients.find import find_client
from ..core import check, hook_types
from ..core.errors import UltraworkError
from ..store import markers
from .event import DEEPEST, KINDS, SPELLINGS, Answer, Event
from .table import Row

# Handlers without which a session would end unchecked and unreported, and their events.
_RELIED_ON = ("continuation", "course", "observe", "guard", "turn", "lost", "left", "unsaid")
_DECIDING = ("continuation", "course")
_BEGINNING = ("trigger", "mode-words", "typed", "skills", "sessions", "mode-skills")
_FAILED = "ultrawork had an internal error. Log: {}/hooks.log"
_RELIED_ON_EVENTS = ("Stop", "PreToolUse", "PostToolUse", "SessionStart", "SessionEnd")
# A message may be an object whose text is the prompt.
_KINDS = {**KINDS, "message": (str, dict)}
# Names that one client uses itself and that elsewhere are a spelling of ours.
_OWN = {"DirectoryAdded": "directory"}
DENIED = "ultrawork: I denied a permission request that I could not read. Turn this off: ULTRAWORK_SKIP_HOOKS=permission-request"


def read_event(name: str, raw: object, environ: Mapping[str, str]) -> tuple[str, dict[str, Any] | None]:
    """The event's name and its input as the handlers read it; None if it is not to be handled."""
    event = hook_types.find_event(find_client(name, raw, environ).events.get(name, name))
    if not isinstance(raw, dict) or check.is_too_deep(raw, DEEPEST):
        return event, None
    kind = name if name in hook_types.TYPES else hook_types.find_type(event, raw)
    spellings = {spelling: ours for spelling, ours in SPELLINGS.items() if spelling != _OWN.get(event)}
    hook_input = hook_types.check_input(raw, kind, kinds=_KINDS, spellings=spellings)
    if event == "UserPromptSubmit":
        hook_input.data.setdefault("prompt", hook_types.find_prompt_text(hook_input.data))
    lacks = [f"{key} is missing, so {kind} was not handled" for key in hook_input.missing]
    if kind == hook_types.PERMISSION and "tool_input" not in hook_input.data:
        lacks.append("tool_input is missing, so nothing was permitted")
    for warning in (*hook_input.warnings, *lacks):
        _log(event, warning, environ)
    return event, None if lacks else hook_input.data


def speak_of_failure(event: Event, behaviour: str) -> Answer | None:
    """Report that handlers which users rely on have failed. The texts are constants, so nothing is read from disk."""
    from ..core import wording
    from .event import Answer

    why = _FAILED.format(event.home.logs)
    if behaviour in _DECIDING and markers.is_armed_anywhere(event.home, event.environ, event.session):
        return Answer(message=f"ultrawork: UNVERIFIED. {why}. Check again: ulw verify")
    if behaviour in _BEGINNING and _asks_for_us(event):
        return Answer(message=wording.tell_not_on(why))
    return None


def _asks_for_us(event: Event) -> bool:
    from ..core.prompt.order import find_order

    named = event.text("command_name").startswith("ultrawork:")
    return named or bool(find_order(event.text("prompt")))


def answer_unhandled(event: str, environ: Mapping[str, str]) -> dict[str, Any] | None:
    """Return the answer to an unhandled event; a denial is logged."""
    from .table import list_rows

    skip = environ.get("ULTRAWORK_SKIP_HOOKS", "")
    if event != "PermissionRequest" or not drop_skipped(event, list_rows(event), skip):
        return None
    _audit(environ)
    return {"hookSpecificOutput": {"hookEventName": event, "decision": {"behavior": "deny", "message": DENIED}}}


def _audit(environ: Mapping[str, str]) -> None:
    from ..store import log, paths

    try:
        log.write_audit(paths.find_home(environ), "denied", {"why": DENIED}, environ, time())
    except (OSError, UltraworkError):
        pass  # denied even if it cannot be logged


def hold_to_skips(now: str, at_start: str) -> str:
    """Return the skips, without handlers that a session relies on unless they were skipped when it began."""
    before = {word.strip() for word in at_start.split(",")}
    words = [word.strip() for word in now.split(",")]
    return ",".join(word for word in words if word in before or not _is_relied_on(word))


def _is_relied_on(word: str) -> bool:
    from ..core.modes import modes

    of = hook_types.TYPES[word][0] if word in hook_types.TYPES else ""
    return word in _RELIED_ON or (of in _RELIED_ON_EVENTS and word not in modes.ALL)


def drop_skipped(event: str, rows: Sequence[Row], skip: str) -> list[Row]:
    """Return the handlers that remain when some are skipped by name or by hook type."""
    words = {word.strip() for word in skip.split(",")}
    types = [name for name, (of, _, _) in hook_types.TYPES.items() if of == event and name in words]
    if types:
        from ..core.modes import modes

        if any(name not in modes.ALL for name in types):
            return []
    return [row for row in rows if row.name not in words]


def _log(event: str, text: str, environ: Mapping[str, str]) -> None:
    from ..store import log, paths

    try:
        log.write(paths.find_home(environ), "hooks", f"{event}: {text}")
    except (OSError, UltraworkError):
        pass  # nothing is held up because it cannot be written down
