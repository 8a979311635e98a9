"""One engine a session: the lock that it holds, and that tells its agents somebody is there."""

from ..core.errors import Conflict
from ..store.lock import Lock
from .local.executor import ENGINE_LOCK

PATIENCE = 3.0  # agents' wrappers look at the lock now and then, and hold it for that moment


class EngineLock(Lock):
    __slots__ = ("_session",)

    def __init__(self, session_folder: str, *, patience: float = PATIENCE) -> None:
        import os

        os.makedirs(session_folder, mode=0o700, exist_ok=True)
        self._session = session_folder.rpartition("/")[2]
        super().__init__(f"{session_folder}/{ENGINE_LOCK}", patience=patience)

    def __enter__(self) -> "EngineLock":
        try:
            super().__enter__()
        except Conflict:
            raise Conflict(
                f"another engine runs session {self._session}; see ultrawork status, or cancel it"
            ) from None
        return self
