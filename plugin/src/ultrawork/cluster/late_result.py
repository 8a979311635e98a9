"""
What comes of an attempt after it was given up as lost.

Its machine was silent for longer than its lease, and may have been cut off, or started again, with the agent's work in
its hands: it pushes that when it can. Work that was finished is not done again, and not waited for either. The next
attempt is given to a machine at once; until it has ended, the remote is asked now and then what has come meanwhile.
"""

import asyncio
import os

from ..clients.headless.attempt import Attempt
from ..core.errors import Conflict, Trouble
from ..engine.agents.executor import ENDED
from .job import JobResult
from .journal import ORDER
from .transfer import Transfer

RESULT = "result.json"
CANCEL = "cancel"
_FIRST, _LONGEST = 1.0, 30.0  # seconds between two questions


class LostAttempts:
    """Those before an attempt at the same task; `pause` until they are asked for again, None if there are none."""

    def __init__(self, attempt: Attempt, transfer: Transfer) -> None:
        self._lost = _list_lost(attempt)
        self._transfer = transfer
        self.pause = _FIRST / 2 if self._lost else None

    async def take(self, *, failed: bool = False) -> JobResult | None:
        """
        What has come of one of them, put where this one's would be; None if there is nothing. Only of one that came to
        its end by itself, well unless `failed` is as good, and whose work goes with what is checked out here now.
        """
        if self.pause:
            self.pause = min(2 * self.pause, _LONGEST)
        for earlier in list(self._lost):
            try:
                found = await asyncio.to_thread(self._transfer.find_result, earlier)
                if found is None:
                    continue
                if found.why == ENDED and (failed or found.code == 0):
                    await asyncio.to_thread(self._transfer.take_in, earlier, found)
                    return found
            except Conflict:
                pass
            except (Trouble, OSError):
                continue  # a remote that is gone for a while is asked again later
            self._forget(earlier)
        return None

    def _forget(self, earlier: Attempt) -> None:
        """What is there stays as it is: it need not be asked for again."""
        self._lost.remove(earlier)
        self.pause = self.pause if self._lost else None


def _list_lost(attempt: Attempt) -> list[Attempt]:
    """
    Those that were given to a machine and never heard of again, newest first, as if they were this one: their work
    belongs where this one's would.
    """
    found = []
    for epoch in range(attempt.epoch - 1, 0, -1):
        folder = f"{attempt.folder.rpartition('.')[0]}.{epoch}"
        there = {name for name in (ORDER, RESULT, CANCEL) if os.path.exists(f"{folder}/{name}")}
        if RESULT in there:
            break  # that one came to its end, and this one follows it
        if there == {ORDER}:
            found.append(Attempt.of({**attempt.document(), "epoch": epoch}))
    return found
