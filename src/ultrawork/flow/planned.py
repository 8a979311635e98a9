"""Planned modes: a session is begun with the mode's options and carried by the same course as any other."""

import os

from ..core import machines, modes
from ..core.errors import Conflict, NotFound
from ..core.phases import CANCELLED, EXECUTION, PLANNING
from ..core.times import spoken
from ..store import sessions, switch, trace
from . import begin as plain
from . import modes as kept

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from ..core.machines import Progress
    from ..core.session import Session
    from ..store.state import Store

OPTIONS = {
    modes.AUTOPILOT: {"max_workers": 5, "max_iterations": 10},
    modes.ULTRAPILOT: {"max_workers": 20, "max_iterations": 3},
    modes.TEAM: {"max_workers": 5, "max_iterations": 25},
}
FACTS = {modes.TEAM: {"preserve_for_resume": True}}


def begin(  # noqa: PLR0917 (what a session needs, and the mode)
    store: "Store",
    environ: "Mapping[str, str]",
    place: str,
    name: str,
    mode: str,
    words: plain.Words,
    *,
    linked: "Iterable[str]" = (),
) -> "Session":
    """The session and the mode, or neither. A mode that may take another's place goes on with its session."""
    if not _takes_over(store, name, mode):
        kept.refuse_rivals(store, place, name, mode)
        words.options = {**_options(mode, words.options), "auto_mode": True}
        plain.begin(store, environ, place, name, words)
    limits = {"iteration": int(str(sessions.get(store.database, name).options["max_iterations"]))}
    lay_over(store, place, name, mode, facts=FACTS.get(mode), linked=linked, limits=limits)
    return sessions.get(store.database, name)


def lay_over(store: "Store", place: str, name: str, mode: str, **how: "Any") -> None:
    """The mode over a session that was begun for it, which ends if somebody else was quicker."""
    try:
        kept.begin(store, place, name, mode, **how, now=store.now())
    except Conflict:
        switch.end(store, name, rule="mode-refused", how=f"{mode} could not begin")
        raise


def _options(mode: str, given: "dict[str, object]") -> "dict[str, object]":
    """A person may ask for less than the mode allows, never for more."""
    most = OPTIONS[mode]
    wished = {key: int(str(given.get(key) or number)) for key, number in most.items()}
    return {**given, **{key: min(wished[key], number) for key, number in most.items()}}


def _takes_over(store: "Store", name: str, mode: str) -> bool:
    try:
        session = sessions.get(store.database, name)
    except NotFound:
        return False
    return session.active and modes.OVER.get(mode, "") in kept.of(session)


def find(store: "Store", place: str, mode: str) -> "Session":
    """The newest session here in which this mode was ever on."""
    for session in sessions.listed(store.database):
        if session.working_dir == place and mode in kept.known(session):
            return session
    raise NotFound(f"no {mode} was ever on in this checkout; begin one with a goal")


def resume(store: "Store", place: str, client: str, session: "Session") -> "Session":
    """
    Takes up the planned mode of a session where it was left: one that was cancelled within the hour, or
    that nobody has touched for five minutes; in the same conversation at any time.
    """
    progress = left_over(session)
    if progress is None or progress.phase in machines.of(progress.mode).ends:
        return session
    _refuse_unfit(store, session, progress, client)
    if not progress.active:
        kept.refuse_rivals(store, place, session.id, progress.mode)
        _reopen(store, session, progress)
        kept.resume(store, place, session.id, progress.mode, client=client, now=store.now())
    return sessions.get(store.database, session.id)


def left_over(session: "Session") -> "Progress | None":
    """The planned mode that was on last."""
    known = kept.known(session)
    found = [known[mode] for mode in modes.STAGED if mode in known]
    # One that was only cut off has nothing to be reopened: its stages go on as they stand.
    cancelled = known.get(modes.PIPELINE)
    found += [cancelled] if cancelled is not None and not cancelled.active else []
    return max(found, key=lambda one: (one.active, one.updated_at), default=None)


def _refuse_unfit(store: "Store", session: "Session", progress: "Progress", client: str) -> None:
    now, touched = store.now(), _touched(store, session, progress)
    progress.updated_at = touched
    state = machines.resumable(progress, now, active=progress.active)
    quiet = spoken(now - touched)
    if state == machines.RUNNING and client != session.id:
        raise Conflict(
            f"{progress.mode} is at work in session {session.id[:8]}, last seen {quiet} ago;"
            " wait until it is quiet for 5 minutes, or end it: ultrawork cancel"
        )
    if state == machines.STALE:
        raise Conflict(f"{progress.mode} was left {quiet} ago; begin it anew")


def _touched(store: "Store", session: "Session", progress: "Progress") -> float:
    """The last sign of life: of the record, or of any agent's tools."""
    last = store.database.value("SELECT max(at) FROM events WHERE session=?", session.id)
    try:
        seen = os.stat(trace.path(store.home, session.id)).st_mtime
    except OSError:
        seen = 0.0
    return max(progress.updated_at, float(last or 0.0), seen)


def _reopen(store: "Store", session: "Session", progress: "Progress") -> None:
    """What was planned is carried out, what was not is planned; files and results are as they were left."""
    works = machines.of(progress.mode).works
    with store.change(session.id) as change:
        current = sessions.get(change.database, session.id)
        if current.phase == CANCELLED or current.ended_at is not None:
            begun = any(phase in works for phase, _ in progress.history)
            current.phase = EXECUTION if begun else PLANNING
            current.ended_at, current.verdict = None, None
            current.state.pop("stopContinuation", None)
            sessions.save(change, current, "session.reopened", {"phase": current.phase})
