"""
One attempt's keeper: it starts the agent, ends it in time, and writes down how it went.

It outlives the engine. The lock of the subject is in its hands from before its first breath until the
result is on disk, so whoever looks finds it at work, or the result, or neither: then it is lost.
"""

import os
import select
import signal
import time

from ...store import atomic
from ...store.fast import dumps
from ...system.offspring import KILL, MARK, TERM
from ..executor import CANCELLED, DEADLINE, ENDED, FLOODED, ORPHANED
from . import kin
from .folder import Folder, is_held, put

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

GRACE = 2.0
LEFT_GRACE = 0.3
TICK = 1.0
PAUSE = 0.01
FLOOD = 1 << 30
NOT_RUNNABLE = 126
NOT_FOUND = 127


def keep(order: "dict[str, Any]", lock: int) -> None:
    """Never returns to the nursery's loop: this process is the attempt's alone."""
    try:
        _Keeper(order, lock).run()
    finally:
        os._exit(0)


class _Keeper:
    __slots__ = ("_agent", "_began", "_bell", "_folder", "_lock", "_lonely", "_order", "_signalled")

    def __init__(self, order: "dict[str, Any]", lock: int) -> None:
        self._order = order
        self._lock = lock
        self._folder = Folder(order["folder"])
        self._bell = _listen()
        self._began = time.time()
        self._lonely = 0.0
        self._signalled = False
        self._agent = 0

    def run(self) -> None:
        os.setsid()
        kin.become_reaper()
        put(self._folder.pid, f"{os.getpid()} {self._began!r}".encode())
        code, why = None, CANCELLED
        # Whoever cancels writes first and looks for the number then, so one of both sees the other.
        if not os.path.exists(self._folder.cancel):
            self._agent = _start(self._order, self._folder)
            why = self._watch()
            code = self._end(GRACE if why != ENDED else LEFT_GRACE)
        self._tell(code, why)

    def _watch(self) -> str:
        """Until the agent has ended, or must."""
        limit = time.monotonic() + self._order["seconds"]
        while not self._over():
            now = time.monotonic()
            why = DEADLINE if now >= limit else self._trouble(now)
            if why:
                return why
            self._wait(min(TICK, limit - now))
        return ENDED

    def _over(self) -> bool:
        """Its number stays taken until it is reaped, so that nobody else can be meant by it."""
        return os.waitid(os.P_PID, self._agent, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None

    def _trouble(self, now: float) -> str:
        if os.path.exists(self._folder.cancel):
            return CANCELLED
        if self._signalled:
            return ORPHANED  # the machine goes down
        if self._folder.output_bytes() > FLOOD:
            return FLOODED
        if is_held(self._order["engine"]):
            self._lonely = 0.0
        elif not self._lonely:
            self._lonely = now
        return ORPHANED if self._lonely and now - self._lonely >= self._order["alone"] else ""

    def _wait(self, seconds: float) -> None:
        if select.select([self._bell], [], [], max(0.0, seconds))[0]:
            self._signalled |= TERM in os.read(self._bell, 512)

    def _end(self, grace: float) -> int:
        """Ends what is left of the agent and all that it started; gives its status."""
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
        _to(os.killpg, self._agent, KILL)  # where processes cannot be listed
        return os.waitstatus_to_exitcode(os.waitpid(self._agent, 0)[1])

    def _left(self) -> "list[int]":
        """Everybody alive below us; the agent's body stays until the very end."""
        for pid in kin.children(os.getpid()):
            if pid != self._agent:
                os.waitpid(pid, os.WNOHANG)
        found = [pid for pid in kin.descendants(os.getpid()) if pid != self._agent]
        return found if self._over() else [self._agent, *found]

    def _send(self, pids: "list[int]", number: int) -> None:
        _to(os.killpg, self._agent, number)
        for pid in pids:
            _to(os.kill, pid, number)

    def _tell(self, code: int | None, why: str) -> None:
        used = os.times()
        result = {
            "code": code,
            "why": why,
            "started_at": self._began,
            "ended_at": time.time(),
            "cpu_seconds": round(used.children_user + used.children_system, 3),
        }
        _write(self._folder.result, dumps(result), self._order["alone"])
        os.close(self._lock)
        _ring(self._order["bell"], self._order["key"])


def _listen() -> int:
    """A handle that becomes readable with every signal; its bytes are their numbers."""
    ear, mouth = os.pipe()
    os.set_blocking(mouth, False)
    signal.set_wakeup_fd(mouth)
    for number in (signal.SIGCHLD, signal.SIGTERM):
        signal.signal(number, lambda *_: None)
    return ear


def _start(order: "dict[str, Any]", folder: Folder) -> int:
    agent = os.fork()
    if agent:
        return agent
    status = NOT_RUNNABLE
    try:
        _become(order, folder)
    except OSError as error:
        status = NOT_FOUND if isinstance(error, FileNotFoundError) else NOT_RUNNABLE
        sentence = f"{error.filename or order['argv'][0]}: {error.strerror}\n"
        os.write(2, sentence.encode("utf-8", "replace"))
    finally:
        os._exit(status)


def _become(order: "dict[str, Any]", folder: Folder) -> None:
    """This process becomes the agent: a session of its own, its folder, files for what it says."""
    os.setsid()
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
    source = folder.given if os.path.exists(folder.given) else os.devnull
    os.dup2(os.open(folder.err, flags, 0o600), 2)
    os.dup2(os.open(folder.out, flags, 0o600), 1)
    os.dup2(os.open(source, os.O_RDONLY), 0)
    os.chdir(order["place"])
    for number in (signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(number, signal.SIG_DFL)  # Python ignores these, a program expects them
    environ = order["environ"]
    environ[MARK] = f"{environ.get(MARK, '')} {folder.token}".strip()
    os.execvpe(order["argv"][0], order["argv"], environ)  # noqa: S606 (what this is for)


def _to(how: "Callable[[int, int], None]", target: int, number: int) -> None:
    try:
        how(target, number)
    except (ProcessLookupError, PermissionError):  # macOS says the latter of a group of zombies
        pass


def _write(path: str, text: str, patience: float) -> None:
    """Work that is done is not lost to a disk that is full for a while."""
    limit = time.monotonic() + patience
    while True:
        try:
            return atomic.write(path, text)
        except FileNotFoundError:
            return None  # the folder was taken away: nobody wants to know
        except OSError:
            if time.monotonic() >= limit:
                raise
            time.sleep(TICK)


def _ring(bell: str, key: str) -> None:
    try:
        handle = os.open(bell, os.O_WRONLY | os.O_NONBLOCK)
        os.write(handle, f"{key}\n".encode())
        os.close(handle)
    except OSError:
        pass  # nobody listens; whoever comes finds the result
