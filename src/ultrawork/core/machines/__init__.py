from .machine import (
    CANCELLED,
    COMPLETE,
    ENDED,
    FAILED,
    FULL,
    INTERRUPTED,
    LIGHT,
    RESUMABLE,
    RUNNING,
    STALE,
    SWARM,
    Machine,
    Progress,
    count,
    left,
)
from .table import begin, move, of, resumable, take_up

__all__ = [
    "CANCELLED", "COMPLETE", "ENDED", "FAILED", "FULL", "INTERRUPTED", "LIGHT", "RESUMABLE", "RUNNING",
    "STALE", "SWARM", "Machine", "Progress", "begin", "count", "left", "move", "of",
    "resumable", "take_up",
]  # fmt: skip
