"""A few threads that do what takes time, so that the loop never waits."""

import threading
from queue import SimpleQueue

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


class Hands:
    """With none, whoever asks does it himself. They do not keep the program from ending."""

    __slots__ = ("_count", "_jobs")

    def __init__(self, count: int) -> None:
        self._count = count
        self._jobs: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        for _ in range(count):
            threading.Thread(target=self._work, name="hand", daemon=True).start()

    def do(self, job: "Callable[[], None]") -> None:
        if self._count:
            self._jobs.put(job)
        else:
            job()

    def _work(self) -> None:
        while job := self._jobs.get():
            job()

    def close(self) -> None:
        for _ in range(self._count):
            self._jobs.put(None)
