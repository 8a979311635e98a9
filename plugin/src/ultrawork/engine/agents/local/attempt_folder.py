"""An attempt's folder: which file holds what, and who holds the lock of its subject."""

import fcntl
import os
from typing import Any

from ....store.atomic import is_held
from ....store.codec import digest


class AttemptFolder:
    """One folder. The lock belongs to the subject, not to one attempt: two agents of a task never run at once. `token`
    marks every process that was started for this attempt."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.prompt = f"{path}/prompt.txt"
        self.given = f"{path}/stdin"
        self.out = f"{path}/out.jsonl"
        self.err = f"{path}/err.log"
        self.pid = f"{path}/pid"
        self.cancel = f"{path}/cancel"
        self.result = f"{path}/result.json"
        self.lock = f"{path.rpartition('.')[0]}.lock"

    @property
    def token(self) -> str:
        return f"attempt-{digest(self.path)[:24]}"

    def take_lock(self) -> int:
        """Return the handle that holds the lock, or -1 if another process has it."""
        handle = os.open(self.lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        return handle if _locked(handle, fcntl.LOCK_EX) else -1

    @property
    def held(self) -> bool:
        return is_held(self.lock)

    def read_result(self) -> dict[str, Any] | None:
        from ....store.codec import loads

        try:
            document: dict[str, Any] | None = loads(_read_text(self.result))
        except ValueError:  # there is none, or a power cut took its text
            document = None
        return document

    def read_pid(self) -> tuple[int, float]:
        """Return pid and start time of the wrapper; zeros before it starts."""
        pid, _, began = _read_text(self.pid).partition(" ")
        return (int(pid), float(began)) if began else (0, 0.0)

    def output_bytes(self) -> int:
        return sum(_stat(path)[0] for path in (self.out, self.err))

    def last_output(self) -> float:
        return max(_stat(path)[1] for path in (self.out, self.err))


def _locked(handle: int, how: int) -> bool:
    try:
        fcntl.flock(handle, how | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(handle)
        return False
    return True


def write_bytes(path: str, data: bytes) -> None:
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
    try:
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(handle, rest) :]
    finally:
        os.close(handle)


def _read_text(path: str) -> str:
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except FileNotFoundError:
        return ""


def _stat(path: str) -> tuple[int, float]:
    try:
        status = os.stat(path)
    except FileNotFoundError:
        return 0, 0.0
    return status.st_size, status.st_mtime
