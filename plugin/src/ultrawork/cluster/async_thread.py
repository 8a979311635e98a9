"""An asyncio loop on its own thread, for ordinary callers."""

import asyncio
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

Answer = TypeVar("Answer")

_THREADS = 16  # for programs that are waited for
_AGAIN = 0.5


class AsyncThread:
    """Runs coroutines; what was started here is canceled at its end."""

    def __init__(self, name: str) -> None:
        self._loop = asyncio.new_event_loop()
        self._loop.set_default_executor(ThreadPoolExecutor(_THREADS, name))
        self._tasks: set[asyncio.Task[Any]] = set()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_forever()

    def call(self, work: Coroutine[Any, Any, Answer], seconds: float) -> Answer:
        future: Future[Answer] = asyncio.run_coroutine_threadsafe(work, self._loop)
        return future.result(seconds)

    def begin(self, work: Coroutine[Any, Any, None]) -> None:
        self.post(lambda: self._hold(work))

    def post(self, note: Callable[[], None]) -> None:
        self._loop.call_soon_threadsafe(note)

    def _hold(self, work: Coroutine[Any, Any, None]) -> None:
        task = self._loop.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def close(self) -> None:
        asyncio.run_coroutine_threadsafe(self._end_all(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _end_all(self) -> None:
        """Cancel until all have ended: before Python 3.12, `wait_for` may swallow a cancel as its answer arrives."""
        while tasks := list(self._tasks):
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks, timeout=_AGAIN)
