"""Bringing prompt files up to date with the roster, the fragments and the families."""

import os

from ..store import atomic
from . import blocks, compose, front
from .records import Complaint

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .library import Library
    from .records import Member

RULE = "stale"


def stale(library: "Library") -> dict[str, str]:
    """The files that differ from what they should be, with the text they should have."""
    wanted = {one.path: _text(one, library) for one in library.members}
    return {
        path: text
        for path, text in wanted.items()
        if text is not None and library.files.get(path) != text
    }


def _text(member: "Member", library: "Library") -> str | None:
    """None where something is missing that a rule tells about."""
    try:
        return compose.text(member, library)
    except (KeyError, blocks.BlockError, front.HeadError):
        return None


def complaints(library: "Library") -> list[Complaint]:
    what = "not up to date; run ultrawork content sync"
    return [Complaint(path, RULE, what) for path in stale(library)]


def write(library: "Library") -> list[str]:
    """Writes what is stale; the paths that were written."""
    found = stale(library)
    for path, text in found.items():
        os.makedirs(os.path.dirname(f"{library.root}/{path}"), exist_ok=True)
        atomic.write(f"{library.root}/{path}", text, mode=0o644)
    return list(found)
