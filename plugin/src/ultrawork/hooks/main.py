"""Answer one hook event: read it, run its handlers, print one answer, and never block the client."""

import os
import sys
from time import time

from ..core.errors import UltraworkError
from ..core.registry import FEATURES as PACKAGES
from ..core.registry import HERE, ON, OPEN, TYPED, load_function
from ..core.time_budget import AGAIN, LATE, LATEST
from ..store import markers
from ..store.codec import dumps, loads
from .caller import find_parent, find_self, is_foreign, note_foreign
from .event import Answer, Event, is_plain, merge
from .table import AGENT, ARMED, CODES, HANDED, HANDLERS, MAIN, MATTERS, PLANNED, SKIPPED, SKIPS, is_skipped, list_rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from ..core.caller import Caller
    from .table import Row

LIMIT = 8_000_000
# The variable that describes the sandbox of the agent's commands.
CONFINED = "ULTRAWORK_CONFINED"
_PATIENT = ("StopFailure", "Setup")  # they wait on purpose
_CHUNK = 1 << 20


def run() -> None:
    """
    Run the hook process, and exit at once to skip the interpreter's shutdown. The exit status is 0, with one
    exception: 2 wakes an idle agent with the text on standard error.
    """
    status = 0
    try:
        name = sys.argv[1] if len(sys.argv) > 1 else ""
        set_alarm(name)
        out, wake = reply(name, _read(), os.environ, find_parent)
        _write(1, out)
        _write(2, wake)
        status = 2 if wake else 0
    except BaseException:  # noqa: BLE001 (whatever it is, the session goes on)
        _log(sys.exc_info()[1], os.environ)
    os._exit(status)


def set_alarm(name: str, latest: "Mapping[str, float]" = LATEST) -> None:
    """Give up on an event before the client does. Cleanup steps after that get a few seconds each."""
    if name not in HANDLERS or name in _PATIENT:
        return
    import _signal  # type: ignore[import-not-found]  # the public module is slow to load

    def give_up(*_: object) -> None:
        raise TimeoutError(f"{name} took too long")

    _signal.signal(_signal.SIGALRM, give_up)
    _signal.setitimer(_signal.ITIMER_REAL, latest.get(name, LATE), AGAIN)


def _write(handle: int, text: str) -> None:
    data = text.encode("utf-8", "replace")
    while data:
        data = data[os.write(handle, data) :]


def _read() -> bytes:
    """Read standard input up to a limit. Anything larger is not one of our events."""
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
    """Return the text to print for one event; empty if there is nothing to print."""
    return reply(name, raw, environ)[0]


def reply(
    name: str, raw: bytes, environ: "Mapping[str, str]", find_caller: "Callable[[], Caller]" = find_self
) -> tuple[str, str]:
    """Return the text to print and the text that wakes the agent. By default this process counts as the caller."""
    data = _parsed(raw)
    called = name or (str(data.get("hook_event_name") or "") if isinstance(data, dict) else "")
    if not is_plain(called, data):
        from .bridge import answer_unhandled, read_event

        called, data = read_event(called, data, environ)
        if data is None:
            refusal = answer_unhandled(called, environ)
            return dumps(refusal) if refusal else "", ""
    try:
        event = Event(called, data, environ, time, find_caller)
    except UltraworkError as error:
        from .prompt.handlers import answer_homeless

        return answer_homeless(called, data, error), ""
    if not event.has_own_form:
        event.data = event.adapter.translate_call(data, raw)
    if event.name in HANDLERS and _is_ignored(event):
        return "", ""
    _hold_to_skips(event)
    if event.name in LATEST:
        _confine(event)
    rows = list_rows(
        event.name if event.name in HANDLERS else name, lambda feature, state: _is_awake(event, feature, state)
    )
    answers = _run_rows(event, rows)
    output = merge(event.name, answers)
    wake = "\n".join(answer.wake for answer in answers if answer.wake)
    if output is None or isinstance(output, str):
        return output or "", wake
    if not event.has_own_form:
        output = event.adapter.fit_answer(output, event)
    return dumps(output) if output else "", wake


def _confine(event: Event) -> None:
    """Pass the sandbox of the agent's commands to every process this hook starts."""
    if event.has_own_form or event.environ.get(CONFINED):
        return
    confinement = event.adapter.find_confinement(event)
    if confinement is not None:
        event.environ = confinement.put_into(event.environ)


