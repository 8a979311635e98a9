"""The PRD of a worktree: `prd.json`, else `.omc/prd.json`. The agent writes it, we only read.

Also the log of a loop: the program writes `.omc/progress.txt`, which is part of no tree; the project's own
`progress.txt` is read, never written, because each line would change its files."""

import os
from collections.abc import Sequence

from ...core.errors import UsageError
from ...core.modes import progress_log
from ...core.modes.progress_log import LogEntry, ProgressLog
from ...core.times import format_iso
from ..codec import loads
from .folder import Omc

PRD_PLACES = ("prd.json", ".omc/prd.json")


def find_prd(omc: Omc) -> str:
    """Relative to the worktree; empty if there is none."""
    return next((name for name in PRD_PLACES if os.path.isfile(f"{omc.top}/{name}")), "")


def read_prd(omc: Omc) -> progress_log.Prd | None:
    """Return the PRD; None if there is none. Raise one sentence if it is malformed."""
    name = find_prd(omc)
    text = omc.read(f"{omc.top}/{name}") if name else None
    if text is None:
        return None
    try:
        document = loads(text)
    except (ValueError, RecursionError):
        raise UsageError(f"{name} is not JSON; fix it or remove it") from None
    return progress_log.parse_prd(document, name)


OWN_LOG = ".omc/progress.txt"
LOG_PLACES = ("progress.txt", OWN_LOG)


def read_log_text(omc: Omc) -> str | None:
    names = (name for name in LOG_PLACES if os.path.isfile(f"{omc.top}/{name}"))
    name = next(names, "")
    return omc.read(f"{omc.top}/{name}") if name else None


def read_log(omc: Omc) -> ProgressLog | None:
    log_text = read_log_text(omc)
    return None if log_text is None else progress_log.parse(log_text)


def append_entry(omc: Omc, entry: LogEntry, now: float, patterns: Sequence[str] = ()) -> None:
    """Append one entry, and new patterns."""
    entry.at = (format_iso(now) or "")[:16].replace("T", " ")

    def edit(before: str | None) -> str:
        return _with_patterns(before, patterns, now) + entry.text()

    omc.change(f"{omc.top}/{OWN_LOG}", edit)


def _with_patterns(before: str | None, patterns: Sequence[str], now: float) -> str:
    known = progress_log.make_empty(_stamp(now)) if before is None else before
    for pattern in patterns:
        known = progress_log.add_pattern(known, pattern)
    return known


def _stamp(now: float) -> str:
    """Return the time with milliseconds, as scripts that read this file write it."""
    return f"{(format_iso(now) or '')[:-1]}.{int(now * 1000) % 1000:03}Z"
