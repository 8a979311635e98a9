"""
The stories of ralph, in a client and without one: what it begins with, what is open, what a round came to.
"""

from ..core import prd, progress_log
from ..core.wording import cut, one_line
from ..store.omc import prd as prds
from ..store.omc import progress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any

    from ..core.stop import Open
    from ..store.omc.place import Omc

MOST_ROUNDS = 100
GOAL = "goal"
_FILES = 20
_WORDS = 160


def at_start(
    found: "prd.Prd | None", before: "Mapping[str, str] | None" = None
) -> "dict[str, Any]":
    """What ralph keeps of the stories that it begins with; `before` are those it had already."""
    names = found.names if found is not None else {}
    return {
        "prd_mode": found is not None,
        "stories": {**(before or {}), **names},
        "open_at_start": len(found.pending) if found is not None else None,
        "current_story_id": _upcoming(found) if found is not None else None,
    }


def learned(found: prd.Prd) -> "dict[str, Any]":
    return {"stories": found.names, "current_story_id": _upcoming(found)}


def _upcoming(found: prd.Prd) -> str | None:
    return found.next.id if found.next is not None else None


def read(omc: "Omc", facts: "Mapping[str, Any]") -> "prd.Prd | None":
    """With those that were seen before; what is malformed raises one sentence."""
    found = prds.read(omc)
    kept = facts.get("stories")
    known = {str(key): str(value) for key, value in kept.items()} if isinstance(kept, dict) else {}
    if found is None and known:
        found = prd.Prd("prd.json", [])
    if found is not None:
        found.known = known
    return found


def left(
    found: prd.Prd,
    facts: "Mapping[str, Any]",
    *,
    green: bool,
    changed: "Callable[[], Iterable[str]]",
) -> "Open | None":
    """What is open of them. Stories that passed before ask for nothing; others for more than their mark."""
    still = prd.still_open(found)
    if still is not None or not green or facts.get("open_at_start") == 0:
        return still
    own = (*prds.PLACES, *progress.PLACES)
    return None if any(path not in own for path in changed()) else prd.only_marked(found)


def note(
    omc: "Omc",
    facts: "Mapping[str, Any]",
    *,
    said: str,
    came_to: str,
    files: "Sequence[str]",
    now: float,
) -> None:
    """An entry for the round that is over, under the story that was next when it began."""
    kept = progress_log.lessons(said)
    first = next((line for line in said.splitlines() if line.strip()), "")
    entry = progress_log.Entry(
        str(facts.get("current_story_id") or GOAL),
        [*([f'said: "{cut(one_line(first), _WORDS)}"'] if first else []), came_to],
        files[:_FILES],
        kept["learnings"],
    )
    progress.append(omc, entry, now, kept["patterns"])
