"""Supervise one attempt: start the agent, end it in time, and record how it went, with the CPU use of its process
tree: exact on Linux, unknown elsewhere.

The wrapper outlives the engine. It holds the subject's lock from its first instruction until the result is on disk. So
every reader finds it running, or the result, or neither: then the attempt is lost."""

import _signal  # type: ignore[import-not-found]  # private, and spares us enum
import os
import select
import time
from collections.abc import Callable
from errno import EDQUOT, EIO, ENOSPC, EROFS
from typing import Any

from ....store import atomic
from ....store.atomic import is_held
from ....store.codec import dumps
from ....system.process_tree import KILL, MARK, TERM, read_proc_file
from ..executor import CANCELLED, DEADLINE, ENDED, FLOODED, NO_ROOM, ORPHANED
from .attempt_folder import AttemptFolder, write_bytes

_REAPER = 36  # PR_SET_CHILD_SUBREAPER


def _kernel() -> Callable[..., int] | None:
    try:
        from ctypes import CDLL

        return CDLL(None).prctl
    except (ImportError, AttributeError, OSError):  # not Linux
        return None


class Reaper:
    """Makes us the parent of orphaned descendants, even those that left the agent's session."""

    def __init__(self) -> None:
        self._call = _kernel()

    def become(self) -> None:
        if self._call is not None:
            self._call(_REAPER, 1, 0, 0, 0)


def list_children(pid: int) -> list[int]:
    children: list[int] = []
    try:
        for thread in os.listdir(f"/proc/{pid}/task"):
            children += map(int, read_proc_file(f"/proc/{pid}/task/{thread}/children").split())
    except OSError:
        pass  # it has ended or is ending (with different errors), or this is not Linux
    return children


def list_descendants(pid: int) -> list[int]:
    children = list_children(pid)
    for child in children:
        children += list_children(child)
    return children


def measure_cpu(pids: list[int]) -> float:
    """Return CPU seconds of these processes and the children they waited for."""
    tick = os.sysconf("SC_CLK_TCK")
    return sum(_ticks(pid) for pid in pids) / tick


def _ticks(pid: int) -> int:
    # The program's name comes second, in brackets, and may hold anything.
    fields = read_proc_file(f"/proc/{pid}/stat").rpartition(b")")[2].split()
    return sum(int(field) for field in fields[11:15])


GRACE = 2.0
LEFT_GRACE = 0.3
TICK = 1.0
PAUSE = 0.01
FLOOD = 1 << 30
NOT_RUNNABLE = 126
NOT_FOUND = 127
# The disk may get space again, or become writable.
_PASSING = (ENOSPC, EDQUOT, EROFS, EIO)


def run_attempt(order: dict[str, Any], lock: int, reaper: Reaper) -> None:
    """Run an attempt; never return to the server's loop, because this process belongs to the attempt."""
    try:
        os.setsid()
        reaper.become()
        _Keeper(order, lock).run()
    except Exception:  # noqa: BLE001 (there is no caller; the attempt is lost, and this records why)
        from traceback import format_exc

        write_bytes(f"{order['folder']}/wrapper.log", format_exc().encode("utf-8", "replace"))
    finally:
        os._exit(0)


