"""A loop on a thread of its own ends with all that was begun there."""

import asyncio
import threading

from ultrawork.cluster.async_thread import AsyncThread


def test_a_task_that_swallows_a_cancel_is_cancelled_again():
    begun, swallowed = threading.Event(), threading.Event()

    async def work():
        while True:
            try:
                begun.set()
                await asyncio.sleep(60)
            except asyncio.CancelledError:
                if swallowed.is_set():
                    raise
                swallowed.set()

    thread = AsyncThread("test")
    thread.begin(work())
    assert begun.wait(10)
    closing = threading.Thread(target=thread.close, daemon=True)
    closing.start()
    closing.join(10)
    assert swallowed.is_set()
    assert not closing.is_alive()
