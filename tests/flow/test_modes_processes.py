"""Separate programs that begin modes in one worktree at the same moment."""

import os
import subprocess
import sys
from time import time

import pytest

from support.floor import PLUGIN
from ultrawork.core.modes import record
from ultrawork.core.session.session import FULL, Session
from ultrawork.store import sessions
from ultrawork.store.paths import Home
from ultrawork.store.store import Store

PATIENCE = 120
BEGIN = """
import sys
from time import time
from ultrawork.core.errors import Conflict
from ultrawork.flow import modes
from ultrawork.store.paths import Home
from ultrawork.store.store import Store

home, place, session, mode = sys.argv[1:]
store = Store(Home(home), actor="hook", clock=time)
store.database.row("SELECT 1")
print("ready", flush=True)
sys.stdin.readline()
try:
    modes.begin(store, place, session, mode, now=time())
    print("began")
except Conflict:
    print("refused")
"""


class Race:
    def __init__(self, root):
        self.home, self.place = f"{root}/state", f"{root}/project"
        os.makedirs(self.place)
        self.store = Store(Home(self.home), actor="hook", clock=time)

    def session(self, name):
        value = Session(id=name, goal="g", working_dir=self.place, kind=FULL, started_at=self.store.now())
        with self.store.change(name) as change:
            sessions.create(change, value)

    def run(self, runners):
        """All are started and wait; then all go at once. What each says, in their order."""
        for session, _ in runners:
            self.session(session)
        children = [self._started(session, mode) for session, mode in runners]
        try:
            for child in children:
                assert child.stdout.readline() == "ready\n"
            for child in children:
                child.stdin.write("go\n")
                child.stdin.flush()
            return [child.communicate(timeout=PATIENCE)[0].strip() for child in children]
        finally:
            for child in children:
                child.kill()
                child.wait()

    def _started(self, session, mode):
        return subprocess.Popen(
            [sys.executable, "-c", BEGIN, self.home, self.place, session, mode],
            env={"PATH": os.environ["PATH"], "PYTHONPATH": f"{PLUGIN}/src"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def on(self, runners):
        found = [sessions.get(self.store.database, session) for session, _ in runners]
        return [mode for session in found for mode in record.read_active(session)]


@pytest.fixture
def race(tmp_path):
    race = Race(str(tmp_path))
    yield race
    race.store.database.close()


@pytest.mark.slow
def test_of_exclusive_modes_that_begin_at_once_exactly_one_does(race):
    names = ["autopilot", "ultrapilot", "pipeline", "autopilot", "ultrapilot", "pipeline", "swarm"]
    runners = [(f"s{number}", mode) for number, mode in enumerate(names)]
    assert sorted(race.run(runners)) == ["began", *["refused"] * 6]
    assert len(race.on(runners)) == 1


@pytest.mark.slow
def test_the_same_exclusive_mode_begins_in_one_of_several_sessions(race):
    runners = [(f"s{number}", "autopilot") for number in range(5)]
    assert sorted(race.run(runners)) == ["began", *["refused"] * 4]
    assert race.on(runners) == ["autopilot"]


def test_modes_that_go_together_all_begin(race):
    runners = [(f"s{number}", mode) for number, mode in enumerate(["team", "ralph", "ultraqa", "swarm"])]
    assert race.run(runners) == ["began"] * 4
