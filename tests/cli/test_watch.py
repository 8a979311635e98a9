"""`ultrawork watch --all` and `--replay`, and that no other verb loads what the live screens need."""

import os
import subprocess

import pytest

from support import hot
from support.floor import PLUGIN
from support.scene import QUICK, SESSION, Scene
from ultrawork.core.caller import Caller
from ultrawork.system import ancestry

HEAVY = {"textual", "rich", "starlette", "asyncio", "uvicorn", "apprise", "opentelemetry"}


@pytest.fixture
def scene(tmp_path):
    scene = Scene(os.fspath(tmp_path), QUICK)
    scene.prompt("ulw change the words")
    return scene


def test_without_a_terminal_each_change_of_a_session_is_a_line_until_nothing_goes_on(tmp_path):
    scene = Scene(os.fspath(tmp_path), QUICK)
    words = ["timeout", "40", f"{PLUGIN}/bin/ultrawork", "watch", "--all"]
    with subprocess.Popen(["sleep", "40"]) as client:
        started = ancestry.read_start(client.pid)
        scene.find_caller = lambda: Caller(client.pid, started)
        scene.prompt("ulw change the words")
        scene.environ.pop("CLAUDE_CODE_SESSION_ID")
        with subprocess.Popen(words, env=scene.environ, cwd=scene.place, stdout=subprocess.PIPE, text=True) as watching:
            assert f"working       {SESSION[:8]}" in watching.stdout.readline()
            scene.event("Notification", notification_type="permission_prompt", message="Run make?")
            assert "needs you" in watching.stdout.readline()
            client.kill()
            client.wait()
            rest = watching.stdout.read().splitlines()
    assert "lost" in rest[0]
    assert rest[-1] == "nothing is running any more"


def test_a_replay_shows_what_a_session_went_through(scene):
    scene.edit("app.txt", "right, too\n")
    scene.stop("Done.")
    kinds = [line.split()[1] for line in scene.run("watch", "--replay").splitlines()]
    assert kinds[0] == "session.created"
    assert kinds.index("receipt.minted") < kinds.index("verdict.decided")


@pytest.mark.parametrize(
    "words",
    [["inbox"], ["status"], ["status", "--all"], ["watch", "--replay"], ["stats"], ["notify"], ["why"]],
    ids=" ".join,
)
def test_no_other_verb_loads_what_the_live_screens_need(tmp_path, words):
    loaded = hot.load_verb(hot.plan(os.fspath(tmp_path)), words, (0, 3, 4))
    assert not HEAVY & {name.partition(".")[0] for name in loaded}
