"""The modes of sessions as files in `.omc/state`, where scripts look for them and rivals are kept apart."""

from typing import Any

from ..core.errors import Trouble, UltraworkError
from ..core.modes import modes, record, state_file
from ..core.modes.machine import ModeProgress
from ..core.registry import ask
from ..core.session.session import Session
from ..core.times import parse_iso
from . import sessions
from .atomic import find_write_time
from .database import Database
from .omc import states
from .omc.folder import HASTE, Omc


def claim(omc: Omc, session: Session, progress: ModeProgress) -> None:
    """Shows it; raises if a mode is on that cannot be on beside it."""
    state = state_file.render(progress, session=session.id, place=omc.top)
    states.show(omc, progress.mode, state, session=session.id, now=session.updated_at)


def show(session: Session) -> None:
    """The files as the record has it; that a file cannot be written is not the session's trouble."""
    omc = Omc(session.working_dir, patience=HASTE)
    for progress in record.read_all(session).values():
        try:
            claim(omc, session, progress)
            if progress.mode == modes.SWARM and not progress.active:
                ask(modes.SWARM, "leave")(omc, session)
        except (UltraworkError, OSError):
            continue


def is_outdated(omc: Omc, mode: str, session: Session) -> bool:
    """Return whether a file says that a mode is on which its session has ended, also before a restart."""
    state = states.read(omc, mode, session.id) or {}
    if state.get("active") is not True or mode in record.read_active(session):
        return False
    began = parse_iso(str(state.get("started_at")))
    return mode in record.read_all(session) or (began is not None and began < session.started_at - 1)


def list_in_worktree(database: Database, place: str) -> list[tuple[Session, ModeProgress]]:
    """Return every active mode of a worktree with its session, oldest first."""
    owners = [sessions.get(database, name) for name in sessions.list_with_modes(database, place)]
    return [(session, progress) for session in owners for progress in record.read_active(session).values()]


def list_filed(database: Database, place: str, now: float) -> list[tuple[str, str]]:
    """Return modes that only a file says are on, with owner: written by a script, or a swarm without a session."""
    omc = Omc(place)
    recorded = {(progress.mode, session.id) for session, progress in list_in_worktree(database, place)}
    pairs = [(mode, owner) for mode in modes.ALL for owner in _owners(omc, mode, now)]
    return [pair for pair in pairs if pair not in recorded and not _has_ended(database, omc, *pair)]


def _owners(omc: Omc, mode: str, now: float) -> list[str]:
    """Return the owners; an unreadable marker still keeps rivals out."""
    try:
        return states.list_active(omc, mode, now)
    except Trouble:
        return [states.SHARED]


def _has_ended(database: Database, omc: Omc, mode: str, owner: str) -> bool:
    try:
        session = sessions.get(database, owner)
    except UltraworkError:
        return False  # no session of ours
    return mode not in record.read_active(session) if mode == modes.SWARM else is_outdated(omc, mode, session)


def read_filed(place: str, mode: str, owner: str) -> tuple[dict[str, Any], float]:
    """Return a mode's state from its file, and when it was last touched; a swarm has only a marker."""
    omc, session = Omc(place), "" if owner == states.SHARED else owner
    if mode == modes.SWARM:
        return {}, find_write_time(f"{omc.root}/state/{modes.MARKERS[mode]}")
    state = states.read(omc, mode, session) or {}
    return state, modes.find_last_touch(state, find_write_time(omc.state(mode, session)))


def list_mode_events(database: Database, session: str) -> list[dict[str, Any]]:
    """Return the history of modes and stops as trace entries: `ralph begun`, `team exec`, `sent back: gates`."""
    from .codec import loads

    rows = database.rows(
        "SELECT at, kind, data FROM events WHERE session=? AND (kind LIKE 'mode.%' OR kind='stop.decided') ORDER BY id",
        session,
    )
    mode_events = []
    for at, kind, text in rows:
        data = loads(text)
        if kind == "stop.decided":
            if data.get("action") == "refuse":
                mode_events.append({"at": at, "kind": "hooks", "what": f"sent back: {data.get('rule')}"})
            continue
        names = data.get("modes") or [data.get("mode", "")]
        phase = data.get("phase") or kind.partition(".")[2]
        mode_events.append({"at": at, "kind": "modes", "what": f"{', '.join(map(str, names))} {phase}"})
    return mode_events
