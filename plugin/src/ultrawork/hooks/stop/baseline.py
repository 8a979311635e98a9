"""The baseline run, which starts with the first change: how long it has taken, and waiting for it.

It times checks that were never timed. Code that needs its results waits for them instead of running again."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from time import sleep, time

from ...core.time_budget import TRIAL
from ...store import markers
from ...store.atomic import Lock, is_held
from ..event import Event
from ..table import BASE_RUN, is_skipped, list_rows
from .facts import StopContext

_POLL = 0.2
_STARTING, _START_PATIENCE = "starting", 15.0


def begin(event: Event) -> None:
    """Start it; a stop that comes before it runs still waits for it."""
    from .. import process

    if not is_skipped(event.environ, list_rows(BASE_RUN)[0].name):
        _write(event, _STARTING)
        process.start(event, BASE_RUN)


@contextmanager
def hold(event: Event) -> Iterator[None]:
    """Hold the lock of the run; the file's time says since when. A file that is neither marked nor locked means no run,
    so the mark goes last."""
    with Lock(markers.locate_baseline(event.home, event.session), patience=1.0):
        _write(event, "")
        yield


def _write(event: Event, text: str) -> None:
    path = markers.locate_baseline(event.home, event.session)
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def count_seconds(event: Event) -> float:
    """Return how long it has run, or has been about to start; 0 if there is none."""
    path = markers.locate_baseline(event.home, event.session)
    if not os.path.exists(path):
        return 0.0
    seen = os.stat(path)
    age = max(0.1, time() - seen.st_mtime)
    starts = seen.st_size > 0 and age < _START_PATIENCE
    return age if starts or is_held(path) else 0.0


def wait_for(known: StopContext) -> None:
    """Wait, at most as long as a stop would try an untimed check; after that it is slow."""
    patience = min(TRIAL, float(known.settings["stop.budget"]))
    if not known.event.attended or not any(map(known.is_untimed, known.pin.gates)):
        return
    while 0 < (taken := count_seconds(known.event)) < patience:
        sleep(_POLL)
    known.baseline_seconds = taken


def wait_to_the_end(event: Event) -> None:
    while count_seconds(event):
        sleep(1.0)
