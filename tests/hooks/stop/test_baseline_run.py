"""The run on the baseline beside a session: who looks for it never misses it."""

import os
import threading
import time

from ultrawork.hooks.caller import find_self
from ultrawork.hooks.event import Event
from ultrawork.hooks.stop import baseline
from ultrawork.store import markers


def test_a_run_that_begins_is_seen_at_every_moment_from_its_mark_to_its_end(tmp_path):
    event = Event("PostToolUse", {"session_id": "s"}, {"HOME": str(tmp_path)}, time.time, find_self)
    path = markers.locate_baseline(event.home, event.session)
    os.makedirs(os.path.dirname(path))
    looks, ended = [], threading.Event()

    def look():
        while not ended.is_set():
            looks.append(baseline.count_seconds(event) > 0)

    for _ in range(100):
        with open(path, "w", encoding="utf-8") as file:
            file.write("starting")
        ended.clear()
        looker = threading.Thread(target=look, daemon=True)
        looker.start()
        with baseline.hold(event):
            ended.set()
            looker.join()
    assert looks
    assert all(looks), "a stop would take it for ended, and try the checks itself"
    assert baseline.count_seconds(event) == 0
