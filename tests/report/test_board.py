"""One board for every screen: whatever is stored, all of them show the same state."""

import json
import os
import subprocess
from tempfile import TemporaryDirectory
from time import time

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from support.scene import QUICK, SESSION, Scene
from ultrawork.core import state
from ultrawork.core.caller import Caller
from ultrawork.core.plan.task import ALL, FAILED, RESOLVED, Task
from ultrawork.core.state import (
    AGENT,
    CLIENT,
    ENGINE,
    Driver,
    StateFacts,
    collect_agent,
    collect_check,
    collect_task,
    judge_state,
)
from ultrawork.report import board
from ultrawork.report.live import read_facts
from ultrawork.sight.model import Watcher
from ultrawork.sight.views import Place, Views
from ultrawork.store import sessions
from ultrawork.store.store import Store
from ultrawork.system import ancestry

ENDED = {state.PROVED, state.PASSING, state.CLAIMED, state.FAILING, state.COULD_NOT_RUN, state.ENDED, state.LOST}
drivers = st.builds(
    Driver,
    st.sampled_from(["", CLIENT, ENGINE, AGENT]),
    st.integers(0, 9),
    st.sampled_from(["", "7"]),
    is_alive=st.booleans(),
)
facts = st.builds(
    StateFacts,
    active=st.booleans(),
    driver=drivers,
    heard_at=st.floats(0, 9),
    ended_at=st.none() | st.floats(0, 9),
    verdict=st.sampled_from(["", "PASS", "FAIL", "UNVERIFIED"]),
    strength=st.sampled_from(["", "proved", "not proved"]),
    unable=st.sampled_from(["", "lint"]),
    withdrawn=st.booleans(),
    question=st.sampled_from(["", "Run make?"]),
    waits_for=st.sampled_from(["", "the check test"]),
    lost=st.sampled_from(["", "killed"]),
    stopped=st.sampled_from(["", "you asked it to"]),
)


@given(facts)
def test_no_state_is_invented(given):
    found = judge_state(given)
    if found.word == state.NEEDS_YOU:
        assert given.active
        assert found.what == given.question != ""
    if found.word in (state.WORKING, state.WAITING):
        assert given.active
        assert given.driver.is_alive or not given.driver.kind
    if found.word == state.PROVED:
        assert (given.verdict, given.strength) == ("PASS", "proved")
    if not given.active:
        assert found.word in ENDED
        if given.verdict == "FAIL" and not given.withdrawn:
            assert found.word in (state.FAILING, state.LOST)


@given(st.sampled_from(ALL), drivers, st.booleans(), st.sampled_from(["", "PASS", "FAIL"]))
def test_a_task_is_proved_only_by_the_checks_of_its_session(status, driver, active, verdict):
    task = Task("a", "x", status=status)
    found = judge_state(collect_task(task, driver=driver, session_active=active, verdict=verdict, strength="proved"))
    assert (found.word == state.PROVED) == (status == RESOLVED and verdict == "PASS")
    assert (found.word == state.FAILING) == (status == FAILED)
    assert found.word != state.NEEDS_YOU


@pytest.mark.parametrize(
    ("given", "word"),
    [
        ({"driver": Driver(AGENT, 7, "1", is_alive=True), "ended_at": None}, state.WORKING),
        ({"driver": Driver(AGENT, 7, "1"), "ended_at": None}, state.LOST),
        ({"driver": Driver(), "ended_at": 5.0}, state.CLAIMED),
        ({"driver": Driver(), "ended_at": 5.0, "refuted": "test fails"}, state.FAILING),
        ({"driver": Driver(), "ended_at": 5.0, "status": FAILED}, state.FAILING),
        ({"driver": Driver(), "ended_at": 5.0, "is_lost": True}, state.LOST),
    ],
)
def test_what_an_agent_says_at_its_end_is_a_claim(given, word):
    assert judge_state(collect_agent(started_at=1.0, heard_at=2.0, **given)).word == word


@pytest.mark.parametrize(
    ("given", "word"),
    [
        ({"process": (7, "1"), "is_there": True}, state.WORKING),
        ({"process": (7, "1")}, state.LOST),
        ({"result": "green", "ended_at": 3.0}, state.PASSING),
        ({"result": "red", "ended_at": 3.0}, state.FAILING),
        ({"result": "broken", "ended_at": 3.0, "why": "npm is missing"}, state.COULD_NOT_RUN),
        ({}, state.WAITING),
    ],
)
def test_the_state_of_a_check(given, word):
    assert judge_state(collect_check(**given)).word == word


