"""Child processes that live as long as we want, and never longer than we do."""

import os
import threading
import time
from collections.abc import Mapping

from ..core.agent_variables import remove_agent_variables
from ..system.language_servers import walk_up
from ..system.process_tree import MARK, ProcessTree, Watchdog

_LOOK_SECONDS = 0.25
_SHARE = 50  # looking may take at most a fiftieth of the time


class MemoryLimit(threading.Thread):
    """Ends what a child has started, not the child itself, when all together use too much memory; the kernel limits
    the child. `passed` is set each time."""

    def __init__(self, tree: ProcessTree, megabytes: int) -> None:
        super().__init__(name="memory", daemon=True)
        self.passed = threading.Event()
        self._tree = tree
        self._most = megabytes * 1_048_576
        self._over = threading.Event()
        self.start()

    def run(self) -> None:
        pause = _LOOK_SECONDS
        while not self._over.wait(pause):
            began = time.monotonic()
            if self._tree.measure_memory() > self._most:
                self.passed.set()  # first: a process that waits for one of them answers as soon as it ends
                self._tree.end_others()
            pause = max(_LOOK_SECONDS, (time.monotonic() - began) * _SHARE)

    def end(self) -> None:
        self._over.set()


class ChildGuard:
    """Start the child in its own session with `mark(environment)`, then `watch` it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._token = f"{os.getpid()}.{os.urandom(8).hex()}"
        self._watchdog: Watchdog | None = Watchdog(self._token)
        self._tree: ProcessTree | None = None
        self._memory: MemoryLimit | None = None

    def mark(self, environment: Mapping[str, str]) -> dict[str, str]:
        """Return the environment with our mark, which is inherited: the watchdog finds even processes that left the
        child's group."""
        return {**environment, MARK: f"{environment.get(MARK, '')} {self._token}".strip()}

    def watch(self, pid: int) -> None:
        assert self._watchdog is not None
        self._tree = ProcessTree(pid, self._token)
        self._watchdog.watch(pid)

    def limit_memory(self, megabytes: int) -> MemoryLimit:
        """Limit the memory of the child and everything it starts, together."""
        assert self._tree is not None
        self._memory = MemoryLimit(self._tree, megabytes)
        return self._memory

    def end(self) -> None:
        """End the child and everything it started, at once; a second call does nothing."""
        with self._lock:
            if self._memory is not None:
                self._memory.end()
            if self._tree is not None:
                self._tree.end(0.0)
            if self._watchdog is not None:
                self._watchdog.dismiss()
            self._tree = self._watchdog = None


def make_environment(*, venv: str | None = None) -> dict[str, str]:
    """Return our environment without the agent's: no key may reach programs of the project."""
    mine = remove_agent_variables(os.environ)
    if venv:
        mine["VIRTUAL_ENV"] = venv
        mine["PATH"] = os.path.join(venv, "bin") + os.pathsep + mine.get("PATH", os.defpath)
        mine.pop("PYTHONHOME", None)
    return mine


def describe_exit(status: int) -> str:
    return f"with exit {status}" if status >= 0 else f"by signal {-status}"


def find_venv(folder: str, top: str) -> str | None:
    """Return the virtual environment of the nearest folder, from `folder` up to `top`, that has one."""
    for step in walk_up(folder, top):
        for name in (".venv", "venv"):
            if os.access(os.path.join(step, name, "bin", "python"), os.X_OK):
                return os.path.join(step, name)
    return None
