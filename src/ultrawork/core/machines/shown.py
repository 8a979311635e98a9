"""The state of a mode as its file shows it: the keys that scripts know, then the mode's own facts."""

from ..times import iso

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .machine import Progress

# Counters that have a name of their own in the files.
NAMES = {
    "iteration": ("iteration", "max_iterations"),
    "cycle": ("cycle", "max_cycles"),
    "fix": ("fix_attempts", "max_fix_attempts"),
}


def state(progress: "Progress", *, session: str, place: str) -> "dict[str, Any]":
    return {
        **progress.facts,
        **_counted(progress),
        "active": progress.active,
        "phase": progress.phase,
        "phase_history": [{"phase": one, "at": iso(at)} for one, at in progress.history],
        "linked": list(progress.linked),
        "started_at": iso(progress.started_at),
        "updated_at": iso(progress.updated_at),
        "session_id": session,
        "project_path": place,
    }


def _counted(progress: "Progress") -> "dict[str, int]":
    found: dict[str, int] = {}
    for counter, most in progress.limits.items():
        name, limit = NAMES.get(counter, (f"{counter}_count", f"max_{counter}"))
        found[name], found[limit] = progress.counts.get(counter, 0), most
    return found
