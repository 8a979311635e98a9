"""Attempts on this machine: each in the care of a wrapper that outlives the engine and is found again."""

import os
import time

from ...core.errors import Conflict
from ...system.offspring import KILL, TERM, Offspring
from ..attempt import ENDED, LOST, RUNNING, Report
from ..executor import CRASHED, Executor
from . import kin
from .bell import Bell
from .folder import Folder, put
from .nursery import Nursery

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ..attempt import Attempt, Command

ALONE = 300.0  # seconds without an engine after which an agent is ended: an orphan spends money
ENGINE_LOCK = "engine.lock"
_ROUNDS = 50
_PAUSE = 0.01


class Local(Executor):
    __slots__ = ("_alone", "_bell", "_engine", "_nursery")

    def __init__(self, session_folder: str, *, alone: float = ALONE) -> None:
        attempts = f"{session_folder}/attempts"
        os.makedirs(attempts, mode=0o700, exist_ok=True)
        self._engine = f"{session_folder}/{ENGINE_LOCK}"
        self._alone = alone
        self._bell = Bell(f"{attempts}/bell")
        self._nursery = Nursery()

    def start(self, attempt: "Attempt", command: "Command", wake: "Callable[[], None]") -> None:
        folder = Folder(attempt.folder)
        os.makedirs(folder.path, mode=0o700, exist_ok=True)
        lock = folder.take_lock()
        if lock < 0:
            raise Conflict(f"an agent of {attempt.subject} is still at work; wait for its end")
        self._bell.expect(attempt.key, wake)
        try:
            if os.path.exists(folder.pid):
                return wake()  # it was started before
            put(folder.prompt, attempt.prompt.encode("utf-8", "replace"))
            if command.stdin:
                put(folder.given, command.stdin)
            self._nursery.order(self._order(attempt, command), lock)
        finally:
            os.close(lock)
        return None

    def _order(self, attempt: "Attempt", command: "Command") -> "dict[str, object]":
        return {
            "key": attempt.key,
            "folder": attempt.folder,
            "place": attempt.place,
            "argv": command.argv,
            "environ": command.environ,
            "seconds": float(attempt.seconds),
            "alone": self._alone,
            "engine": self._engine,
            "bell": self._bell.path,
        }

    def attach(self, attempt: "Attempt", wake: "Callable[[], None]") -> bool:
        self._bell.expect(attempt.key, wake)
        state = self.describe(attempt).state
        if state != RUNNING:
            self._bell.forget(attempt.key)
        if state == ENDED:
            wake()
        return state != LOST

    def cancel(self, attempt: "Attempt") -> None:
        folder = Folder(attempt.folder)
        if not os.path.isdir(folder.path):
            return
        put(folder.cancel, b"")
        pid, _ = folder.read_pid()
        if pid and folder.held:
            try:
                os.kill(pid, TERM)
            except ProcessLookupError:
                pass

    def describe(self, attempt: "Attempt") -> Report:
        folder = Folder(attempt.folder)
        # The result is there before the lock is let go: asked in this order, nothing is missed.
        held = folder.held
        result = folder.read_result()
        if result is not None:
            self._bell.forget(attempt.key)
            return Report(ENDED, **result, output_bytes=folder.output_bytes())
        return _running(folder) if held else _lost(folder)

    def close(self) -> None:
        self._nursery.close()
        self._bell.close()


def _running(folder: Folder) -> Report:
    pid, began = folder.read_pid()
    now = time.time()
    return Report(
        RUNNING,
        started_at=began,
        cpu_seconds=kin.cpu_seconds(kin.descendants(pid)) if pid else 0.0,
        quiet_seconds=max(0.0, now - max(folder.last_output(), began or now)),
        output_bytes=folder.output_bytes(),
    )


def _lost(folder: Folder) -> Report:
    """Its wrapper was killed: what it left behind must not go on beside the next attempt."""
    _, began = folder.read_pid()
    if began:
        _sweep(Offspring(-1, folder.token))
    return Report(LOST, why=CRASHED, started_at=began, output_bytes=folder.output_bytes())


def _sweep(left: Offspring) -> None:
    """Until nobody is found: one may be born while another dies."""
    for _ in range(_ROUNDS):
        found = left.find()
        if not found:
            return
        for process in found:
            try:
                os.kill(process.pid, KILL)
            except ProcessLookupError:
                pass
        time.sleep(_PAUSE)
