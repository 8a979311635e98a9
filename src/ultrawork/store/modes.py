"""
The modes that lie over a session. They are kept in its record, end when it ends, and are shown as files
in `.omc/state`, where scripts look for them and where rivals are kept apart.
"""

import os

from ..core.errors import Conflict, Trouble, UltraworkError
from ..core.modes import machines, modes, state_file
from ..core.modes.machines import ModeProgress
from ..core.session import phases
from ..core.times import parse_iso
from ..core.verdict import verdict as verdicts
from . import sessions
from .omc import states
from .omc.folder import HASTE, Omc

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..core.session.session import Session
    from .database import Database

KEY = "modes"


def read_all(session: "Session") -> dict[str, ModeProgress]:
    """All that were ever on in this session, as they were left."""
    kept = session.state.get(KEY)
    found = kept if isinstance(kept, dict) else {}
    return {mode: ModeProgress.read(document) for mode, document in found.items()}


def read_active(session: "Session") -> dict[str, ModeProgress]:
    return {mode: one for mode, one in read_all(session).items() if one.active}


def put(session: "Session", *changed: ModeProgress) -> None:
    kept = session.state.get(KEY)
    session.state[KEY] = {
        **(kept if isinstance(kept, dict) else {}),
        **{one.mode: one.document() for one in changed},
    }


def follow(session: "Session", now: float) -> None:
    """A session that has ended takes its modes along, each to the end that fits it."""
    if session.ended_at is None and session.phase not in phases.TERMINAL:
        _keep_step(session)
        return
    still_on = read_active(session).values()
    for progress in still_on:
        _leave(session, progress, now)
    if still_on:
        put(session, *still_on)


def _keep_step(session: "Session") -> None:
    """ralph that goes with a plan has no rounds of its own: those of the plan are its rounds."""
    ralph = read_active(session).get(modes.RALPH)
    if ralph is None or not (ralph.facts.get("joined") or set(ralph.linked) & set(modes.PLANNED)):
        return
    ralph.counts["iteration"] = session.iteration
    ralph.limits["iteration"] = int(str(session.options["max_iterations"]))
    put(session, ralph)


def _leave(session: "Session", progress: ModeProgress, now: float) -> None:
    phase = machines.FAILED if session.phase == phases.FAILED else machines.CANCELLED
    if session.verdict == verdicts.PASS:
        progress.facts["proved"] = True
        phase = machines.COMPLETE
    try:
        leave(progress, phase, now)
    except Conflict:
        leave(progress, machines.CANCELLED, now)


def leave(progress: ModeProgress, phase: str, now: float) -> None:
    """Off. What is cancelled stays where it was, so that it can be taken up again."""
    legal = machines.find(progress.mode).moves.get(progress.phase, ())
    if phase in legal or phase != machines.CANCELLED:
        machines.move(progress, phase, now)
    if progress.phase == machines.CANCELLED:
        progress.facts.setdefault("preserve_for_resume", True)
    progress.active = False
    progress.updated_at = now


def claim(omc: Omc, session: "Session", progress: ModeProgress) -> None:
    """Shows it; raises if a mode is on that cannot be on beside it."""
    state = state_file.render(progress, session=session.id, place=omc.top)
    states.show(omc, progress.mode, state, session=session.id, now=session.updated_at)


def show(session: "Session") -> None:
    """The files as the record has it; that a file cannot be written is not the session's trouble."""
    omc = Omc(session.working_dir, patience=HASTE)
    for progress in read_all(session).values():
        try:
            claim(omc, session, progress)
            if progress.mode == modes.SWARM and not progress.active:
                _leave_swarm(omc, session)
        except (UltraworkError, OSError):
            continue


def _leave_swarm(omc: Omc, session: "Session") -> None:
    """What it had claimed is the others' again."""
    from .omc.swarm import Board

    board = Board(omc, patience=HASTE)
    try:
        if board.is_here(session.id):
            board.give_back(session.id, session.updated_at)
    finally:
        board.close()


def is_outdated(omc: Omc, mode: str, session: "Session") -> bool:
    """Whether a file says that a mode is on which its session has ended, or had before it began anew."""
    state = states.read(omc, mode, session.id) or {}
    if state.get("active") is not True or mode in read_active(session):
        return False
    began = parse_iso(str(state.get("started_at")))
    return mode in read_all(session) or (began is not None and began < session.started_at - 1)


def list_in_worktree(database: "Database", place: str) -> "list[tuple[Session, ModeProgress]]":
    """Every mode that is on in a worktree, with the session it lies over; the oldest first."""
    found = [sessions.get(database, name) for name in sessions.list_with_modes(database, place)]
    return [(session, progress) for session in found for progress in read_active(session).values()]


def list_filed(database: "Database", place: str, now: float) -> list[tuple[str, str]]:
    """What only a file says is on, and whose: written by a script, or a swarm that no session leads."""
    omc = Omc(place)
    recorded = {
        (progress.mode, session.id) for session, progress in list_in_worktree(database, place)
    }
    found = [(mode, owner) for mode in modes.ALL for owner in _owners(omc, mode, now)]
    return [one for one in found if one not in recorded and not _has_ended(database, omc, *one)]


def _owners(omc: Omc, mode: str, now: float) -> list[str]:
    """A marker that cannot be read keeps rivals out all the same."""
    try:
        return states.list_active(omc, mode, now)
    except Trouble:
        return [states.SHARED]


def _has_ended(database: "Database", omc: Omc, mode: str, owner: str) -> bool:
    try:
        session = sessions.get(database, owner)
    except UltraworkError:
        return False  # no session of ours
    return (
        mode not in read_active(session) if mode == modes.SWARM else is_outdated(omc, mode, session)
    )


def read_filed(place: str, mode: str, owner: str) -> "tuple[dict[str, Any], float]":
    """The state that a file has of a mode, and when it was last touched; a swarm has a marker alone."""
    omc, session = Omc(place), "" if owner == states.SHARED else owner
    if mode == modes.SWARM:
        return {}, _written(f"{omc.root}/state/{modes.MARKERS[mode]}")
    state = states.read(omc, mode, session) or {}
    return state, modes.find_last_touch(state, _written(omc.state(mode, session)))


def _written(path: str) -> float:
    try:
        return os.stat(path).st_mtime
    except OSError:
        return 0.0
