"""Allow one verification at a time in a checkout: the next one waits, and reuses the receipts."""

import os

from ...core.errors import Conflict
from ...core.times import format_duration
from ...store.atomic import Lock
from ...store.codec import digest
from ...system.process_tree import MARK
from ..context import GateContext


class VerificationLock:
    """`with VerificationLock(context)`: waits as long as there is time. The system frees it when its holder dies."""

    def __init__(self, context: GateContext) -> None:
        self._context = context
        self._path = f"{context.cache}/verify-{digest(context.root)[:16]}.lock"
        self._lock: Lock | None = None

    def __enter__(self) -> bool:
        """Return whether another verification had to be waited for."""
        os.makedirs(self._context.cache, mode=0o700, exist_ok=True)
        try:
            self._lock = Lock(self._path, patience=0).__enter__()
        except Conflict:
            self._wait()
            return True
        return False

    def _wait(self) -> None:
        if self._context.environ.get(MARK):
            raise Conflict(
                "a check runs `ultrawork verify`, which would run that check again. Remove it from the check"
            )
        left = self._context.left
        self._context.progress("waiting for another verification of this checkout", None)
        try:
            self._lock = Lock(self._path, patience=left).__enter__()
        except Conflict:
            raise Conflict(
                f"another verification has been running here for {format_duration(left)}. Try again later"
            ) from None

    def __exit__(self, *_: object) -> None:
        """Release the lock; a caller may do so early, so that others need not wait."""
        lock, self._lock = self._lock, None
        if lock is not None:
            lock.__exit__()

    release = __exit__
