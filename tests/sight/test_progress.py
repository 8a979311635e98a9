"""A check that runs shows how far it is, and how long it still takes, on every surface alike."""

import os
from time import time

import pytest

from support.scene import QUICK, SESSION, Scene
from ultrawork.hooks.caller import find_self
from ultrawork.report import board, live
from ultrawork.sight.model import Watcher
from ultrawork.store import markers
from ultrawork.store.store import Store

USUAL, TESTS = 90.0, 8


@pytest.fixture
def checking(tmp_path):
    """A stop waits for a check that has printed its first two tests, half a minute after it began."""
    scene = Scene(os.fspath(tmp_path), QUICK)
    scene.prompt("ulw change the words")
    scene.log = os.fspath(tmp_path / "log")
    finish(scene, 2)
    running = {"gate": "test", "began": time() - 30, "usual": USUAL, "process": find_self().stamp()}
    content = {**running, "log": scene.log, "tests": TESTS}
    markers.put(scene.state_folder, markers.RUNNING, SESSION, content)
    return scene


def finish(scene, number):
    with open(scene.log, "w", encoding="utf-8") as file:
        file.write("".join(f"ok {one} - works\n" for one in range(1, number + 1)))


@pytest.fixture
def store(checking):
    store = Store(checking.state_folder, actor="person", clock=time)
    yield store
    store.database.close()


def test_every_surface_shows_the_tests_done_and_the_time_left(checking, store):
    (row,) = board.read_board(store)
    told = "test 2 of 8 tests, about 1 min"
    assert told in board.render_row(row, store.now())
    assert told in Watcher(store).look().document()["sessions"][0]["checking"]
    assert told in checking.run("status")
    assert told in checking.run("statusline", "--session", SESSION)
    part = next(one for one in board.read_parts(store, row.session) if one.kind == "check")
    assert (part.check["done"], part.check["tests"]) == (2, TESTS)
    assert part.proof == "none yet"


def test_the_screen_and_the_page_follow_the_log_though_the_store_does_not_change(checking, store):
    watcher = Watcher(store)
    first = watcher.look()
    finish(checking, 6)
    second = watcher.look()
    assert second.version == first.version + 1
    assert second.rows[0].check["done"] == 6


def test_lines_tell_each_quarter_of_a_check_once(checking, store):
    seen, before = [], None
    for done in (2, 3, 4, 4, 7, 8):
        finish(checking, done)
        rows = board.read_board(store)
        seen.append(len(live.list_moves(before, rows, store.now())))
        before = live.take_marks(rows)
    assert seen == [1, 0, 1, 0, 1, 1]
