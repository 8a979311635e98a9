"""A turn that died of a limit: when it ends is written down, and an attended session is woken then."""

import os
from time import localtime, sleep

from ...core import limits
from ...core.times import iso, parse_iso
from ...store.fast import loads, pretty
from ...store.omc.place import HASTE, Omc
from ..answer import Answer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..event import Event

WORDS = (
    "ultrawork: the limit that ended the last turn is over. Go on where you were; nothing was lost."
)
LONGEST = 6 * 3600.0
_STEP = 5.0
_FORGET = 6 * 3600.0


def waited(event: "Event") -> Answer | None:
    """The client keeps this process beside the session; with nobody there it only writes down."""
    kind, message = event.text("error"), event.text("last_assistant_message")
    if not event.session or not limits.is_limit(kind, message):
        return None
    omc, now = Omc(event.place, HASTE), event.clock()
    path = kept(event)
    tries = _tries(omc.read(path), now)
    offset = float(localtime(now).tm_gmtoff or 0)
    wait = limits.wait(message, now, tries=tries, offset=offset)
    found = {"at": iso(now), "until": iso(now + wait), "tries": tries + 1, "message": message[:300]}
    omc.change(path, lambda _: pretty(found))
    if not event.attended or wait > LONGEST or not _slept(event, now + wait, path):
        return None
    return Answer(wake=WORDS)


def kept(event: "Event") -> str:
    return f"{event.place}/.omc/state/sessions/{event.session}/rate-limit.json"


def resumed(event: "Event") -> None:
    """Somebody goes on by hand: whoever waits for the limit's end sees it, and does not wake them."""
    stamp = iso(event.clock())
    Omc(event.place, HASTE).change(kept(event), lambda text: _with(text, stamp))


def _with(text: str | None, stamp: str | None) -> str | None:
    try:
        found: Any = loads(text or "")
    except ValueError:
        return text
    return pretty({**found, "resumed": stamp}) if isinstance(found, dict) else text


def _tries(text: str | None, now: float) -> int:
    """Earlier tries count while they are one story."""
    try:
        found: Any = loads(text or "{}")
    except ValueError:
        return 0
    at = parse_iso(str(found.get("at"))) if isinstance(found, dict) else None
    return int(found.get("tries") or 0) if at is not None and now - at < _FORGET else 0


def _slept(event: "Event", until: float, path: str) -> bool:
    """False if the client has gone meanwhile, or a newer limit took over."""
    parent, mine = os.getppid(), _stamp(path)
    while event.clock() < until:
        sleep(min(_STEP, max(0.05, until - event.clock())))
        if os.getppid() != parent or _stamp(path) != mine:
            return False
    return True


def _stamp(path: str) -> float:
    try:
        return os.stat(path).st_mtime
    except OSError:
        return 0.0
