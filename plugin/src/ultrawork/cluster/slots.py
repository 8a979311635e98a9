"""How many attempts a machine takes, over all its queues, and of which kinds now.

A slot is requested before a queue is asked: while all are taken, or this machine is not ready for an agent program, it
asks for nothing of that kind, and what waits goes to another one."""

import asyncio
import threading
from collections.abc import Callable
from typing import Any


class SlotPool:
    """`used` are taken attempts; asking a queue holds no slot. If two queues answer at once, there may be one attempt
    too many: it waits for one of the `places`. Temporal counts from its own threads."""

    def __init__(self, slots: int) -> None:
        self.slots = slots
        self.used = 0
        self.places = asyncio.Semaphore(slots)
        self._loop = asyncio.get_running_loop()
        self._lock = threading.Lock()
        self._freed = asyncio.Event()

    @property
    def is_full(self) -> bool:
        return self.used >= self.slots

    def count(self, more: int) -> None:
        with self._lock:
            self.used += more
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._freed.set)

    async def wait(self, seconds: float) -> None:
        self._freed.clear()
        try:
            await asyncio.wait_for(self._freed.wait(), seconds)
        except TimeoutError:
            pass


class QueueAsker:
    """Lets one caller at a time ask a queue, and again only when its answer is counted."""

    def __init__(self, pool: SlotPool, may_ask: Callable[[], bool], pause: float = 1.0) -> None:
        self._pool = pool
        self._may_ask = may_ask
        self._pause = pause
        self._asked = 0

    async def reserve(self) -> None:
        while self._asked or self._pool.is_full or not self._may_ask():
            await self._pool.wait(self._pause)
        self._asked = 1

    def take(self) -> None:
        self._asked = 0
        self._pool.count(1)

    def release(self, *, taken: bool) -> None:
        """An attempt is over, or there was none."""
        if not taken:
            self._asked = 0
        self._pool.count(-1 if taken else 0)


def make_tuner(asker: QueueAsker) -> Any:
    """Return the same in Temporal's words; nothing but activities is done here."""
    from temporalio.worker import CustomSlotSupplier, FixedSizeSlotSupplier, SlotPermit, WorkerTuner

    class _Supplier(CustomSlotSupplier):  # type: ignore[misc]  # the checker does without its package
        async def reserve_slot(self, ctx: Any) -> Any:  # noqa: ARG002 (theirs)
            await asker.reserve()
            return SlotPermit()

        def try_reserve_slot(self, ctx: Any) -> Any:  # noqa: ARG002 (theirs)
            return None

        def mark_slot_used(self, ctx: Any) -> None:  # noqa: ARG002 (theirs)
            asker.take()

        def release_slot(self, ctx: Any) -> None:
            asker.release(taken=ctx.slot_info is not None)

    none = FixedSizeSlotSupplier(1)
    return WorkerTuner.create_composite(
        workflow_supplier=none, activity_supplier=_Supplier(), local_activity_supplier=none, nexus_supplier=none
    )
