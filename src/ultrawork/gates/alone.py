"""One verification at a time in a checkout: what one has found, the next one uses."""

import os

from ..core.errors import Conflict
from ..core.times import spoken
from ..store.fast import digest
from ..store.lock import Lock
from ..system.offspring import MARK

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .work import Work


class Alone:
    """`with Alone(work)`: waits as long as there is time. The system frees it when its holder dies."""

    __slots__ = ("_lock", "_path", "_work")

    def __init__(self, work: "Work") -> None:
        self._work = work
        self._path = f"{work.cache}/verify-{digest(work.root)[:16]}.lock"
        self._lock: Lock | None = None

    def __enter__(self) -> bool:
        """Whether somebody else had to be waited for."""
        os.makedirs(self._work.cache, mode=0o700, exist_ok=True)
        try:
            self._lock = Lock(self._path, patience=0).__enter__()
        except Conflict:
            self._wait()
            return True
        return False

    def _wait(self) -> None:
        if self._work.environ.get(MARK):
            raise Conflict(
                "verify was started by a gate of this checkout, which it would run again;"
                " take it out of the gate"
            )
        left = self._work.left
        self._work.progress("waiting for another verification here", None)
        try:
            self._lock = Lock(self._path, patience=left).__enter__()
        except Conflict:
            raise Conflict(
                f"another verification has been running here for {spoken(left)}; try again later"
            ) from None

    def __exit__(self, *_: object) -> None:
        if self._lock is not None:
            self._lock.__exit__()