class _Keeper:
    def __init__(self, order: dict[str, Any], lock: int) -> None:
        self._order = order
        self._lock = lock
        self._folder = AttemptFolder(order["folder"])
        self._bell = _listen()
        self._began = time.time()
        self._lonely = 0.0
        self._signalled = False
        self._agent = 0
        self._status: int | None = None

    def run(self) -> None:
        write_bytes(self._folder.pid, f"{os.getpid()} {self._began!r}".encode())
        why = CANCELLED
        # A canceling process writes first and then looks for the pid, so one of the two sees the other.
        if not os.path.exists(self._folder.cancel):
            why = self._attend()
        self._tell(why)

    def _attend(self) -> str:
        try:
            self._agent = _start(self._order, self._folder)
        except OSError as error:
            self._status = NOT_FOUND if isinstance(error, FileNotFoundError) else NOT_RUNNABLE
            return ENDED
        why = self._watch()
        self._end(GRACE if why != ENDED else LEFT_GRACE)
        return why

    def _watch(self) -> str:
        limit = time.monotonic() + self._order["seconds"]
        while not self._over():
            now = time.monotonic()
            why = DEADLINE if now >= limit else self._trouble(now)
            if why:
                return why
            self._wait(min(TICK, limit - now))
        return ENDED

    def _over(self) -> bool:
        if self._status is None:
            pid, status = os.waitpid(self._agent, os.WNOHANG)
            if pid:
                self._status = os.waitstatus_to_exitcode(status)
        return self._status is not None

    def _trouble(self, now: float) -> str:
        if os.path.exists(self._folder.cancel):
            return CANCELLED
        if self._signalled:
            return ORPHANED  # the machine is shutting down
        if self._folder.output_bytes() > self._order["flood"]:
            return FLOODED
        if is_held(self._order["engine"]):
            self._lonely = 0.0
        elif not self._lonely:
            self._lonely = now
        return ORPHANED if self._lonely and now - self._lonely >= self._order["alone"] else ""

    def _wait(self, seconds: float) -> None:
        if select.select([self._bell], [], [], max(0.0, seconds))[0]:
            self._signalled |= TERM in os.read(self._bell, 512)

    def _end(self, grace: float) -> None:
        left = self._left()
        if left:
            self._send(left, TERM)
            limit = time.monotonic() + grace
            while (left := self._left()) and time.monotonic() < limit:
                self._wait(PAUSE)
        while left:
            self._send(left, KILL)
            self._wait(PAUSE)
            left = self._left()

    def _left(self) -> list[int]:
        """Return all live processes below us. Usually there are none, which is quick to see."""
        alive = [] if self._over() else [self._agent]
        try:
            while (ended := os.waitpid(-1, os.WNOHANG))[0]:
                if ended[0] == self._agent:  # it ended since we asked for it by its number
                    self._status = os.waitstatus_to_exitcode(ended[1])
                    alive = []
        except ChildProcessError:
            return alive
        return list_descendants(os.getpid()) or alive

    def _send(self, pids: list[int], number: int) -> None:
        """Signal the group as well, for systems where processes cannot be listed."""
        _to(os.killpg, self._agent, number)
        for pid in pids:
            _to(os.kill, pid, number)

    def _tell(self, why: str) -> None:
        used = os.times()
        result = {
            "code": self._status,
            "why": why,
            "started_at": self._began,
            "ended_at": time.time(),
            "cpu_seconds": round(used.children_user + used.children_system, 3),
        }
        self._write(result)
        os.close(self._lock)
        _ring(self._order["bell"], self._order["key"])

    def _write(self, result: dict[str, Any]) -> None:
        """Write the result, and wait while the disk is full, so that finished work is not lost. An agent that failed
        meanwhile may have died of it."""
        limit = time.monotonic() + self._order["alone"]
        while True:
            try:
                return atomic.write(self._folder.result, dumps(result), sync=self._order["lasting"])
            except FileNotFoundError:
                return None  # the folder was removed: the result is not wanted
            except OSError as error:
                if error.errno in _PASSING and result["code"] and result["why"] == ENDED:
                    result["why"] = NO_ROOM
                if error.errno in _PASSING and self._is_awaited():
                    limit = time.monotonic() + self._order["alone"]
                elif time.monotonic() >= limit:
                    raise
            self._wait(TICK)

    def _is_awaited(self) -> bool:
        """Return whether a running engine waits for it and has not requested its end."""
        signalled = self._signalled or os.path.exists(self._folder.cancel)
        return not signalled and is_held(self._order["engine"])


def _listen() -> int:
    """A handle that becomes readable with every signal; its bytes are their numbers."""
    ear, mouth = os.pipe()
    os.set_blocking(mouth, False)
    _signal.set_wakeup_fd(mouth)
    for number in (_signal.SIGCHLD, _signal.SIGTERM):
        _signal.signal(number, _nothing)
    return ear


def _nothing(*_: object) -> None:
    """The number in the pipe is enough."""


def _start(order: dict[str, Any], folder: AttemptFolder) -> int:
    """Start the agent in its own session and folder, with files for its output."""
    environ = order["environ"]
    # Programs that trust it more than their folder would work in the user's.
    environ["PWD"] = order["place"]
    environ[MARK] = f"{environ.get(MARK, '')} {folder.token}".strip()
    source = folder.given if os.path.exists(folder.given) else os.devnull
    written = os.O_WRONLY | os.O_CREAT | os.O_APPEND
    try:
        os.chdir(order["place"])
        return os.posix_spawn(
            _find_on_path(order["argv"][0], environ.get("PATH", os.defpath)),
            order["argv"],
            environ,
            file_actions=[
                (os.POSIX_SPAWN_OPEN, 0, source, os.O_RDONLY, 0),
                (os.POSIX_SPAWN_OPEN, 1, folder.out, written, 0o600),
                (os.POSIX_SPAWN_OPEN, 2, folder.err, written, 0o600),
            ],
            setsid=True,
            setsigdef=[_signal.SIGPIPE, _signal.SIGXFSZ],  # Python ignores these
        )
    except OSError as error:
        write_bytes(folder.err, f"{error.filename}: {error.strerror}\n".encode("utf-8", "replace"))
        raise


def _find_on_path(program: str, path: str) -> str:
    """Return where the agent's own PATH has it; the name itself if nowhere, for the system to reject."""
    if "/" in program:
        return program
    places = [f"{folder}/{program}" for folder in path.split(os.pathsep) if folder]
    return next((place for place in places if os.access(place, os.X_OK)), program)


def _to(how: Callable[[int, int], None], target: int, number: int) -> None:
    try:
        how(target, number)
    except (ProcessLookupError, PermissionError):  # macOS says the latter of a group of zombies
        pass


def _ring(bell: str, key: str) -> None:
    try:
        handle = os.open(bell, os.O_WRONLY | os.O_NONBLOCK)
        os.write(handle, f"{key}\n".encode())
        os.close(handle)
    except OSError:
        pass  # no listener; the next engine finds the result
