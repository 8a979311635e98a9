"""One event: read it, run its handlers, print one answer, and never be in the way."""

import os
import sys
from time import time

from ..core.errors import UltraworkError
from ..store.codec import dumps, loads
from .answer import Answer, merge
from .event import GEMINI_EVENTS, Event, is_plain
from .table import FEATURED, HANDLERS, JOBS, PLANNED, SWARMING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

LIMIT = 8_000_000
_CHUNK = 1 << 20


def run() -> None:
    """
    Leaving at once saves the interpreter's tear-down. The exit status is 0, except for the one answer
    that is made of it: 2 wakes an idle agent with what stands on standard error.
    """
    status = 0
    try:
        out, wake = reply(sys.argv[1] if len(sys.argv) > 1 else "", _read(), os.environ)
        _write(1, out)
        _write(2, wake)
        status = 2 if wake else 0
    except BaseException:  # noqa: BLE001 (whatever it is, the session goes on)
        _log(sys.exc_info()[1], os.environ)
    os._exit(status)


def _write(handle: int, text: str) -> None:
    data = text.encode("utf-8", "replace")
    while data:
        data = data[os.write(handle, data) :]


def _read() -> bytes:
    """Standard input, bounded: what is larger is no event of ours."""
    parts: list[bytes] = []
    size = 0
    while size <= LIMIT:
        part = os.read(0, _CHUNK)
        if not part:
            return b"".join(parts)
        parts.append(part)
        size += len(part)
    return b""


def answer(name: str, raw: bytes, environ: "Mapping[str, str]") -> str:
    """The text to print for one event; empty when there is nothing to say."""
    return reply(name, raw, environ)[0]


def reply(name: str, raw: bytes, environ: "Mapping[str, str]") -> tuple[str, str]:
    """What to print, and the words that wake the agent."""
    data = _parsed(raw)
    called = name or (str(data.get("hook_event_name") or "") if isinstance(data, dict) else "")
    if not is_plain(called, data):
        from .bridge import answer_unhandled, read_event

        called, data = read_event(called, data, environ)
        if data is None:
            refusal = answer_unhandled(called, environ)
            return dumps(refusal) if refusal else "", ""
    if "turn_id" in data and str(data.get("tool_name")).endswith("_agent"):
        from .dialects import translate_call

        data = translate_call(data)
    try:
        event = Event(called, data, environ, time)
    except UltraworkError as error:
        from .prompt.handlers import answer_homeless

        return answer_homeless(called, data, error), ""
    handlers = HANDLERS.get(event.name) or (JOBS.get(name) if name else None) or ()
    answers = _handled(event, handlers)
    output = merge(event.name, answers)
    wake = "\n".join(answer.wake for answer in answers if answer.wake)
    if output is None or isinstance(output, str):
        return output or "", wake
    if event.is_codex or data.get("hook_event_name") in GEMINI_EVENTS:
        from .dialects import fit_answer

        output = fit_answer(output, event)
    return dumps(output) if output else "", wake


def _parsed(raw: bytes) -> "Any":
    """None if it is no JSON. Half of a surrogate pair is no text: no file or database would take it."""
    try:
        data = loads(raw.decode("utf-8", "replace"))
        if b"\\ud" in raw or b"\\uD" in raw:
            data = loads(dumps(data).encode("utf-8", "replace").decode())
    except (ValueError, RecursionError):
        return None
    return data


def _handled(event: Event, handlers: "Sequence[tuple[str, str, str]]") -> list[Answer]:
    """Each handler on its own: the failure of one does not silence the others."""
    answers: list[Answer] = []
    skip = event.environ.get("ULTRAWORK_SKIP_HOOKS")
    if skip:
        from .bridge import drop_skipped

        handlers = drop_skipped(event.name, handlers, skip)
    for names, are_on in ((PLANNED, _planned), (FEATURED, _featured), (SWARMING, _swarming)):
        if any(name in names for name, _, _ in handlers) and not are_on(event):
            handlers = [one for one in handlers if one[0] not in names]
    for name, target, _ in handlers:
        try:
            given = _function(target)(event)
        except Exception as error:  # noqa: BLE001 (logged; the other handlers still run)
            _log(error, event.environ, name)
            continue
        if given is not None:
            answers.append(given)
            if given.end:
                break
    return answers


def _planned(event: Event) -> bool:
    from ..store import markers

    return bool(markers.find_planned_session(event.home, event.session))


def _swarming(event: Event) -> bool:
    from ..store import markers
    from .table import is_skipped

    content = markers.get(event.home, markers.ACTIVE, event.session) or {}
    return "swarm" in content.get("modes", ()) and not is_skipped(event.environ, "swarm")


def _featured(event: Event) -> bool:
    from ..store import markers

    return bool(markers.read_features(event.place))


def _function(target: str) -> "Callable[[Event], Answer | None]":
    module, _, function = target.partition(":")
    name = f"ultrawork.hooks.{module}"
    __import__(name)
    found: Callable[[Event], Answer | None] = getattr(sys.modules[name], function)
    return found


def _log(error: BaseException | None, environ: "Mapping[str, str]", handler: str = "hook") -> None:
    try:
        from traceback import format_exception

        from ..store import log, paths

        text = "".join(format_exception(error)) if error is not None else "unknown"
        log.write(paths.find_home(environ), "hooks", f"{handler}: {text}")
    except Exception:  # noqa: BLE001 (there is nowhere left to say it)
        pass
