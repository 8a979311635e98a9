"""What remains after a result was reported: short outputs go to the remote, and local files are removed.

No one waits for it, so it yields to other work. While attempts keep ending, it waits a while: one push for many
outputs costs as much as for one. A failed push is retried later; the next worker here does what remains."""

import os
import sys
import threading
import time
from contextlib import suppress
from queue import Empty, SimpleQueue

from ..core.errors import UltraworkError
from .machine_site import CollectedResult, MachineSite

_MOMENT, _WHILE = 0.5, 2.0
_AGAIN = 10.0  # seconds until an unreachable remote is retried
_POLITE = 5  # as `nice` has it, of this thread and of the programs that it starts


class Aftermath:
    """One thread that finishes everything it was given."""

    def __init__(self, site: MachineSite, again: float = _AGAIN) -> None:
        self._site = site
        self._again = again
        self._given: SimpleQueue[CollectedResult | None] = SimpleQueue()
        self._kept: list[CollectedResult] = []
        self._is_open = True
        self._thread = threading.Thread(target=self._work, name="aftermath", daemon=True)
        self._thread.start()

    def take(self, collected: CollectedResult) -> None:
        self._given.put(collected)

    def close(self) -> None:
        self._given.put(None)
        self._thread.join()

    def _work(self) -> None:
        if sys.platform == "linux":  # elsewhere a thread has no priority of its own
            with suppress(OSError):
                os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _POLITE)
        while self._is_open:
            self._tidy([*self._kept, *self._gather()])

    def _gather(self) -> list[CollectedResult]:
        """Return results until nothing has ended for a moment; none if kept ones should be retried first."""
        results: list[CollectedResult] = []
        end = None
        while end is None or time.monotonic() < end:
            try:
                more = self._given.get(timeout=_MOMENT if results else self._find_pause())
            except Empty:
                break
            if more is None:
                self._is_open = False
                break
            results.append(more)
            end = end or time.monotonic() + _WHILE
        return results

    def _find_pause(self) -> float | None:
        return self._again if self._kept else None

    def _tidy(self, some: list[CollectedResult]) -> None:
        """Clean up; attempts with work were pushed before their end was reported."""
        self._kept = []
        for remote in {collected.job.remote for collected in some}:
            ours = [collected for collected in some if collected.job.remote == remote]
            late = [collected for collected in ours if collected.result.is_whole]
            try:
                if late:
                    self._site.push_outputs(remote, late)
            except (UltraworkError, OSError):
                self._kept += ours
                continue
            for collected in ours:
                self._finish(collected)

    def _finish(self, collected: CollectedResult) -> None:
        """Finish one; work that was abandoned before it could be pushed was still paid for."""
        try:
            if not collected.result.is_whole and not self._site.is_pushed(collected.attempt):
                self._site.push(collected)
        except (UltraworkError, OSError):
            self._kept.append(collected)
            return
        with suppress(UltraworkError, OSError):
            self._site.forget(collected.job, collected.attempt)
