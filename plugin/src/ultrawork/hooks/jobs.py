"""Work beside a session: checks on the baseline, and checks that no stop can wait for. A job also wakes the coordinator
of a team when a worker is silent for too long."""

import os
from collections.abc import Callable
from contextlib import closing
from functools import partial
from time import monotonic, sleep, time

from ..core.errors import Conflict
from ..core.time_budget import TIMEOUTS, find_longest
from ..core.times import format_duration
from ..store import markers
from ..store.atomic import Lock
from .caller import find_self
from .event import Answer, Event
from .process import HookDeadline, OutOfTime
from .stop import baseline
from .stop.checks import HookGateContext
from .stop.facts import StopContext, load_context
from .table import WAKE

LONGEST = find_longest(WAKE)
_ALONE = 20.0
_POLL = 0.1
_WATCH_POLL = 5.0
_EARLIER = 3.0
_ROUNDS = 20
_UNFINISHED = "ultrawork: UNVERIFIED. The background check did not finish"
_BY_HAND = "Run it again: ulw verify"


def wake(event: Event) -> Answer | None:
    """Run the checks in the background if the process that decides this stop leaves them to us."""
    with HookDeadline(LONGEST):
        if not event.attended or not _wanted(event):
            return None
        words = _check_aloud(event)
    return Answer(wake=words) if words else None


def check(event: Event) -> Answer | None:
    """Run the checks where no agent can be woken; the result comes with the next prompt."""
    with HookDeadline(LONGEST, client=_client(event)):
        words = _check_aloud(event)
        if words:
            _tell_later(event, words, context=words)
    return None


def _check_aloud(event: Event) -> str:
    """Run the checks and report any end: an unfinished check must not look like a running one."""
    try:
        return _checked(event)
    except OutOfTime:
        _tell_later(event, f"{_UNFINISHED} after {format_duration(LONGEST)}. {_BY_HAND}")
    except Exception:
        _tell_later(event, f"{_UNFINISHED}: internal error, see ultrawork doctor. {_BY_HAND}")
        raise
    return ""


def _wanted(event: Event) -> bool:
    """Wait until this stop is decided; return whether the checks are left to us."""
    from .stop.event_facts import make_stop_key

    began, key = time(), make_stop_key(event)
    while time() < began + TIMEOUTS["Stop"]:
        marker = markers.get(event.home, markers.BACKGROUND, event.session)
        if marker is None or marker.get("watch"):
            return False
        if marker.get("stop") == key and float(marker.get("decided") or 0) > began - _EARLIER:
            return bool(marker.get("wanted"))
        sleep(_POLL)
    return False


def _checked(event: Event) -> str:
    """Run the checks until their result is about the current files. Return the text of a refusal."""
    from .stop.decide import make_lock_path

    try:
        with Lock(make_lock_path(event), patience=1.0):
            if markers.find_planned_session(event.home, event.session):
                return _check_planned(event)
            _sign(event)
            baseline.wait_to_the_end(event)
            for _ in range(_ROUNDS):
                known = _still_on(event)
                if known is None:
                    return ""
                words = _round(known)
                if words is not None:
                    return words
            _tell_later(event, f"{_UNFINISHED}: files changed during each run. {_BY_HAND}")
    except Conflict:
        pass  # another process runs them
    return ""


def _sign(event: Event) -> None:
    """Record this process, so that the next event can report if it is gone."""
    known = markers.get(event.home, markers.BACKGROUND, event.session) or {}
    ours = {**known, "process": find_self().stamp()}
    markers.put(event.home, markers.BACKGROUND, event.session, ours)


def _check_planned(event: Event) -> str:
    """Run the checks of a planned session; either way its coordinator continues: with the verifier, or with another
    round."""
    from .planned.stop import verify_beside

    answer = verify_beside(event, LONGEST) if _is_wanted(event) else None
    if answer is not None and answer.message:
        _tell_later(event, answer.message)
    return answer.feedback if answer is not None else ""


def _is_wanted(event: Event) -> bool:
    content = markers.get(event.home, markers.BACKGROUND, event.session) or {}
    return bool(content.get("wanted")) and not markers.is_switched_off(event.home, event.session)


