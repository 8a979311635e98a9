"""
What is left to do once a result has been told: short outputs go to the remote, and files here are taken away.

Nobody waits for it, so it steps back behind what somebody does. Outputs that end within a moment of each other go by one
push, which costs as much as for one.
What cannot be pushed now is kept, and the next worker here does it.
"""

import os
import sys
import threading
from contextlib import suppress
from queue import Empty, SimpleQueue

from ..core.errors import UltraworkError
from .machine_site import CollectedResult, MachineSite

_MOMENT = 0.5
_POLITE = 5  # as `nice` has it, of this thread and of the programs that it starts


class Aftermath:
    """One thread, which does all that it was given before it ends."""

    __slots__ = ("_closing", "_given", "_site", "_thread")

    def __init__(self, site: MachineSite) -> None:
        self._site = site
        self._given: SimpleQueue[CollectedResult] = SimpleQueue()
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._work, name="aftermath", daemon=True)
        self._thread.start()

    def take(self, told: CollectedResult) -> None:
        self._given.put(told)

    def close(self) -> None:
        self._closing.set()
        self._thread.join()

    def _work(self) -> None:
        if sys.platform == "linux":  # elsewhere a thread has no priority of its own
            with suppress(OSError):
                os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _POLITE)
        while not self._closing.wait(_MOMENT):
            self._tidy(self._take_all())
        self._tidy(self._take_all())

    def _take_all(self) -> list[CollectedResult]:
        found = []
        try:
            while True:
                found.append(self._given.get_nowait())
        except Empty:
            return found

    def _tidy(self, some: list[CollectedResult]) -> None:
        """Those with work were pushed before anybody was told."""
        for remote in {one.job.remote for one in some}:
            ours = [one for one in some if one.job.remote == remote]
            late = [one for one in ours if one.result.is_whole]
            try:
                if late:
                    self._site.push_outputs(remote, late)
            except (UltraworkError, OSError):
                continue
            for one in ours:
                with suppress(UltraworkError, OSError):
                    self._site.forget(one.job, one.attempt)
