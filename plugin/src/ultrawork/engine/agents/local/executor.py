"""Run attempts on this machine, each under a wrapper that outlives the engine and is found again.

Wrappers write to a named pipe when they are done, which reaches whichever engine is running by then."""

import os
import select
import threading
import time
from collections.abc import Callable, Mapping

from ....clients.headless.attempt import ENDED, LOST, RUNNING, AgentCommand, Attempt, AttemptReport
from ....core.errors import Conflict
from ....store.paths import ENGINE_LOCK
from ....store.settings import Settings
from ....system.process_tree import KILL, TERM, ProcessTree
from ..executor import CRASHED, Executor
from . import wrapper
from .attempt_folder import AttemptFolder, write_bytes
from .fork_server import ForkServer
from .wrapper import FLOOD

_PART = 1 << 16


class WakePipe:
    """Calls the callback of a key when that key arrives, from its own thread."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._waiting: dict[str, Callable[[], None]] = {}
        try:
            os.mkfifo(path, 0o600)
        except FileExistsError:
            pass
        # Open for writing too: without a writer every read would end at once.
        self._handle = os.open(path, os.O_RDWR | os.O_CLOEXEC | os.O_NONBLOCK)
        self._stop = os.pipe()
        self._thread = threading.Thread(target=self._listen, name="bell", daemon=True)
        self._thread.start()

    def expect(self, key: str, wake: Callable[[], None]) -> None:
        self._waiting[key] = wake

    def forget(self, key: str) -> None:
        self._waiting.pop(key, None)

    def _listen(self) -> None:
        rest = b""
        while True:
            heard = select.select([self._handle, self._stop[0]], [], [])[0]
            if self._stop[0] in heard:
                return
            *lines, rest = (rest + self._read()).split(b"\n")
            for line in lines:
                wake = self._waiting.get(line.decode("utf-8", "replace"))
                if wake is not None:
                    wake()

    def _read(self) -> bytes:
        try:
            return os.read(self._handle, _PART)
        except BlockingIOError:
            return b""

    def close(self) -> None:
        os.write(self._stop[1], b"\n")
        self._thread.join()
        for handle in (self._handle, *self._stop):
            os.close(handle)


ALONE = 300.0  # seconds without an engine after which an agent is ended: an orphan spends money
_ROUNDS = 50
_PAUSE = 0.01


class LocalExecutor(Executor):
    """Runs attempts here. An attempt that need not survive a power cut is not `lasting`: its result is not flushed to
    disk."""

    def __init__(self, session_folder: str, *, alone: float = ALONE, lasting: bool = True) -> None:
        attempts = f"{session_folder}/attempts"
        os.makedirs(attempts, mode=0o700, exist_ok=True)
        self._engine = f"{session_folder}/{ENGINE_LOCK}"
        self._alone = alone
        self._lasting = lasting
        self._bell = WakePipe(f"{attempts}/bell")
        self._nursery = ForkServer()

    @classmethod
    def open(
        cls, session_folder: str, _environ: Mapping[str, str], _settings: Settings, _say: Callable[[str], None]
    ) -> "LocalExecutor":
        return cls(session_folder)

    def start(self, attempt: Attempt, command: AgentCommand, wake: Callable[[], None]) -> None:
        folder = AttemptFolder(attempt.folder)
        os.makedirs(folder.path, mode=0o700, exist_ok=True)
        lock = folder.take_lock()
        if lock < 0:
            raise Conflict(f"an agent of {attempt.subject} is still running; wait until it ends")
        self._bell.expect(attempt.key, wake)
        try:
            if os.path.exists(folder.pid):
                return wake()  # it was started before
            write_bytes(folder.prompt, attempt.prompt.encode("utf-8", "replace"))
            if command.stdin:
                write_bytes(folder.given, command.stdin)
            self._nursery.order(self._order(attempt, command), lock)
        finally:
            os.close(lock)
        return None

    def _order(self, attempt: Attempt, command: AgentCommand) -> dict[str, object]:
        return {
            "key": attempt.key,
            "folder": attempt.folder,
            "place": attempt.place,
            "argv": command.argv,
            "environ": command.environ,
            "seconds": float(attempt.seconds),
            "alone": attempt.alone or self._alone,
            "flood": attempt.most_bytes or FLOOD,
            "engine": self._engine,
            "bell": self._bell.path,
            "lasting": self._lasting,
        }

    def attach(self, attempt: Attempt, wake: Callable[[], None]) -> bool:
        self._bell.expect(attempt.key, wake)
        state = self.describe(attempt).state
        if state != RUNNING:
            self._bell.forget(attempt.key)
        if state == ENDED:
            wake()
        return state != LOST

    def cancel(self, attempt: Attempt) -> None:
        folder = AttemptFolder(attempt.folder)
        if not os.path.isdir(folder.path):
            return
        try:
            write_bytes(folder.cancel, b"")
        except OSError:
            pass  # on a full disk the signal has to do
        pid, _ = folder.read_pid()
        if pid and folder.held:
            try:
                os.kill(pid, TERM)
            except ProcessLookupError:
                pass

    def describe(self, attempt: Attempt) -> AttemptReport:
        folder = AttemptFolder(attempt.folder)
        # The result exists before the lock is released: read in this order, nothing is missed.
        held = folder.held
        result = folder.read_result()
        if result is not None:
            self._bell.forget(attempt.key)
            return AttemptReport(ENDED, **result, output_bytes=folder.output_bytes())
        return _running(folder) if held else _lost(folder)

    def close(self) -> None:
        self._nursery.close()
        self._bell.close()


def _running(folder: AttemptFolder) -> AttemptReport:
    pid, began = folder.read_pid()
    now = time.time()
    return AttemptReport(
        RUNNING,
        started_at=began,
        cpu_seconds=wrapper.measure_cpu(wrapper.list_descendants(pid)) if pid else 0.0,
        quiet_seconds=max(0.0, now - max(folder.last_output(), began or now)),
        output_bytes=folder.output_bytes(),
    )


def _lost(folder: AttemptFolder) -> AttemptReport:
    """Report a killed wrapper; end what it left behind, so that nothing runs beside the next attempt."""
    _, began = folder.read_pid()
    if began:
        _sweep(ProcessTree(-1, folder.token))
    return AttemptReport(LOST, why=CRASHED, started_at=began, output_bytes=folder.output_bytes())


def _sweep(process_tree: ProcessTree) -> None:
    """Repeat until no process is found: one may start while another ends."""
    for _ in range(_ROUNDS):
        processes = process_tree.find()
        if not processes:
            return
        for process in processes:
            try:
                os.kill(process.pid, KILL)
            except ProcessLookupError:
                pass
        time.sleep(_PAUSE)
