"""The life of a task."""

from ..errors import Conflict, UsageError

PENDING = "pending"
IN_PROGRESS = "in_progress"
RESOLVED = "resolved"
FAILED = "failed"
BLOCKED = "blocked"
SKIPPED = "skipped"

NEXT: dict[str, tuple[str, ...]] = {
    PENDING: (IN_PROGRESS, BLOCKED, SKIPPED),
    IN_PROGRESS: (RESOLVED, FAILED, BLOCKED, PENDING, SKIPPED),
    BLOCKED: (PENDING, IN_PROGRESS, SKIPPED),
    FAILED: (PENDING, IN_PROGRESS, SKIPPED),
    RESOLVED: (PENDING,),
    SKIPPED: (PENDING,),
}
ALL = tuple(NEXT)
_SPELLINGS = {"open": PENDING}


def parse(word: str) -> str:
    from ..check import quote

    lower = word.strip().lower()
    status = _SPELLINGS.get(lower, lower)
    if status not in NEXT:
        raise UsageError(f"{quote(word)} is not a task status; known: {', '.join(ALL)} (open = pending)")
    return status


def move(now: str, target: str, *, reason: str = "") -> str:
    """Return the status after a legal transition. Skipping requires a reason."""
    if target not in NEXT[now]:
        raise Conflict(f"{now} cannot become {target}; legal from here: {', '.join(NEXT[now])}")
    if target == SKIPPED and not reason.strip():
        raise UsageError("a skipped task needs a reason; add --reason TEXT")
    return target
