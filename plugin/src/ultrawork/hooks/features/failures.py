"""Tool failures: recorded, reported when they repeat, forgotten when the tool works again. Also turns that ended at a
rate limit: the reset time is recorded, and an attended session is woken then.

Runs at every tool call and prompt if these features are on, so most imports are late."""

import os
from time import localtime, sleep
from typing import Any

from ...store.atomic import find_write_time
from ..event import Answer, Event

ESCALATE = 5


def note_failure(event: Event) -> Answer | None:
    """Record a failure; report one that repeats."""
    tool, error = event.text("tool_name"), event.text("error")
    if not event.session or event.data.get("is_interrupt") is True:
        return None
    from ...store.omc import failures
    from ...store.omc.folder import HASTE, Omc
    from .common import mask_secrets

    given = event.mapping("tool_input")
    shown = mask_secrets(event, str(given.get("command") or given.get("file_path") or ""))
    error = mask_secrets(event, error)
    count = failures.note(Omc(event.place, HASTE), event.session, tool, given=shown, error=error, now=event.clock())
    if count != ESCALATE:
        return None
    return Answer(
        context=f"ultrawork: {tool} has failed {count} times in the same way. Stop repeating it. Find the cause, try another approach, or report the problem."
    )


def forget_failure(event: Event) -> None:
    """Forget the failures of a tool that works again."""
    if not os.path.exists(_make_path(event, "last-tool-error.json")):
        return
    from ...store.omc import failures
    from ...store.omc.folder import HASTE, Omc

    failures.clear_if_mended(Omc(event.place, HASTE), event.session, event.text("tool_name"))


WORDS = "ultrawork: the rate limit that ended the last turn is over. Continue where you stopped; no work was lost."
LONGEST = 6 * 3600.0
_STEP = 5.0
_FORGET = 6 * 3600.0


def wait_for_limit(event: Event) -> Answer | None:
    """Wait for the reset in a process that the client keeps; without a user, only record it."""
    from ...core.run import rate_limits
    from ...core.times import format_iso
    from ...store.codec import dumps_pretty
    from ...store.omc.folder import HASTE, Omc

    kind, message = event.text("error"), event.text("last_assistant_message")
    if not event.session or not rate_limits.is_limit(kind, message):
        return None
    omc, now = Omc(event.place, HASTE), event.clock()
    path = _make_path(event, "rate-limit.json")
    tries = _tries(omc.read(path), now)
    offset = float(localtime(now).tm_gmtoff or 0)
    wait = rate_limits.find_retry_wait(message, now, tries=tries, offset=offset)
    document = {"at": format_iso(now), "until": format_iso(now + wait), "tries": tries + 1, "message": message[:300]}
    omc.change(path, lambda _: dumps_pretty(document))
    if not event.attended or wait > LONGEST or not _slept(event, now + wait, path):
        return None
    return Answer(wake=WORDS)


def _make_path(event: Event, name: str) -> str:
    return f"{event.place}/.omc/state/sessions/{event.session}/{name}"


def note_resumed(event: Event) -> None:
    """Record that the user continued by hand, so that the waiting process does not wake the session."""
    path = _make_path(event, "rate-limit.json")
    if event.text("prompt").startswith("<task-notification") or not os.path.exists(path):
        return
    from ...core.times import format_iso
    from ...store.omc.folder import HASTE, Omc

    stamp = format_iso(event.clock())
    Omc(event.place, HASTE).change(path, lambda text: _with(text, stamp))


def _with(text: str | None, stamp: str | None) -> str | None:
    from ...store.codec import dumps_pretty, loads

    try:
        document: Any = loads(text or "")
    except ValueError:
        return text
    return dumps_pretty({**document, "resumed": stamp}) if isinstance(document, dict) else text


def _tries(text: str | None, now: float) -> int:
    """Return how often this limit was waited for; tries of long ago do not count."""
    from ...core.times import parse_iso
    from ...store.codec import loads

    try:
        document: Any = loads(text or "{}")
    except ValueError:
        return 0
    at = parse_iso(str(document.get("at"))) if isinstance(document, dict) else None
    return int(document.get("tries") or 0) if at is not None and now - at < _FORGET else 0


def _slept(event: Event, until: float, path: str) -> bool:
    """Sleep; return False if the client ended meanwhile, or a newer limit took over."""
    parent, mine = os.getppid(), find_write_time(path)
    while event.clock() < until:
        sleep(min(_STEP, max(0.05, until - event.clock())))
        if os.getppid() != parent or find_write_time(path) != mine:
            return False
    return True
