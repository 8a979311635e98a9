"""
Start, continue and end modes over an existing session.

Of two modes that exclude each other one is refused, even if both start at once: marking a mode as on in `.omc/state`
happens under one lock, before its record is closed. Files that outlived their record are repaired.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ..core.errors import Conflict, NotFound, UltraworkError
from ..core.modes import modes, record, tables
from ..core.modes.tables import ModeProgress
from ..core.session.session import Session
from ..core.session_kinds import FULL
from ..core.times import format_duration
from ..store import markers, sessions
from ..store import modes as kept
from ..store.database import Change
from ..store.omc import states
from ..store.omc.folder import Omc
from ..store.store import Store


def claim_file(store: Store, omc: Omc, session: Session, progress: ModeProgress) -> None:
    retry_after_cleanup(store, omc, lambda: kept.claim(omc, session, progress))


def retry_after_cleanup(store: Store, omc: Omc, ask: Callable[[], None]) -> None:
    """Call `ask` again if the obstacle was a file that outlived its session."""
    try:
        ask()
    except Conflict:
        if not _healed(store, omc):
            raise
        ask()


def _healed(store: Store, omc: Omc) -> bool:
    """Return whether a stale file was repaired: a killed client may leave one that says `active`."""
    is_healed = False
    for mode in states.FILED:
        for owner in states.list_active(omc, mode, store.now()):
            session = _find_session(store, owner)
            if session is not None and kept.is_outdated(omc, mode, session):
                restore_claims(store, omc, owner, [mode])
                is_healed = True
    return is_healed


def _find_session(store: Store, name: str) -> Session | None:
    try:
        return sessions.get(store.database, name)
    except UltraworkError:
        return None


def restore_claims(store: Store, omc: Omc, session_id: str, claimed: Iterable[str]) -> None:
    """Restore the files from the record; a mode that it does not know has none."""
    session = _find_session(store, session_id)
    before = {} if session is None else record.read_all(session)
    for mode in claimed:
        if session is not None and mode in before:
            kept.claim(omc, session, before[mode])
        else:
            states.clear(omc, mode, session_id)


PATIENCE = 20.0
_MARKED = "modes"


def begin(
    store: Store,
    place: str,
    session_id: str,
    mode: str,
    *,
    facts: Mapping[str, Any] | None = None,
    linked: Iterable[str] = (),
    limits: Mapping[str, int] | None = None,
    client: str = "",
    now: float,
) -> ModeProgress:
    """Start the mode and its linked modes, all or none. One that is already on continues, with what is new. `client`
    is the client's session if the session under the mode has another name."""
    names = [mode, *(name for name in linked if name != mode)]

    def beginning(session: Session) -> list[ModeProgress]:
        _refuse(store, session, names)
        _take_over(session, mode, now)
        on = record.read_active(session)
        begun = [on.get(name) or tables.begin(name, now) for name in names]
        begun[0].facts.update(facts or {})
        begun[0].limits.update(tables.find(mode).checked(limits))
        _link(begun)
        return begun

    begun = _claimed(store, place, session_id, "mode.begun", beginning)
    _mark(store, session_id, client)
    return begun


def resume(store: Store, place: str, session_id: str, mode: str, *, client: str = "", now: float) -> ModeProgress:
    """Resume what was interrupted or canceled where it stopped, with its linked modes."""

    def resuming(session: Session) -> list[ModeProgress]:
        left = record.read_all(session)
        if mode not in left:
            raise NotFound(f"{mode} has never run in session {session.id[:8]}")
        names = [mode, *(name for name in left[mode].linked if name in left)]
        _refuse(store, session, names)
        return [_taken_up(left[name], now) for name in names]

    resumed = _claimed(store, place, session_id, "mode.resumed", resuming)
    _mark(store, session_id, client)
    return resumed


def _taken_up(progress: ModeProgress, now: float) -> ModeProgress:
    state = tables.find_resume_state(progress, now, active=progress.active)
    if state in (tables.ENDED, tables.STALE):
        since = format_duration(now - progress.updated_at)
        text = f"is {progress.phase}" if state == tables.ENDED else f"was last active {since} ago"
        raise Conflict(f"{progress.mode} {text} and cannot be resumed; start it again")
    return tables.take_up(progress, now)


