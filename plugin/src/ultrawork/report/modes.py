"""Which modes are on in a worktree: their session, phase, and remaining limits."""

from typing import Any

from ..core.modes import tables
from ..core.modes.machine import INTERRUPTED_AFTER
from ..core.modes.modes import SWARM
from ..core.modes.tables import ModeProgress
from ..core.registry import ask
from ..core.session.session import Session
from ..core.times import format_duration, format_iso
from ..core.wording import cut, join_lines
from ..store import modes
from ..store.database import Database

_PHASE = 20


def list_in_worktree(database: Database, place: str, now: float) -> list[dict[str, Any]]:
    in_worktree = modes.list_in_worktree(database, place)
    return [_row(session, progress, now) for session, progress in in_worktree]


def _row(session: Session, progress: ModeProgress, now: float) -> dict[str, Any]:
    row = {
        "mode": progress.mode,
        "owner": session.id,
        "phase": progress.phase,
        "left": tables.count_left(progress),
        "limits": progress.limits,
        "linked": list(progress.linked),
        "started_at": format_iso(progress.started_at),
        "quiet": round(max(0.0, now - progress.updated_at)),
        "state": tables.find_resume_state(progress, now, active=True),
    }
    if progress.mode == SWARM:
        row["swarm"] = ask(SWARM, "read_summary")(session.working_dir, now)
    return {**row, "line": render_line(row)}


def list_filed(database: Database, place: str, now: float) -> list[dict[str, Any]]:
    """Return modes that only a file says are on; they exclude others like any."""
    return [_filed(place, mode, owner, now) for mode, owner in modes.list_filed(database, place, now)]


def _filed(place: str, mode: str, owner: str, now: float) -> dict[str, Any]:
    state, touched = modes.read_filed(place, mode, owner)
    phase, quiet = state.get("phase"), max(0.0, now - touched)
    row: dict[str, Any] = {
        "mode": mode,
        "owner": owner,
        "phase": cut(join_lines(phase), _PHASE) if isinstance(phase, str) and phase else "working",
        "left": {},
        "limits": {},
        "linked": [],
        "filed": True,
        "started_at": state.get("started_at"),
        "quiet": round(quiet),
        "state": tables.INTERRUPTED if quiet > INTERRUPTED_AFTER else tables.RUNNING,
    }
    if mode == SWARM:
        row["swarm"] = ask(SWARM, "read_summary")(place, now)
    return {**row, "line": render_line(row)}


def render_line(row: dict[str, Any]) -> str:
    """Return for example `ralph working, 7f3a51c2, left: iteration 7 of 10, with ultrawork`."""
    left = ", ".join(f"{name} {row['left'][name]} of {most}" for name, most in row["limits"].items())
    parts = [f"{row['mode']} {row['phase']}", row["owner"][:8]]
    parts += [f"left: {left}"] if left else []
    parts += _swarm(row.get("swarm"))
    parts += ["from its state file"] if row.get("filed") and row["mode"] != SWARM else []
    parts += [f"with {', '.join(row['linked'])}"] if row["linked"] else []
    if row["state"] == tables.INTERRUPTED:
        parts.append(f"quiet for {format_duration(row['quiet'])}")
    return ", ".join(parts)


def _swarm(swarm: dict[str, Any] | None) -> list[str]:
    """Return the progress of the tasks that the swarm's sessions share, or what is wrong with their list."""
    if not swarm:
        return []
    if "trouble" in swarm:
        return [swarm["trouble"]]
    return [ask(SWARM, "format_tally")(swarm["tasks"])]
