"""The eight execution modes; no other name ever reaches a path. Which of them are on, and which may be."""

from collections.abc import Iterable, Mapping
from typing import Any

from ..errors import UsageError
from ..times import parse_iso

AUTOPILOT = "autopilot"
ULTRAPILOT = "ultrapilot"
TEAM = "team"
PIPELINE = "pipeline"
RALPH = "ralph"
ULTRAWORK = "ultrawork"
ULTRAQA = "ultraqa"
SWARM = "swarm"
ALL = (AUTOPILOT, ULTRAPILOT, TEAM, PIPELINE, RALPH, ULTRAWORK, ULTRAQA, SWARM)
# Only one of these may run in a worktree, because each needs all of it.
EXCLUSIVE = (AUTOPILOT, ULTRAPILOT, SWARM, PIPELINE)
# Modes whose stages follow the course of a plan.
STAGED = (AUTOPILOT, ULTRAPILOT, TEAM)
# These two drive the same session in different directions.
APART = {RALPH: ULTRAQA, ULTRAQA: RALPH}
# A session has one plan, and one of these drives it.
PLANNED = (AUTOPILOT, ULTRAPILOT, TEAM, PIPELINE)
# The key, named together with the value or started while it is on, replaces it.
OVER = {TEAM: AUTOPILOT}
# Files beside a mode's state that are created and removed with it.
MARKERS = {ULTRAPILOT: "ultrapilot-ownership.json", RALPH: "ralph-verification.json", SWARM: "swarm-active.marker"}
STALE = 2 * 3600.0
STALE_MARKER = 3600.0
_STAMPS = ("updated_at", "last_checked_at", "started_at")


def parse(word: str) -> str:
    from ..check import find_nearest, quote

    if word in ALL:
        return word
    close = find_nearest(word.lower(), ALL)
    hint = f"did you mean {close}?" if close else f"known: {', '.join(ALL)}"
    raise UsageError(f"{quote(word)} is not a mode; {hint}")


def is_live(state: Mapping[str, Any], *, session: str, place: str, written: float, now: float) -> bool:
    """On, of this session and this worktree, and touched within two hours."""
    if state.get("active") is not True or (session and _other(state.get("session_id"), session)):
        return False
    return not _other(state.get("project_path"), place) and now - find_last_touch(state, written) <= STALE


def find_last_touch(state: Mapping[str, Any], written: float) -> float:
    """Return the newest time in a state, else when its file was written."""
    meta = state.get("_meta")
    stamps = [state.get(key) for key in _STAMPS]
    stamps += [meta.get("updatedAt")] if isinstance(meta, dict) else []
    times = [parse_iso(stamp) for stamp in stamps if isinstance(stamp, str)]
    return max((time for time in times if time is not None), default=written)


def _other(owner: object, ours: str) -> bool:
    return isinstance(owner, str) and bool(owner) and owner.rstrip("/") != ours


def find_blocker(mode: str, here: Iterable[str], anywhere: Iterable[str]) -> str:
    """Return the mode that must end before this one may begin; empty if none."""
    rivals = [rival for rival in EXCLUSIVE if rival != mode] if mode in EXCLUSIVE else []
    blockers = [other for other in anywhere if other in rivals]
    blockers += [other for other in here if other == APART.get(mode)]
    return blockers[0] if blockers else ""


def find_rival(mode: str, on: Iterable[str]) -> str:
    """Return the mode in the same session that is incompatible with this one and does not give way."""
    groups = [group for group in (PLANNED, EXCLUSIVE) if mode in group]
    rivals = {APART.get(mode, ""), *(rival for group in groups for rival in group)}
    rivals -= {mode, OVER.get(mode, "")}
    return next((other for other in on if other in rivals), "")


def has_conflict(mode: str, other: str) -> bool:
    """Return whether a mode of another session has the worktree that this one wants; a swarm is shared."""
    return mode in EXCLUSIVE and other in EXCLUSIVE and (mode, other) != (SWARM, SWARM)


def describe_refusal(rival: str, owner: str) -> str:
    """Explain why a mode may not begin; `owner` is the session of the blocking mode, empty for the shared state."""
    if owner:
        text = f"{rival} is on in session {owner[:8]}; end it there: ulw off"
        return f"{text}; in a terminal: ultrawork cancel"
    return f"{rival} is on; end it: ultrawork mode clear {rival}"
