"""The modes of a session in its record: they end when it ends, each in its own way."""

from ..errors import Conflict
from ..session.session import FAILED, TERMINAL, Session
from ..verdict import verdict as verdicts
from . import modes, tables
from .machine import ModeProgress


def read_all(session: Session) -> dict[str, ModeProgress]:
    """Return all modes that were ever on in this session."""
    return {mode: ModeProgress.read(document) for mode, document in session.state.modes.items()}


def read_active(session: Session) -> dict[str, ModeProgress]:
    return {mode: mode_progress for mode, mode_progress in read_all(session).items() if mode_progress.active}


def put(session: Session, *changed: ModeProgress) -> None:
    session.state.modes = {
        **session.state.modes,
        **{mode_progress.mode: mode_progress.document() for mode_progress in changed},
    }


def follow(session: Session, now: float) -> None:
    """A session that has ended takes its modes along, each to the end that fits it."""
    if session.ended_at is None and session.phase not in TERMINAL:
        _keep_step(session)
        return
    still_on = read_active(session).values()
    for progress in still_on:
        _leave(session, progress, now)
    if still_on:
        put(session, *still_on)


def _keep_step(session: Session) -> None:
    """Copy the plan's rounds to a joined ralph, which has none of its own."""
    ralph = read_active(session).get(modes.RALPH)
    if ralph is None or not (ralph.facts.get("joined") or set(ralph.linked) & set(modes.PLANNED)):
        return
    ralph.counts["iteration"] = session.iteration
    ralph.limits["iteration"] = int(str(session.options["max_iterations"]))
    put(session, ralph)


def _leave(session: Session, progress: ModeProgress, now: float) -> None:
    phase = tables.FAILED if session.phase == FAILED else tables.CANCELLED
    if session.verdict == verdicts.PASS:
        progress.facts["proved"] = True
        phase = tables.COMPLETE
    try:
        leave(progress, phase, now)
    except Conflict:
        leave(progress, tables.CANCELLED, now)


def leave(progress: ModeProgress, phase: str, now: float) -> None:
    """Turn the mode off. A cancelled mode keeps its state, so that it can be resumed."""
    legal = tables.find(progress.mode).moves.get(progress.phase, ())
    if phase in legal or phase != tables.CANCELLED:
        tables.move(progress, phase, now)
    if progress.phase == tables.CANCELLED:
        progress.facts.setdefault("preserve_for_resume", True)
    progress.active = False
    progress.updated_at = now