def _still_on(event: Event) -> StopContext | None:
    from .stop.decide import open_context

    return open_context(event) if _is_wanted(event) else None


def _round(known: StopContext) -> str | None:
    """Return the result; None if the files changed meanwhile."""
    from .stop import checks, event_facts
    from .stop.decide import decide_by_verdict

    event = known.event
    known.read_files()
    facts = event_facts.read(event)
    known.complete_facts(facts)
    standing = checks.run(known, seconds=LONGEST, trial=False)
    current = _still_on(event)
    if current is None:
        return ""
    current.read_files()
    if current.tree != standing.tree:
        return None
    answer = decide_by_verdict(current, facts, standing)
    if answer is None:
        return ""
    if answer.message:
        _tell_later(event, answer.message)
    return answer.block or answer.feedback


def _tell_later(event: Event, message: str, context: str = "") -> None:
    markers.put(event.home, markers.NEWS, event.session, {"message": message, "context": context})


def run_on_base(event: Event) -> Answer | None:
    """Run the checks on the baseline, quietly, before anyone has to wait for that."""
    from ..flow import retention
    from ..gates.judge.matrix import Matrix
    from ..gates.trees.source import Source
    from .stop.checks import HookGateContext

    known = load_context(event)
    if known is None:
        return None
    os.nice(10)
    with HookDeadline(LONGEST, client=_client(event)) as deadline, baseline.hold(event):
        known.read_files()
        work = HookGateContext(known, seconds=deadline.left - 1, slow=(), trial=False)
        source = Source(work)
        source.look_outside(known.pin, known.tree)
        matrix = Matrix(work, source, base=known.pin.tree, tree="")
        with closing(matrix):
            for gate in known.pin.gates:
                if known.may_run(gate.command) and markers.is_armed(event.home, event.session):
                    _run_alone(work, partial(matrix.run_baseline, gate))
    retention.sweep_when_due(event.store, event.environ)
    return None


def _run_alone(work: HookGateContext, run: Callable[[], object]) -> None:
    """Run alone, because two runs in a checkout can disturb each other; but release the lock soon, because this is
    only for later."""
    from ..gates.run.reuse import VerificationLock

    lock = VerificationLock(work)
    with lock:
        began = monotonic()
        work.tick = lambda: lock.release() if monotonic() - began > _ALONE else None
        run()


def verify(event: Event) -> Answer | None:
    """Run what `ulw verify` could not wait for."""
    from .prompt.free_words import verify_now

    with HookDeadline(LONGEST, client=_client(event)) as deadline:
        _tell_later(event, verify_now(event, deadline.left - 1))
    return None


def _client(event: Event) -> int:
    client = event.data.get("client")
    return client if isinstance(client, int) and client > 1 else 0


def watch(event: Event) -> Answer | None:
    content = markers.get(event.home, markers.BACKGROUND, event.session) or {}
    if content.get("watch") is not True or not event.attended:
        return None
    path = f"{event.home.root}/{markers.BACKGROUND}/{event.session}.watch"
    try:
        with HookDeadline(LONGEST), Lock(path, patience=0.1):
            watch_workers = _watch_workers(event)
    except Conflict:
        return None  # another process watches already
    return Answer(wake="\n".join(f"ultrawork: {sentence}." for sentence in watch_workers)) if watch_workers else None


def _watch_workers(event: Event) -> list[str]:
    """Wait until there is something to report, or no agent is running."""
    from ..core.modes import record
    from ..core.session.session import EXECUTION
    from ..flow import file_ownership, watchdog
    from ..store import agents, sessions

    while not markers.is_switched_off(event.home, event.session):
        name = markers.find_planned_session(event.home, event.session)
        session = sessions.get(event.store.database, name) if name else None
        if session is None or not session.active or session.phase != EXECUTION:
            break
        for progress in record.read_active(session).values():
            watchdog.queue_messages(event.store, name, watchdog.check_workers(event.store, session, progress))
        untold = file_ownership.take_unseen(event.store, name)
        if untold or not agents.list_at_work(event.store.database, name, now=event.clock()):
            return untold
        sleep(_WATCH_POLL)
    return []
