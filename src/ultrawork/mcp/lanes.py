"""Threads for calls, in lanes: a lane that is full of slow work holds up nobody in another."""

import threading
from queue import SimpleQueue

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Job = Callable[[], None]

WIDTHS = {"quick": 4, "lsp": 16, "ast": 2, "python": 10, "gates": 2}


class Lane:
    def __init__(self, width: int) -> None:
        self._width = width
        self._jobs: SimpleQueue[Job] = SimpleQueue()
        self._lock = threading.Lock()
        self._threads = 0
        self._free = 0

    def put(self, job: "Job") -> None:
        """Starts a thread only while all are busy and the lane has room for one more."""
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


class Lanes:
    def __init__(self) -> None:
        self._lanes = {name: Lane(width) for name, width in WIDTHS.items()}

    def put(self, name: str, job: "Job") -> None:
        self._lanes[name].put(job)
