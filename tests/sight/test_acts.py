"""Attaching: which command resumes a conversation in its own client, and why there is none."""

import os
from time import time

import pytest

from support.headless import Headless, agent, task
from support.play import Play
from support.scene import QUICK, SESSION, Scene
from ultrawork.clients.headless.attempt import Attempt, write_note
from ultrawork.core.caller import Caller
from ultrawork.core.errors import Conflict, NotFound
from ultrawork.core.plan.task import RESOLVED
from ultrawork.store import attempts, sessions
from ultrawork.store.codec import dumps
from ultrawork.store.paths import Home
from ultrawork.store.store import Store

pytest.importorskip("textual")
from ultrawork.sight.acts import Acts

CONVERSATION = "11111111-2222-3333-4444-555555555555"


def acts(scene, **more):
    store = Store(Home(scene.home), actor="person", clock=time)
    return Acts(store, {**scene.environ, **more}, ["ultrawork"], lambda: "a terminal")


def put_claude(folder):
    """Place a program named `claude`, which is only looked for here; return its variables."""
    os.makedirs(f"{folder}/bin")
    with open(f"{folder}/bin/claude", "w", encoding="utf-8") as file:
        os.fchmod(file.fileno(), 0o755)
    return {"PATH": f"{folder}/bin", "CLAUDE_CONFIG_DIR": f"{folder}/claude"}


@pytest.fixture
def ended(tmp_path):
    scene = Scene(os.fspath(tmp_path), QUICK)
    scene.find_caller = lambda: Caller(2**22 + 1, "0")
    scene.prompt("ulw change the words")
    scene.prompt("ulw off")
    return scene


def test_a_session_whose_conversation_the_client_deleted_is_named(ended, tmp_path):
    with pytest.raises(NotFound, match=f"Claude Code no longer has the conversation of {SESSION[:8]}"):
        acts(ended, **put_claude(tmp_path)).attach(SESSION, "")


@pytest.fixture
def played(tmp_path):
    """A planned session whose task ran in a Claude Code that has ended; its worktree is gone."""
    play = Play(os.fspath(tmp_path))
    play.begin()
    play.planned()
    store = Store(Home(play.home), actor="person", clock=time)
    (play.session,) = [session.id for session in sessions.list_all(store.database)]
    play.kept = store.home.conversations(play.session)
    folder = f"{store.home.session(play.session)}/attempts"
    with store.change(play.session) as change:
        opened = attempts.claim(change, "a", "worker", folder=folder, backend="claude", is_task=True)
        end = attempts.AttemptEnd(RESOLVED)
        attempts.finish(change, "a", opened.epoch, end, is_task=True)
    os.makedirs(opened.folder)
    words = {"place": f"{play.home}/gone", "folder": opened.folder, "prompt": "go"}
    write_note(Attempt(play.session, "a", "worker", opened.epoch, backend="claude", **words))
    play.output = f"{opened.folder}/out.jsonl"
    store.database.close()
    return play


def say_name(play, name):
    with open(play.output, "w", encoding="utf-8") as file:
        file.write(dumps({"type": "system", "subtype": "init", "session_id": name}) + "\n")


def test_the_kept_conversation_of_an_agent_is_put_back_and_resumed_in_the_project(played, tmp_path):
    say_name(played, CONVERSATION)
    os.makedirs(played.kept)
    with open(f"{played.kept}/{CONVERSATION}.jsonl", "w", encoding="utf-8") as file:
        file.write('{"cwd": "/gone"}\n')
    given = put_claude(tmp_path)
    call = acts(played, **given).attach(played.session, "a")
    assert call.argv == [f"{tmp_path}/bin/claude", "--resume", CONVERSATION]
    assert (os.path.samefile(call.cwd, played.place), call.front) == (True, True)
    (folder,) = os.listdir(f"{given['CLAUDE_CONFIG_DIR']}/projects")
    assert os.listdir(f"{given['CLAUDE_CONFIG_DIR']}/projects/{folder}") == [f"{CONVERSATION}.jsonl"]


@pytest.mark.parametrize("name", ["--dangerously-skip-permissions", "../../../etc/x", f"{CONVERSATION}; rm"])
def test_an_agent_cannot_name_its_conversation_so_that_it_becomes_an_option_or_a_path(played, tmp_path, name):
    say_name(played, name)
    with pytest.raises(NotFound, match="claude keeps no conversation of a that can be resumed"):
        acts(played, **put_claude(tmp_path)).attach(played.session, "a")


def test_a_client_that_is_not_installed_is_named_with_the_command(played):
    say_name(played, CONVERSATION)
    os.makedirs(played.kept)
    with open(f"{played.kept}/{CONVERSATION}.jsonl", "w", encoding="utf-8") as file:
        file.write("{}\n")
    with pytest.raises(NotFound, match=f"claude is not installed; to attach elsewhere: claude --resume {CONVERSATION}"):
        acts(played, PATH="").attach(played.session, "a")


@pytest.mark.slow
def test_a_run_is_attached_to_by_agent_and_a_scripted_one_keeps_no_conversation(tmp_path):
    run = Headless(os.fspath(tmp_path))
    run.cast([task("a", criteria=["true => exit 0"])], agent("worker", {"say": "done"}))
    run.go()
    for name, error, words in (
        ("", Conflict, "choose one of its agents"),
        ("a", NotFound, "script keeps no conversation of a that can be resumed"),
        ("b", Conflict, "b runs inside its client"),
    ):
        with pytest.raises(error, match=words):
            acts(run).attach(run.session, name)
