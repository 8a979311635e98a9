"""The page of a headless run while it goes on."""

import os
import signal
from time import sleep, time

import pytest

from support.headless import Headless, end_started, task, worker
from support.process import end_all
from support.rows import until
from ultrawork.store import sessions
from ultrawork.store.paths import Home
from ultrawork.store.store import Store

pytestmark = pytest.mark.slow
REFRESH = "http-equiv='refresh'"


def read(path):
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except OSError:
        return ""


def test_the_page_of_a_run_exists_from_its_first_second_and_follows_it(tmp_path):
    run = Headless(os.fspath(tmp_path))
    run.cast([task("a", criteria=["true => exit 0"])], worker("a", {"hang": True}))
    engine = run.start("run", "--auto", "--backend", "script", "Fix the sum")
    store = Store(Home(run.home), actor="person", clock=time)
    try:
        until(lambda: sessions.list_all(store.database))
        (session,) = sessions.list_all(store.database)
        path = f"{run.home}/sessions/{session.id}/report.html"
        until(lambda: read(path))
        assert os.stat(path).st_mtime - session.started_at < 3
        assert REFRESH in read(path), "a browser reads it again"
        until(lambda: "<td data-name='Kind'>task</td>" in read(path))
        until(lambda: "▶ working" in read(path))
        engine.send_signal(signal.SIGINT)
        sleep(1)
        engine.send_signal(signal.SIGINT)  # the second one waits for no agent
        engine.wait(60)
        assert REFRESH not in read(path)
    finally:
        store.database.close()
        end_started()
        end_all("HOME", run.environ["HOME"])
