"""
The log of a loop: the program writes `.omc/progress.txt`, which is part of no tree; one of the project's own
(`progress.txt`) is read, never written, because each line would make other files of it.
"""

import os

from ...core import progress_log
from ...core.times import iso

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...core.progress_log import Entry, Log
    from .place import Omc

OWN = ".omc/progress.txt"
PLACES = ("progress.txt", OWN)


def text(omc: "Omc") -> str | None:
    found = (name for name in PLACES if os.path.isfile(f"{omc.top}/{name}"))
    name = next(found, "")
    return omc.read(f"{omc.top}/{name}") if name else None


def read(omc: "Omc") -> "Log | None":
    found = text(omc)
    return None if found is None else progress_log.parse(found)


def append(omc: "Omc", entry: "Entry", now: float, patterns: "Sequence[str]" = ()) -> None:
    """One entry, and the patterns that are new."""
    entry.at = (iso(now) or "")[:16].replace("T", " ")

    def edit(before: str | None) -> str:
        return _with_patterns(before, patterns, now) + entry.text()

    omc.change(f"{omc.top}/{OWN}", edit)


def add_patterns(omc: "Omc", patterns: "Sequence[str]", now: float) -> None:
    omc.change(f"{omc.top}/{OWN}", lambda before: _with_patterns(before, patterns, now))


def _with_patterns(before: str | None, patterns: "Sequence[str]", now: float) -> str:
    known = progress_log.fresh(_stamp(now)) if before is None else before
    for pattern in patterns:
        known = progress_log.with_pattern(known, pattern)
    return known


def _stamp(now: float) -> str:
    """With thousandths, as the scripts that read this file write it."""
    return f"{(iso(now) or '')[:-1]}.{int(now * 1000) % 1000:03}Z"
