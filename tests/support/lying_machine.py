"""A machine that asks Temporal for attempts like a worker, and answers unexpectedly."""

import asyncio
import threading
from typing import Any

from ultrawork.cluster.place import name_queue

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultrawork.cluster.keys import ClusterKey

    from .cluster import TemporalServer


class LyingMachine:
    """`with LyingMachine(...)`: beats `beat` if given, and then ends with `result` or `error`, or never without either.
    `name` is what it calls itself, `key` the jobs key that it signs with: one that only reaches Temporal has none.
    `queue` and `activity` are what else it may be asked for than attempts."""

    def __init__(
        self,
        server: "TemporalServer",
        label: str,
        *,
        beat: object = None,
        result: object = None,
        error: str = "",
        name: str = "liar",
        key: "ClusterKey | None" = None,
        queue: str = "",
        activity: str = "ultrawork.attempt",
    ) -> None:
        self._address, self._queue = server.address, queue or name_queue("script", label)
        self._activity = activity
        self._beat, self._result = beat, result
        self._error, self._name, self._key = error, name, key
        self._loop = asyncio.new_event_loop()
        self._over = asyncio.Event()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> "LyingMachine":
        self._thread.start()
        assert self._ready.wait(30)
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._over.set)
        self._thread.join(30)

    def _sign(self, of: str, report: Any) -> Any:
        return self._key.seal_report(of, report) if self._key and isinstance(report, dict) else report

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_until_complete(self._serve())
        self._loop.close()

    async def _serve(self) -> None:
        from temporalio import activity
        from temporalio.client import Client
        from temporalio.exceptions import ApplicationError
        from temporalio.worker import Worker

        async def lie(_: dict[str, Any]) -> Any:
            if self._error:
                raise ApplicationError(self._error)
            while self._result is None and not self._over.is_set():
                activity.heartbeat(self._sign(activity.info().activity_id, self._beat))
                await asyncio.sleep(0.3)
            return self._sign(activity.info().activity_id, self._result)

        client = await Client.connect(self._address)
        told = activity.defn(name=self._activity)(lie)
        worker = Worker(client, task_queue=self._queue, activities=[told], identity=self._name)
        async with worker:
            self._ready.set()
            await self._over.wait()
