"""Asking a client for its own list, and every screen that shows where it disagrees."""

import json
import os
from time import time

import pytest

from support.scene import QUICK, SESSION, Scene
from ultrawork.hooks.caller import find_self
from ultrawork.report import summary
from ultrawork.report.board import read_board
from ultrawork.store import trace
from ultrawork.store.store import Store

CLIENT = "#!/bin/sh\n[ \"$*\" = 'agents --json --all' ] || exit 9\ncat {listed}\n"


@pytest.fixture
def scene(tmp_path):
    """A session that was last heard of a minute ago, and a client whose list lies in a file."""
    scene = Scene(os.fspath(tmp_path), QUICK)
    scene.prompt("ulw change the words")
    os.mkdir(f"{scene.root}/bin")
    program = f"{scene.root}/bin/claude"
    with open(program, "w", encoding="utf-8") as file:
        file.write(CLIENT.format(listed=f"{scene.root}/listed"))
    os.chmod(program, 0o700)
    scene.environ["PATH"] = f"{scene.root}/bin:{scene.environ['PATH']}"
    store = Store(scene.state_folder, actor="person", clock=time)
    with store.change(SESSION) as change:
        change.database.rows("UPDATE sessions SET updated_at=? WHERE id=?", time() - 60, SESSION)
    path = trace.locate(scene.state_folder, SESSION)
    if os.path.exists(path):
        os.utime(path, (time() - 60, time() - 60))
    store.database.close()
    return scene


def ask(scene, listed, *, later=0.0):
    with open(f"{scene.root}/listed", "w", encoding="utf-8") as file:
        file.write(json.dumps(listed))
    store = Store(scene.state_folder, actor="person", clock=lambda: time() + later)
    summary.ask_clients(store, scene.environ)
    (row,) = read_board(store)
    store.database.close()
    return row.state


def listed(**given):
    pid = find_self().stamp()[0]
    return [{"sessionId": SESSION, "pid": pid, "status": "busy", "state": "working", **given}]


def test_a_client_that_agrees_is_heard_and_changes_nothing(scene):
    assert ask(scene, listed()).word == "working"


def test_a_session_that_the_client_never_listed_is_not_doubted(scene):
    assert ask(scene, []).word == "working"


def test_a_session_that_left_the_list_while_its_process_is_there_is_unknown(scene):
    assert ask(scene, listed()).word == "working"
    state = ask(scene, [], later=15)
    assert (state.word, state.what) == ("unknown", "its client no longer lists it, but the process is there")


def test_a_question_that_no_hook_reported_is_shown_on_every_screen(scene):
    assert ask(scene, listed(status="waiting", waitingFor="permission")).word == "unknown"
    told = "its client says it waits for permission"
    assert told in scene.run("status")
    assert told in scene.run("status", "--all")
    assert told in scene.run("inbox")


def test_a_client_that_cannot_answer_is_no_witness(scene):
    assert ask(scene, {"error": "no"}).word == "working"
