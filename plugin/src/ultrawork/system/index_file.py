"""Our own index as a file: how large it is, and whether git wrote it."""

import os
from collections.abc import Iterable

from .checkout import read_times

# From this size on git records each folder's content, which saves a third of a scan of 100,000 files.
LARGE = 1_000_000
# File clocks lag by a tick.
_TICK = 0.05


def is_large(path: str) -> bool:
    return os.path.exists(path) and os.path.getsize(path) >= LARGE


def is_older(paths: Iterable[str], moment: float) -> bool:
    """Return whether each of these was last changed before this moment, for certain."""
    last = int((moment - _TICK) * 1_000_000_000)
    return all((times := read_times(path)) and times[3] < last for path in paths)
