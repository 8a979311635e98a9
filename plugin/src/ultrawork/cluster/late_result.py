"""Results of attempts that were given up as lost.

Their machine was silent for longer than its lease, and may have been cut off or restarted with the agent's work: it
pushes that when it can. Finished work is not repeated, and not waited for either. The next attempt starts at once;
until it ends, the remote is checked from time to time."""

import asyncio
import os

from ..clients.headless.attempt import Attempt
from ..core.errors import Trouble, UltraworkError
from ..engine.agents.executor import ENDED
from .job import JobResult
from .journal import ORDER
from .transfer import Transfer

RESULT = "result.json"
CANCEL = "cancel"
_FIRST, _LONGEST = 1.0, 30.0  # seconds between two questions


class LostAttempts:
    """Earlier attempts at the same task; `pause` until they are checked again, None if there are none."""

    def __init__(self, attempt: Attempt, transfer: Transfer) -> None:
        self._lost = _list_lost(attempt)
        self._transfer = transfer
        self.pause = _FIRST / 2 if self._lost else None

    async def take(self, *, failed: bool = False) -> JobResult | None:
        """Return the result of one of them, put where this one's would be; None if there is none. Only if it ended by
        itself, successfully unless `failed` is acceptable, and its work fits what is checked out here."""
        if self.pause:
            self.pause = min(2 * self.pause, _LONGEST)
        for earlier in list(self._lost):
            try:
                job_result = await asyncio.to_thread(self._transfer.find_result, earlier)
                if job_result is None:
                    continue
                if job_result.why == ENDED and (failed or job_result.code == 0):
                    await asyncio.to_thread(self._transfer.take_in, earlier, job_result)
                    return job_result
            except (Trouble, OSError):
                continue  # an unreachable remote is asked again later
            except UltraworkError:
                pass  # the file is not a result: this attempt's own will come
            self._forget(earlier)
        return None

    def _forget(self, earlier: Attempt) -> None:
        """Forget it: it need not be checked again."""
        self._lost.remove(earlier)
        self.pause = self.pause if self._lost else None


def _list_lost(attempt: Attempt) -> list[Attempt]:
    """Return attempts that a machine got and never reported, newest first, as if they were this one: their work
    belongs in its place."""
    attempts = []
    for epoch in range(attempt.epoch - 1, 0, -1):
        folder = f"{attempt.folder.rpartition('.')[0]}.{epoch}"
        there = {name for name in (ORDER, RESULT, CANCEL) if os.path.exists(f"{folder}/{name}")}
        if RESULT in there:
            break  # that one came to its end, and this one follows it
        if there == {ORDER}:
            attempts.append(Attempt.of({**attempt.document(), "epoch": epoch}))
    return attempts
