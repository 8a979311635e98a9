"""
How many attempts a machine takes, over all of its queues together, and of which kinds right now.

A place is asked for before a queue is asked: while all are taken, or an agent program is out of quota, this machine
asks for nothing of that kind, and what waits there goes to another one.
"""

import asyncio
from collections.abc import Callable
from typing import Any


class SlotPool:
    """Counts those that are at work, not those that only ask: an idle queue holds no place."""

    __slots__ = ("_freed", "slots", "used")

    def __init__(self, slots: int) -> None:
        self.slots = slots
        self.used = 0
        self._freed = asyncio.Event()

    @property
    def is_full(self) -> bool:
        return self.used >= self.slots

    def take(self) -> None:
        self.used += 1

    def give_back(self) -> None:
        self.used -= 1
        self._freed.set()

    async def wait(self, seconds: float) -> None:
        """Until a place may be free, or that long."""
        self._freed.clear()
        try:
            await asyncio.wait_for(self._freed.wait(), seconds)
        except TimeoutError:
            pass


def make_supplier(pool: SlotPool, may_ask: Callable[[], bool], pause: float = 1.0) -> Any:
    """For one queue, in Temporal's words."""
    from temporalio.worker import CustomSlotSupplier, SlotPermit

    class _Supplier(CustomSlotSupplier):  # type: ignore[misc]  # its packages are not there for the checker
        async def reserve_slot(self, ctx: Any) -> Any:  # noqa: ARG002 (theirs)
            while pool.is_full or not may_ask():
                await pool.wait(pause)
            return SlotPermit()

        def try_reserve_slot(self, ctx: Any) -> Any:  # noqa: ARG002 (theirs)
            return None

        def mark_slot_used(self, ctx: Any) -> None:
            """Counted where the work begins: this may be called from any thread."""

        def release_slot(self, ctx: Any) -> None:
            """As above."""

    return _Supplier()


def make_tuner(supplier: Any) -> Any:
    """Nothing but activities is done here."""
    from temporalio.worker import FixedSizeSlotSupplier, WorkerTuner

    none = FixedSizeSlotSupplier(1)
    return WorkerTuner.create_composite(
        workflow_supplier=none,
        activity_supplier=supplier,
        local_activity_supplier=none,
        nexus_supplier=none,
    )
