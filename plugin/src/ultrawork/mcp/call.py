"""One call of a tool: its arguments, its environment, and how to follow or stop it.

Calls wait in queues with their own threads: a queue of slow work delays no other. Every call leaves a line: in the
session's trace if there is one, else in the log."""

import os
import threading
from queue import SimpleQueue
from time import monotonic, time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from concurrent.futures import Future
    from typing import Any, TypeVar

    from ..codeintel.lsp.service import Languages
    from .environment import ToolEnvironment

    T = TypeVar("T")
    Job = Callable[[], None]

BEAT_SECONDS = 5.0


class ToolCall:
    """A call. `tell` sends progress to the client; None if it did not ask for any. `session` is the caller: some
    clients name it with each call, others once in the environment. `confined`: the agent is in a sandbox, which this
    server is not."""

    def __init__(
        self,
        tool: str,
        arguments: "dict[str, Any]",
        environment: "ToolEnvironment",
        tell: "Callable[[float, float | None, str], None] | None" = None,
        *,
        session: str = "",
        confined: bool = False,
    ) -> None:
        self.tool = tool
        self.arguments = arguments
        self.environment = environment
        self.session = session or environment.session
        self.confined = confined
        self.tell = tell
        self.cancelled = False
        self._give_up: Callable[[], object] | None = None
        self._beat = monotonic() + BEAT_SECONDS
        self._done = 0.0

    def __getitem__(self, name: str) -> "Any":
        return self.arguments[name]

    @property
    def languages(self) -> "Languages":
        return self.environment.languages(confined=self.confined)

    def cancel(self) -> None:
        """Cancel from any thread; work in progress is abandoned if possible."""
        self.cancelled = True
        if self._give_up is not None:
            self._give_up()

    def wait(self, future: "Future[T]") -> "T":
        self._give_up = future.cancel
        if self.cancelled:
            future.cancel()
        while True:
            try:
                return future.result(timeout=BEAT_SECONDS)
            except TimeoutError:
                if future.done():  # it was the work itself that took too long
                    raise
                self._pulse()

    def should_stop(self) -> bool:
        """Return whether to stop, for work that checks now and then; also shows the client that we are still
        running."""
        if monotonic() >= self._beat:
            self._pulse()
        return self.cancelled

    def progress(self, done: int, wanted: int) -> None:
        if self.tell is not None and done > self._done:
            self._done = done
            self.tell(done, wanted, f"{done} of {wanted}")

    def note(self, text: str) -> None:
        """Report what is being done, if no number shows it."""
        self._beat = monotonic() + BEAT_SECONDS
        if self.tell is not None:
            self._done += 0.001  # progress must grow
            self.tell(self._done, None, text)

    def _pulse(self) -> None:
        self.note(f"{self.tool} is running")


THREADS = {"quick": 4, "lsp": 16, "ast": 2, "python": 10, "gates": 2, "helpers": 16}


class CallQueue:
    def __init__(self, width: int) -> None:
        self._width = width
        self._jobs: SimpleQueue[Job] = SimpleQueue()
        self._lock = threading.Lock()
        self._threads = 0
        self._free = 0

    def put(self, job: "Job") -> None:
        """Queue a job; start a thread only if all are busy and the limit allows one more."""
        with self._lock:
            if self._free > 0:
                self._free -= 1
            elif self._threads < self._width:
                self._threads += 1
                threading.Thread(target=self._work, daemon=True).start()
        self._jobs.put(job)

    def _work(self) -> None:
        while True:
            self._jobs.get()()
            with self._lock:
                self._free += 1


class CallQueues:
    def __init__(self) -> None:
        self._queues = {name: CallQueue(width) for name, width in THREADS.items()}

    def put(self, name: str, job: "Job") -> None:
        self._queues[name].put(job)


TRACE_AGENT = "mcp"  # keeps these lines apart from the client's own account of the same calls


def record_call(call: "ToolCall", seconds: float, *, failed: bool) -> None:
    from ..core.errors import UltraworkError
    from ..store import log, trace

    home, took = call.environment.home, round(seconds * 1000)
    try:
        if call.session and os.path.isdir(home.session(call.session)):
            entry = {"at": round(time(), 3), "tool": call.tool, "ok": not failed, "ms": took}
            trace.append(home, call.session, {**entry, "agent": TRACE_AGENT})
        else:
            log.write(home, "mcp", f"{call.tool} {'failed' if failed else 'ok'} {took} ms")
    except (OSError, UltraworkError):
        pass  # a full disk must not cost the answer, which is given already