def _is_ignored(event: Event) -> bool:
    """Return whether the event belongs to another program. On an error it counts as ours, so that no session is
    lost."""
    foreign = False
    try:
        foreign = is_foreign(event)
        if foreign:
            note_foreign(event)
    except Exception as error:  # noqa: BLE001 (logged)
        _log(error, event.environ, "caller")
    return foreign


def _hold_to_skips(event: Event) -> None:
    """Apply only the skips that were set when the session started. What an agent sets later does not count."""
    skips = event.environ.get(SKIPS)
    content = markers.get(event.home, markers.ACTIVE, event.session) if skips else None
    if skips and content is not None and content.get(SKIPPED, "") != skips:
        from .bridge import hold_to_skips

        effective_skips = hold_to_skips(skips, str(content.get(SKIPPED, "")))
        event.environ = {**event.environ, SKIPS: effective_skips}


def _parsed(raw: bytes) -> "Any":
    """Return the parsed JSON; None if it is malformed. Lone surrogates are replaced, because no file or database
    accepts them."""
    try:
        data = loads(raw.decode("utf-8", "replace"))
        if b"\\ud" in raw or b"\\uD" in raw:
            data = loads(dumps(data).encode("utf-8", "replace").decode())
    except (ValueError, RecursionError):
        return None
    return data


def _run_rows(event: Event, rows: "Sequence[Row]") -> list[Answer]:
    """Run each handler separately, so that one failure does not silence the others."""
    answers: list[Answer] = []
    skip = event.environ.get(SKIPS)
    if skip:
        from .bridge import drop_skipped

        rows = drop_skipped(event.name, rows, skip)
    for row in _choose(event, rows):
        try:
            answer = load_function(row.full_name)(event)
        except Exception as error:  # noqa: BLE001 (logged; the other behaviours still run)
            _log(error, event.environ, row.name)
            from .bridge import speak_of_failure

            answer = speak_of_failure(event, row.name)
        if answer is not None:
            answers.append(answer)
            if answer.end:
                break
    return answers


def _choose(event: Event, rows: "Sequence[Row]") -> "list[Row]":
    """Return the rows that apply, judged by the state before any of them runs."""
    matter = event.text(MATTERS.get(event.name, ""))
    others = MAIN if event.text("agent_id") else AGENT
    states: dict[str, bool] = {}
    return [
        row for row in rows if (not row.only or matter in row.only) and row.by != others and _is_on(row, event, states)
    ]


def _is_on(row: "Row", event: Event, states: dict[str, bool]) -> bool:
    """Return whether a row's state holds; `known` caches the states checked for earlier rows."""
    if not row.when:
        return True
    if row.when not in states:
        states[row.when] = _is_in_state(event, row.when)
    return states[row.when] or any(name in event.features for name in row.features)


def _is_in_state(event: Event, state: str) -> bool:
    if state == PLANNED:
        handed = markers.is_set(event.home, markers.HANDED, event.session)
        return not handed and bool(markers.find_planned_session(event.home, event.session))
    if state == CODES:
        return markers.has_any(event.home, markers.CODES)
    if state == HANDED:
        return markers.is_set(event.home, markers.HANDED, event.session)
    if state == ARMED:
        return markers.is_armed(event.home, event.session)
    feature, _, state_of_feature = state.partition(" ")
    if feature in PACKAGES:
        return _is_awake(event, feature, state_of_feature)
    return False


def _is_awake(event: Event, feature: str, state: str) -> bool:
    if state == TYPED:
        return event.text("command_name") in PACKAGES[feature].skills
    if state == ON:
        return feature in event.features
    if state == HERE:
        from ..store import checkouts

        return checkouts.is_recorded(event.home, event.place, feature)
    content = markers.get(event.home, markers.ACTIVE, event.session) or {}
    taking_part = bool(content.get(feature)) or feature in content.get("modes", ())
    return state == OPEN and taking_part and not is_skipped(event.environ, feature)


def _log(error: BaseException | None, environ: "Mapping[str, str]", handler: str = "hook") -> None:
    try:
        from traceback import format_exception

        from ..store import log, paths

        text = "".join(format_exception(error)) if error is not None else "unknown"
        log.write(paths.find_home(environ), "hooks", f"{handler}: {text}")
    except Exception:  # noqa: BLE001 (there is nowhere left to say it)
        pass
