"""Run a client within a time limit, and leave none of its processes behind."""

import itertools
import os
import signal
import subprocess
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

TAIL = 2000
SETTLE = 5.0
MARK = "HARNESS_RUN"

_numbers = itertools.count(1)


class ClientError(AssertionError):
    """A client did not do what the harness needs; the message ends with its last output."""


class Finished:
    __slots__ = ("argv", "err", "exit", "out", "seconds")

    def __init__(self, argv: "Sequence[str]", exit_status: int, out: str, err: str, seconds: float) -> None:
        self.argv = tuple(argv)
        self.exit = exit_status
        self.out = out
        self.err = err
        self.seconds = seconds

    def checked(self) -> "Finished":
        if self.exit:
            name = " ".join(map(os.path.basename, self.argv[:3]))
            raise ClientError(f"{name} ended with {self.exit}\n{self.out[-TAIL:]}{self.err[-TAIL:]}")
        return self


def run(
    argv: "Sequence[str]", *, env: "Mapping[str, str]", cwd: str, timeout: float, given: str | None = None
) -> Finished:
    """Run to the end; whatever it leaves behind is ended too."""
    started, mark = time.monotonic(), new_mark()
    child = subprocess.Popen(
        list(argv),
        stdin=subprocess.DEVNULL if given is None else subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**env, MARK: mark},
        cwd=cwd,
        start_new_session=True,
    )
    try:
        out, err = child.communicate(None if given is None else given.encode(), timeout)
    except subprocess.TimeoutExpired:
        end_group(child.pid)
        out, err = child.communicate()
        text = _text(out)[-TAIL:] + _text(err)[-TAIL:]
        raise ClientError(f"{argv[0]} did not end within {timeout:.0f} s\n{text}") from None
    finally:
        end_all(MARK, mark)
    return Finished(argv, child.returncode, _text(out), _text(err), time.monotonic() - started)


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def end_group(leader: int) -> None:
    try:
        os.killpg(leader, signal.SIGKILL)
    except ProcessLookupError:
        pass


def new_mark() -> str:
    """A value of the variable `MARK` that no other run has."""
    return f"{os.getpid()}-{next(_numbers)}"


def end_all(variable: str, value: str) -> None:
    """End every process that was started with this value in its environment. Hooks and background shells lead their
    own sessions, so the client's process group does not reach them; what they inherit does."""
    deadline = time.monotonic() + SETTLE
    while (left := processes_with(variable, value)) and time.monotonic() < deadline:
        for pid in left:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        time.sleep(0.02)


def processes_with(variable: str, value: str) -> list[int]:
    """Return matching pids; without /proc nothing is found, and only the process group is ended."""
    mark = f"\0{variable}={value}\0".encode()
    own = str(os.getpid())
    numbers = [name for name in _listed("/proc") if name.isdigit() and name != own]
    return [int(name) for name in numbers if mark in _environment(name)]


def _listed(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except FileNotFoundError:
        return []


def _environment(pid: str) -> bytes:
    """Return the environment; empty for a process that is gone, a zombie, or another user's."""
    try:
        with open(f"/proc/{pid}/environ", "rb") as file:
            return b"\0" + file.read() + b"\0"
    except OSError:
        return b""