def _claimed(
    store: Store, place: str, session_id: str, kind: str, make: Callable[[Session], list[ModeProgress]]
) -> ModeProgress:
    """Record the modes in the session and in their files, or in neither."""
    omc, claimed = Omc(place, patience=PATIENCE), []
    _retire(store, place)
    try:
        with store.change(session_id) as change:
            session = sessions.get(change.database, session_id)
            made = make(session)
            record.put(session, *made)
            sessions.save(change, session, kind, {"modes": [mode_progress.mode for mode_progress in made]})
            for progress in made:
                claim_file(store, omc, session, progress)
                claimed.append(progress.mode)
    except BaseException:
        restore_claims(store, omc, session_id, claimed)
        raise
    return made[0]


def _retire(store: Store, place: str) -> None:
    """End an exclusive mode whose session was not touched for two hours; keep its state."""
    for session, progress in kept.list_in_worktree(store.database, place):
        quiet = store.now() - max(session.updated_at, progress.updated_at)
        if progress.mode in modes.EXCLUSIVE and quiet > modes.STALE:
            end(store, session.id, progress.mode, tables.CANCELLED, now=progress.updated_at)


def refuse_rivals(store: Store, place: str, session_id: str, mode: str) -> None:
    """Raise what `begin` would raise because of others, before the session under the mode starts."""
    _retire(store, place)
    _refuse_elsewhere(store, place, session_id, mode)
    omc, now = Omc(place), store.now()
    retry_after_cleanup(store, omc, lambda: states.refuse_rivals(omc, mode, session_id, now))


def _refuse(store: Store, session: Session, names: list[str]) -> None:
    if not session.active:
        raise Conflict(f"session {session.id[:8]} has ended. Start again: ulw <task>")
    for name in names:
        if tables.find(name).base == tables.FULL and session.kind != FULL:
            raise Conflict(f"{name} needs a session with a plan")
        rival = modes.find_rival(name, [*record.read_active(session), *names])
        if rival:
            raise Conflict(f"{rival} is on in this session. Turn it off first: ulw off")
        _refuse_elsewhere(store, session.working_dir, session.id, name)


def _refuse_elsewhere(store: Store, place: str, session_id: str, mode: str) -> None:
    """Refuse by the record, which cannot be removed by hand; the files are checked again when written."""
    for session, progress in kept.list_in_worktree(store.database, place):
        if session.id != session_id and modes.has_conflict(mode, progress.mode):
            raise Conflict(modes.describe_refusal(progress.mode, session.id))


def _link(begun: list[ModeProgress]) -> None:
    for mode_progress in begun:
        others = (progress.mode for progress in begun if progress is not mode_progress)
        mode_progress.linked = tuple(dict.fromkeys((*mode_progress.linked, *others)))


def _take_over(session: Session, mode: str, now: float) -> None:
    """Keep the mode that another one replaces, so that it can be resumed later."""
    before = record.read_active(session).get(modes.OVER.get(mode, ""))
    if before is not None:
        record.leave(before, tables.CANCELLED, now)
        record.put(session, before)


def save(change: Change, session: Session, progress: ModeProgress) -> None:
    """Record a mode inside a running change; its files are written when the change is closed."""
    record.put(session, progress)
    details = {"mode": progress.mode, "phase": progress.phase, "counts": progress.counts}
    sessions.save(change, session, "mode.moved", details)


def end(store: Store, session_id: str, mode: str, phase: str, *, now: float, client: str = "") -> None:
    """Turn a mode and its linked modes off. `phase` is one of its ends, or `cancelled`, which keeps the position. A
    mode that is not on stays as it is."""
    with store.change(session_id) as change:
        session = sessions.get(change.database, session_id)
        on = record.read_active(session)
        if mode not in on:
            return
        ended = [on[mode], *(on[name] for name in on[mode].linked if name in on)]
        for progress in ended:
            if on[mode].facts.get("proved") is True:
                progress.facts["proved"] = True
            record.leave(progress, phase, now)
        record.put(session, *ended)
        details = {"modes": [mode_progress.mode for mode_progress in ended], "phase": phase}
        sessions.save(change, session, "mode.ended", details)
    _mark(store, session_id, client)


def _mark(store: Store, session_id: str, client: str) -> None:
    """Name the modes in the session's marker, so that a stop without modes loads no mode code."""
    name = client or session_id
    content = markers.get(store.home, markers.ACTIVE, name)
    if content is None:
        return
    on = list(record.read_active(sessions.get(store.database, session_id)))
    if on != content.get(_MARKED, []):
        markers.put(store.home, markers.ACTIVE, name, {**content, _MARKED: on})
