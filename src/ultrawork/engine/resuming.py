"""
Whether an attempt goes on with the conversation of the one before it.

Agents that only read do: a planner whose plan cannot stand knows the project already, and so does whoever
was cut off. A worker begins anew: each of its attempts has files of its own, so what it remembers of them is
not true any more, and programs keep a conversation with the folder that it was held in.
"""

from .work import remembered

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from .backends.base import Backend

_GO_ON = "You go on with what you began here. What you are told now counts where it differs."


def session_of(backend: "Backend", folders: "Sequence[str]", place: str) -> str:
    """Of the newest attempt, if it was held here by this program and was no continuation itself."""
    last = remembered(folders[-1]) if folders else None
    if last is None or last.backend != backend.name or last.place != place or last.resume:
        return ""
    return backend.read(last).session


def prompt(whole: str, spawn: str, resume: str) -> str:
    """Who it is stands in the conversation already."""
    return f"{_GO_ON}\n\n{spawn}\n" if resume else whole
