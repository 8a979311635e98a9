"""A lock on a file that several programs rewrite (`.omc`); the system frees it when its holder dies."""

import fcntl
import os
from _thread import get_ident
from time import monotonic, sleep

from ..core.errors import Conflict
from .atomic import read_text

# Handles that programs inherit, each with its thread: a program that another thread starts meanwhile must not hold it.
LENT: dict[int, int] = {}
_SHORTEST, _LONGEST = 0.0005, 0.01  # seconds between two looks


def is_held(path: str) -> bool:
    """Return whether another process holds the lock on this file; asking does not disturb others who ask."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(handle)
    return False


def read_stamp(path: str) -> tuple[int, str]:
    """The process that wrote its number and start into the lock file; nothing where none did."""
    pid, _, started = (read_text(path, 64) or "").strip().partition(" ")
    return (int(pid), started) if pid.isdecimal() else (0, "")


class Lock:
    """`with Lock(path): …` holds an exclusive flock on `path`, waiting at most `patience` seconds."""

    def __init__(self, path: str, *, patience: float = 10.0) -> None:
        self._path = path
        self._patience = patience
        self._handle = -1

    def __enter__(self) -> "Lock":
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
        self._handle = os.open(self._path, flags, 0o600)
        try:
            self._wait()
        except BaseException:
            os.close(self._handle)
            raise
        return self

    def _wait(self) -> None:
        end, pause = monotonic() + self._patience, _SHORTEST
        while True:
            try:
                fcntl.flock(self._handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if monotonic() >= end:
                    raise Conflict(
                        f"{self._path} has been locked by another program for {self._patience:g} s; try again"
                    ) from None
                sleep(pause)
                pause = min(2 * pause, _LONGEST)
            else:
                return

    def stamp(self, text: str) -> None:
        """Write who holds it, for readers."""
        os.ftruncate(self._handle, 0)
        os.pwrite(self._handle, text.encode(), 0)

    def __exit__(self, *_: object) -> None:
        os.close(self._handle)


class LentLock(Lock):
    """A lock that programs of this thread hold as well: if we are killed, the next one waits for their end."""

    def __enter__(self) -> "LentLock":
        super().__enter__()
        LENT[self._handle] = get_ident()
        return self

    def __exit__(self, *trouble: object) -> None:
        LENT.pop(self._handle, None)  # before its number is reused
        super().__exit__(*trouble)
