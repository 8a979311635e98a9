"""Write a file so that a reader sees the old or the new text, never a part; read one that may be missing,
and the names in a folder that may be; lock a file that several programs rewrite."""

import os
from _thread import get_ident
from time import monotonic, sleep

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


def write(path: str, text: str | bytes, *, mode: int = 0o600, sync: bool = True) -> None:
    """
    Write to a temporary file in the same folder, flush it and replace `path`; a link there is not followed.
    Without `sync` it survives the end of any program, but perhaps not a power cut.
    """
    temporary = _write_beside(path, text, mode, sync=sync)
    _settle(temporary, path)


def write_many(texts: "Mapping[str, str]") -> None:
    """Write many files with one flush for all."""
    if len(texts) < 16:
        for path, text in texts.items():
            write(path, text)
        return
    written = {path: _write_beside(path, text, 0o600, sync=False) for path, text in texts.items()}
    os.sync()
    for path, temporary in written.items():
        _settle(temporary, path)


def _write_beside(path: str, text: str | bytes, mode: int, *, sync: bool) -> str:
    folder, name = os.path.split(path)
    temporary = f"{folder}/.{name}.{os.getpid()}.{get_ident()}.tmp"
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW
    handle = os.open(temporary, flags, mode)
    try:
        rest = memoryview(text if isinstance(text, bytes) else text.encode("utf-8", "replace"))
        while rest:
            rest = rest[os.write(handle, rest) :]
        if sync:
            os.fsync(handle)
    except OSError:
        os.unlink(temporary)
        raise
    finally:
        os.close(handle)
    return temporary


def _settle(temporary: str, path: str) -> None:
    try:
        os.replace(temporary, path)
    except OSError:
        os.unlink(temporary)
        raise


def read_text(path: str, most: int = -1) -> str | None:
    """Return at most that many bytes of a file as text; None if it cannot be read."""
    try:
        with open(path, "rb") as file:
            return file.read(most).decode("utf-8", "replace")
    except OSError:
        return None


def list_folder(folder: str) -> list[str]:
    """Return the names in a folder, sorted; none if it cannot be read."""
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []


def find_write_time(path: str) -> float:
    """Return when a file was last written; 0 if there is none."""
    try:
        return os.stat(path).st_mtime
    except OSError:
        return 0.0


# Handles that programs inherit, each with its thread: a program that another thread starts meanwhile must not hold it.
LENT: dict[int, int] = {}
_SHORTEST, _LONGEST = 0.0005, 0.01  # seconds between two looks


def is_held(path: str) -> bool:
    """Return whether another process holds the lock on this file; asking does not disturb others who ask."""
    import fcntl

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
        import fcntl

        end, pause = monotonic() + self._patience, _SHORTEST
        while True:
            try:
                fcntl.flock(self._handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if monotonic() >= end:
                    from ..core.errors import Conflict

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
