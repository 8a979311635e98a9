"""Work beside a session: gates on the base, gates that no stop can wait for."""

import os
from time import sleep, time

from ...core import stop as rules
from ...core.errors import Conflict
from ...store import markers
from ...store.lock import Lock
from ..answer import Answer
from ..known import load
from ..leash import Leash
from ..table import MARGIN, TIMEOUTS, WAKE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..event import Event
    from ..known import Known

LONGEST = float(TIMEOUTS[WAKE] - MARGIN)
_DECIDED = float(TIMEOUTS["Stop"])
_BASE = 600.0
_POLL = 0.1
_EARLIER = 3.0
_ROUNDS = 20


def wake(event: "Event") -> Answer | None:
    """Beside the process that decides the same stop: if that leaves the gates to us, they run here."""
    with Leash(LONGEST):
        if not event.attended or not _wanted(event):
            return None
        words = _checked(event)
    return Answer(wake=words) if words else None


def check(event: "Event") -> Answer | None:
    """Where nobody can be woken, what was found is told with the next prompt."""
    with Leash(LONGEST, client=_client(event)):
        words = _checked(event)
        if words:
            _tell_later(event, words, context=words)
    return None


def _wanted(event: "Event") -> bool:
    """Waits until this very stop is decided; whether the gates are left to us."""
    from ..glance import stop_key

    began, key = time(), stop_key(event)
    while time() < began + _DECIDED:
        found = markers.get(event.home, markers.BACKGROUND, event.session)
        if found is None or found.get("watch"):
            return False
        if found.get("stop") == key and float(found.get("decided") or 0) > began - _EARLIER:
            return bool(found.get("wanted"))
        sleep(_POLL)
    return False


def _checked(event: "Event") -> str:
    """Runs the gates until they have spoken about the files as they are; the words of a refusal."""
    from ..deciding import lock_path

    try:
        with Lock(lock_path(event), patience=1.0):
            for _ in range(_ROUNDS):
                known = _still_on(event)
                if known is None:
                    return ""
                words = _round(known)
                if words is not None:
                    return words
    except Conflict:
        pass  # another process is at it
    return ""


def _still_on(event: "Event") -> "Known | None":
    wanted = (markers.get(event.home, markers.BACKGROUND, event.session) or {}).get("wanted")
    if not wanted or markers.switched_off(event.home, event.session):
        return None
    return load(event)


def _round(known: "Known") -> str | None:
    """None if the files moved meanwhile: what was found is not about them."""
    from .. import checking, glance
    from ..deciding import decide

    event = known.event
    known.files()
    facts = glance.facts(event)
    known.complete(facts)
    standing = checking.check(known, seconds=LONGEST, trial=False)
    current = _still_on(event)
    if current is None:
        return ""
    current.files()
    if current.tree != standing.tree:
        return None
    answer = decide(current, facts, standing)
    if answer is None:
        return ""
    if answer.message:
        _tell_later(event, answer.message)
    return answer.block or answer.feedback


def _tell_later(event: "Event", message: str, context: str = "") -> None:
    markers.put(event.home, markers.NEWS, event.session, {"message": message, "context": context})


def base_run(event: "Event") -> Answer | None:
    """The gates on the files as they were, quietly, before anybody has to wait for that."""
    from ...core.judging import Change
    from ...gates.bench import Bench
    from ...gates.mint import BASE
    from ...gates.source import Source
    from ..checking import Patient

    known = load(event)
    if known is None:
        return None
    os.nice(10)
    with Leash(_BASE, client=_client(event)) as leash:
        known.files()
        work = Patient(known, seconds=leash.left - 1, slow=(), trial=False)
        bench = Bench(work, Source(work), base=known.pin.tree, tree="", change=Change(goal=""))
        for gate in known.pin.gates:
            if known.may_run(gate.command) and markers.armed(event.home, event.session):
                bench.scratch_run(gate, BASE, known.pin.tree)
    return None


def verify(event: "Event") -> Answer | None:
    """What `ulw verify` could not wait for."""
    from ..free import verified

    with Leash(LONGEST, client=_client(event)) as leash:
        _tell_later(event, verified(event, leash.left - 1))
    return None


def _client(event: "Event") -> int:
    given = event.data.get("client")
    return given if isinstance(given, int) and given > 1 else 0


__all__ = ["base_run", "check", "rules", "verify", "wake"]
