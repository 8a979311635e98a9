"""A Python session in a child process: its state stays, its excesses do not reach us."""

import os
import sys
import threading
import time
from dataclasses import dataclass, field
from typing import Any

from ..core.errors import Conflict, Trouble
from .child_process import find_venv, make_environment
from .repl_process import GRACE_SECONDS, START_SECONDS, ReplProcess, Stop

MEMORY_MB = 4_096
MOST_SESSIONS = 8
_POLL = 0.1


@dataclass(slots=True)
class CodeOutcome:
    """The result of a piece of code; `lost`: the interpreter and its state are gone; `crowded`: what it had started
    was ended because all of it used more than `most` megabytes."""

    value: str | None = None
    error: str | None = None
    out: str = ""
    seconds: float = 0.0
    memory: int = 0
    interrupted: bool = False
    timed_out: bool = False
    lost: bool = False
    crowded: bool = False
    most: int = 0


@dataclass(slots=True)
class Execution:
    """A running execution: since when, and how to stop it and wait for its end."""

    label: str
    since: float = field(default_factory=time.monotonic)
    stop: threading.Event = field(default_factory=threading.Event)
    ended: threading.Event = field(default_factory=threading.Event)
    lost: bool = False


class PythonSession:
    """One session. Calls from several threads take turns; `interrupt` does not wait."""

    def __init__(self, folder: str, top: str, *, memory: int = MEMORY_MB) -> None:
        self._folder = folder
        self._venv = find_venv(folder, top)
        self._memory = memory
        self._turn = threading.Lock()
        self._child: ReplProcess | None = None
        self._running: Execution | None = None

    @property
    def python(self) -> str:
        if self._venv:
            return os.path.join(self._venv, "bin", "python")
        return str(getattr(sys, "_base_executable", "") or sys.executable)

    @property
    def busy(self) -> str:
        """Return what is running and for how long; empty if nothing is."""
        running = self._running
        if running is None:
            return ""
        return f"running {running.label} for {time.monotonic() - running.since:.1f} s"

    def execute(
        self, code: str, *, seconds: float, queue: float = 30.0, label: str = "code", should_stop: Stop | None = None
    ) -> CodeOutcome:
        self._take_turn(queue, should_stop)
        running = self._running = Execution(label)

        def stop() -> bool:
            return running.stop.is_set() or bool(should_stop and should_stop())

        try:
            outcome = self._run(code, seconds, stop)
            outcome.seconds = time.monotonic() - running.since
            running.lost = outcome.lost
            return outcome
        finally:
            self._running = None
            running.ended.set()
            self._turn.release()

    def _take_turn(self, queue: float, should_stop: Stop | None) -> None:
        """Wait for a turn; a caller that is stopped meanwhile never runs."""
        end = time.monotonic() + queue
        while not self._turn.acquire(timeout=max(0.0, min(_POLL, end - time.monotonic()))):
            if should_stop is not None and should_stop():
                raise Conflict("stopped before this code ran")
            if time.monotonic() >= end:
                raise Conflict(f"the session is still {self.busy}; interrupt it or wait")
        if should_stop is not None and should_stop():
            self._turn.release()
            raise Conflict("stopped before this code ran")

    def interrupt(self) -> str:
        """Stop what is running and say whether the state survived."""
        running = self._running
        if running is None:
            return "nothing is running"
        running.stop.set()
        if not running.ended.wait(GRACE_SECONDS * 2):
            raise Trouble("the session did not stop; reset it")
        kept = not running.lost
        return "interrupted; the state is kept" if kept else "interrupted by force; the state is lost"

    def state(self) -> dict[str, Any]:
        """Return variables and memory; while code runs, only what is known from outside."""
        if not self._turn.acquire(timeout=0.0):
            return {"busy": self.busy or "about to run"}
        try:
            answer = self._started().ask({}, START_SECONDS, lambda: False).answer
            return {**(answer or {}), "interpreter": self.python}
        finally:
            self._turn.release()

    def reset(self) -> None:
        """A fresh start, also while something runs."""
        if self._child is not None:
            self._child.kill()
        with self._turn:
            self._forget()

    def forget_dead(self) -> bool:
        """Return whether its interpreter ended between two calls; then the next one begins with a new one."""
        dead = self._running is None and self._child is not None and not self._child.alive
        if dead:
            with self._turn:
                self._forget()
        return dead

    def _forget(self) -> None:
        if self._child is not None:
            self._child.close()
        self._child = None

    def _run(self, code: str, seconds: float, stop: Stop) -> CodeOutcome:
        child = self._started()
        repl_answer = child.ask({"code": code}, seconds, stop)
        outcome = CodeOutcome(out=repl_answer.output.text, timed_out=repl_answer.timed_out)
        outcome.crowded, outcome.most = repl_answer.crowded, self._memory
        if repl_answer.answer is None:
            outcome.lost = True
            outcome.error = child.describe_ending()
            self._forget()
            return outcome
        outcome.value, outcome.error = (repl_answer.answer.get("value"), repl_answer.answer.get("error"))
        outcome.interrupted = bool(repl_answer.answer.get("interrupted"))
        outcome.memory = int(repl_answer.answer.get("memory", 0))
        return outcome

    def _started(self) -> ReplProcess:
        if self._child is None or not self._child.alive:
            self._forget()
            self._child = ReplProcess(self.python, self._folder, make_environment(venv=self._venv), self._memory)
        return self._child


class PythonSessions:
    """The sessions by name, in one worktree."""

    def __init__(self, top: str) -> None:
        self._top = top
        self._lock = threading.Lock()
        self._named: dict[str, PythonSession] = {}

    def get(self, name: str, folder: str | None = None) -> PythonSession:
        """Return the session of that name; `folder` matters only when it starts."""
        with self._lock:
            if name not in self._named:
                if len(self._named) >= MOST_SESSIONS:
                    known = ", ".join(self._named)
                    raise Conflict(f"{MOST_SESSIONS} sessions are open ({known}); reset one of them")
                self._named[name] = PythonSession(folder or self._top, self._top)
            return self._named[name]

    def reset(self, name: str) -> None:
        with self._lock:
            session = self._named.pop(name, None)
        if session is not None:
            session.reset()

    def close(self) -> None:
        for name in list(self._named):
            self.reset(name)