STEPS = ("ask", "idle", "pass_check", "dispute", "begin", "cancel", "die")


def data(scene, *words):
    return json.loads(scene.run(*words, "--json").splitlines()[0])["data"]


class Walk:
    """A session whose client is a process of its own, so that it can die; each method is a step."""

    def __init__(self, root):
        self.scene = Scene(root, QUICK)
        self.client = subprocess.Popen(["sleep", "100"])
        self.caller = Caller(self.client.pid, ancestry.read_start(self.client.pid))
        self.scene.find_caller = lambda: self.caller
        self.begin()

    def begin(self):
        self.scene.prompt("ulw change the words")

    def ask(self):
        self.scene.event("Notification", notification_type="permission_prompt", message="Run it?")

    def idle(self):
        self.scene.event("Notification", notification_type="idle_prompt", message="waiting")

    def pass_check(self):
        self.scene.edit("app.txt", "right, too\n")
        self.scene.stop("Done.")

    def dispute(self):
        self.scene.edit("app.txt", "right, three\n")
        self.scene.stop("BLOCKED: test check.sh is wrong: old words")

    def cancel(self):
        self.scene.run("cancel", "--session", SESSION)

    def die(self):
        self.client.kill()
        self.client.wait()

    def read_states(self):
        """Return what each surface shows."""
        store = Store(self.scene.state_folder, actor="person", clock=time)
        look = Watcher(store).look()
        session = sessions.get(store.database, SESSION)
        drawn = Views(store).draw(Place(), look, 200).lines[1]
        page = look.document()["sessions"][0]
        found = {
            "board": board.read_board(store)[0].document()["state"],
            "page": page["state"],
            "screen": {**look.rows[0].state.document(), "word": drawn[2:].split("  ")[0]},
            "status line": read_facts(store, session, limit=8)["state"],
            "status": data(self.scene, "status")["state"],
            "all": data(self.scene, "status", "--all")["sessions"][0]["state"],
            "inbox": data(self.scene, "inbox")["items"][0]["state"],
        }
        store.database.close()
        return found, look.blocking, drawn


@pytest.mark.slow
@settings(max_examples=6, deadline=None)
@given(st.lists(st.sampled_from(STEPS), min_size=1, max_size=4))
@example(["ask"])
@example(["ask", "die"])
@example(["dispute"])
def test_every_surface_shows_the_same_state_after_any_steps(steps):
    with TemporaryDirectory() as root:
        walk = Walk(root)
        try:
            for step in steps:
                getattr(walk, step)()
            found, blocking, drawn = walk.read_states()
        finally:
            walk.die()
    assert len({json.dumps(state) for state in found.values()}) == 1, found
    asks = found["board"]["word"] == state.NEEDS_YOU
    assert asks <= (blocking == 1)
    if blocking:
        assert "Run it?" in drawn or "check.sh is wrong" in drawn


def test_every_screen_shows_the_state_of_the_board(tmp_path):
    scene = Scene(os.fspath(tmp_path), QUICK)
    scene.prompt("ulw change the words")
    for step in ("working", "needs you", "passing"):
        if step == "needs you":
            scene.event("Notification", notification_type="permission_prompt", message="Run make?")
        if step == "passing":
            scene.edit("app.txt", "right, too\n")
            scene.stop("Done.")
        store = Store(scene.state_folder, actor="person", clock=lambda: 0.0)
        (row,) = board.read_board(store)
        shown = row.document()["state"]
        assert shown["word"] == step
        assert data(scene, "status")["state"] == shown
        assert [one["state"] for one in data(scene, "inbox")["items"]] == [shown]
        assert [one["state"] for one in data(scene, "status", "--all")["sessions"]] == [shown]
        if step != "passing":
            driver = data(scene, "status")["driver"]
            assert driver["pid"] == row.driver.pid > 0
            assert driver["started"] == row.driver.started
        parts = board.read_parts(store, sessions.get(store.database, SESSION))
        store.database.close()
    assert [(part.kind, part.name, part.state.word) for part in parts] == [("check", "test", "passing")]
