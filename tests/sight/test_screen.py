"""The full screen of all sessions, driven by keys and looked at as text."""

import asyncio
import json
import os

import pytest

from support.scene import QUICK, SESSION, Scene
from ultrawork.sight.model import SIGNS, Watcher
from ultrawork.store.store import Store

textual = pytest.importorskip("textual")


@pytest.fixture
def scene(tmp_path):
    scene = Scene(os.fspath(tmp_path), QUICK)
    scene.prompt("ulw change the words")
    scene.event("Notification", notification_type="permission_prompt", message="Run make?")
    return scene


@pytest.fixture
def store(scene):
    from time import time

    store = Store(scene.state_folder, actor="person", clock=time)
    yield store
    store.database.close()


def play(store, *keys, size=(80, 24)):
    """What the screen shows after these keys: its table, its head and what it said last."""
    from textual.widgets import DataTable, Static

    from ultrawork.sight.screen import BoardScreen

    async def drive():
        app = BoardScreen(store, {})
        async with app.run_test(size=size) as pilot:
            for key in keys:
                await pilot.press(key)
                await pilot.pause()
            table = app.query_one(DataTable)
            rows = [table.get_row_at(at) for at in range(table.row_count)]
            head, told = (str(app.query_one(name, Static).render()) for name in ("#head", "#told"))
        return rows, head, told, app.return_value

    return asyncio.run(drive())


@pytest.mark.parametrize("size", [(80, 24), (200, 60)])
def test_the_board_and_every_screen_show_the_same_state(scene, store, size):
    rows, head, _, _ = play(store, size=size)
    shown = json.loads(scene.run("status", "--json").splitlines()[0])["data"]["state"]["word"]
    assert [row[:3] for row in rows] == [[f"{SIGNS[shown]} {shown}", SESSION[:8], "project"]]
    assert head == "1 need you, 1 sessions"


def test_enter_opens_a_session_and_escape_leaves_it(store):
    rows, head, _, _ = play(store, "enter")
    assert [row[1:3] for row in rows] == [["check", "test"]]
    assert head.startswith(f"{SESSION[:8]}  needs you since ")
    assert play(store, "enter", "escape")[1] == "1 need you, 1 sessions"


def test_a_key_names_the_question_and_answers_nothing(store):
    told = play(store, "a")[2]
    assert told.startswith("Run make?\nanswer in its client")


def test_a_session_of_a_client_is_not_paused_from_here(store):
    assert "has no engine to ask" in play(store, "p")[2]


def test_the_lines_go_to_the_scrollback(store):
    assert "needs you" in play(store, "s")[3]


def test_nothing_is_read_while_nothing_changed(scene, store):
    watcher = Watcher(store)
    first = watcher.look()
    assert watcher.look() is first
    scene.event("Notification", notification_type="idle_prompt", message="waiting")
    assert watcher.look().version == first.version + 1
