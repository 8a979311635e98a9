"""Processes killed without a word: within ten seconds every surface says the same true thing."""

import json
import os
import signal
import subprocess
from time import monotonic, sleep, time

import pytest

from support.dashboard import DashboardProcess
from support.headless import Headless, end_started, task, worker
from support.process import end_all
from support.rows import until
from support.scene import QUICK, SESSION, Scene
from ultrawork.core.caller import Caller
from ultrawork.report.board import read_board, read_parts
from ultrawork.report.inbox import read_inbox
from ultrawork.report.live import read_facts
from ultrawork.sight.model import Watcher
from ultrawork.sight.views import BOARD, Place, Views
from ultrawork.store import attempts, sessions
from ultrawork.store.paths import Home
from ultrawork.store.store import Store
from ultrawork.system import ancestry

pytest.importorskip("starlette")
pytest.importorskip("textual")
pytestmark = pytest.mark.slow
SOON = 10.0


class Surfaces:
    """Everything that shows a state: verbs, status line, full screen, page; each says one word for a session."""

    def __init__(self, home, page):
        self.store = Store(Home(home), actor="person", clock=time)
        self.watcher, self.page = Watcher(self.store), page

    def read_session(self, name):
        session = sessions.get(self.store.database, name)
        look = self.watcher.look()
        row = next(one for one in look.rows if one.session.id == name)
        drawn = Views(self.store).draw(Place(), look, 200)
        items = [one for one in read_inbox(self.store) if one.row.session.id == name]
        shown = self.page.read("/api/look")["sessions"]
        return {
            "board": read_board(self.store)[0].state.word,
            "watch": row.state.word,
            "screen": next(line for line in drawn.lines if name[:8] in line)[2:].split("  ")[0],
            "inbox": items[0].row.state.word,
            "status line": read_facts(self.store, session, limit=8)["state"]["word"],
            "page": next(one["state"]["word"] for one in shown if one["session_id"] == name),
        }

    def read_agent(self, name, agent):
        session = sessions.get(self.store.database, name)
        parts = {one.name: one.state.word for one in read_parts(self.store, session)}
        look = self.watcher.look()
        drawn = Views(self.store).draw(Place(BOARD, name), look, 200)
        section = ""
        for line, key in zip(drawn.lines, drawn.keys, strict=True):
            section = line if not key else section
            if key == f"agent:{agent}":
                break
        shown = self.page.read(f"/api/parts/{name}")["parts"]
        return {
            "parts": parts.get(agent),
            "screen": section[2:].partition(" (")[0],
            "page": next((one["mark"]["word"] for one in shown if one["name"] == agent), None),
        }

    def wait_for(self, word, read):
        """All of them, in time; what they say meanwhile does not matter."""
        end, said = monotonic() + SOON, {}
        while monotonic() < end:
            said = read()
            if set(said.values()) == {word}:
                return
            sleep(0.25)
        raise AssertionError(f"not all of them say {word}: {said}")


@pytest.fixture
def run(tmp_path):
    """An engine with one agent that never ends."""
    run = Headless(os.fspath(tmp_path))
    run.cast([task("a", criteria=["true => exit 0"])], worker("a", {"hang": True}))
    engine = run.start("run", "--auto", "--backend", "script", "Fix the sum")
    store = Store(Home(run.home), actor="person", clock=time)
    run_name = []

    def is_working():
        run_name[:] = [one.id for one in sessions.list_all(store.database)]
        rows = attempts.list_all(store.database, run_name[0]) if run_name else []
        return any(row.subject == "a" and os.path.exists(f"{row.folder}/pid") for row in rows)

    until(is_working)
    row = next(one for one in attempts.list_all(store.database, run_name[0]) if one.subject == "a")
    store.database.close()
    yield run, engine, run_name[0], row
    end_started()
    end_all("HOME", run.environ["HOME"])


def end_agents(folder):
    try:
        with open(f"{folder}/pid", encoding="ascii") as file:
            os.kill(int(file.read().split()[0]), signal.SIGKILL)
    except (OSError, ValueError):
        pass


def test_a_killed_engine_is_lost_everywhere(run):
    program, engine, name, _ = run
    with DashboardProcess(program.home) as page:
        surfaces = Surfaces(program.home, page)
        surfaces.wait_for("working", lambda: surfaces.read_session(name))
        engine.kill()
        engine.wait()
        surfaces.wait_for("lost", lambda: surfaces.read_session(name))
        surfaces.store.database.close()


def test_a_killed_agent_is_lost_everywhere(run):
    program, _, name, row = run
    with DashboardProcess(program.home) as page:
        surfaces = Surfaces(program.home, page)
        agent = f"a.{row.epoch}"
        surfaces.wait_for("working", lambda: surfaces.read_agent(name, agent))
        end_agents(row.folder)
        surfaces.wait_for("lost", lambda: surfaces.read_agent(name, agent))
        surfaces.store.database.close()


def test_a_killed_client_is_lost_everywhere(tmp_path):
    scene = Scene(os.fspath(tmp_path), QUICK)
    with subprocess.Popen(["sleep", "100"]) as client:
        started = ancestry.read_start(client.pid)
        scene.find_caller = lambda: Caller(client.pid, started)
        scene.prompt("ulw change the words")
        with DashboardProcess(scene.home) as page:
            surfaces = Surfaces(scene.home, page)
            surfaces.wait_for("working", lambda: surfaces.read_session(SESSION))
            client.kill()
            client.wait()
            surfaces.wait_for("lost", lambda: surfaces.read_session(SESSION))
            said = json.loads(scene.run("status", "--json").splitlines()[0])
            assert said["data"]["state"]["word"] == "lost"
            surfaces.store.database.close()


def test_a_killed_dashboard_comes_back_with_the_same_truth(tmp_path):
    scene = Scene(os.fspath(tmp_path), QUICK)
    scene.prompt("ulw change the words")
    with DashboardProcess(scene.home) as first:
        before = first.read("/api/look")["sessions"][0]["state"]
        first.kill()
        with pytest.raises(ConnectionError):
            first.read("/api/look")
        with DashboardProcess(scene.home, first.port) as second:
            assert second.read("/api/look")["sessions"][0]["state"] == before
