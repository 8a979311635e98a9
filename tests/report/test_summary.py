"""Every screen speaks of the same session and tells the same of it, whether its client lives or not."""

import json
import os
import subprocess

import pytest

from support.scene import QUICK, SESSION, Scene
from ultrawork.core.caller import Caller
from ultrawork.hooks.caller import find_self
from ultrawork.store import markers
from ultrawork.system import ancestry

SCREENS = ("status", "why", "evidence", "report")
NEWER = "0a11ce00-0000-4000-8000-000000000001"


def find_dead():
    """A process that was there and has ended."""
    with subprocess.Popen(["sleep", "60"]) as process:
        found = Caller(process.pid, ancestry.read_start(process.pid))
        process.kill()
    return found


def data(scene, *words):
    return json.loads(scene.run(*words, "--json").splitlines()[0])["data"]


@pytest.fixture
def scene(tmp_path):
    return Scene(str(tmp_path), QUICK)


@pytest.fixture
def lost(scene):
    """A session that is on, whose client is gone."""
    gone = find_dead()
    scene.find_caller = lambda: gone
    scene.prompt("ulw change the words")
    scene.find_caller = find_self
    return scene


def test_a_session_whose_client_is_gone_is_lost_on_every_screen(lost):
    shown = lost.run("status")
    assert shown.startswith("lost       change the words")
    assert "client     gone, last active at" in shown
    assert f"resume     claude --resume {SESSION}" in shown.splitlines()
    assert max(map(len, shown.splitlines())) <= 100
    why = lost.run("why")
    assert "because    its client has ended, and nothing was verified" in why
    assert "next       resume it, or end it: ultrawork cancel" in why
    assert data(lost, "stats")["endings"] == {"lost": 1}
    assert "lost" in lost.run("session", "list").splitlines()[1].split()
    assert "(lost). To get one: ultrawork verify" in lost.run("evidence")


@pytest.mark.slow
def test_screens_prefer_a_newer_session_to_one_whose_client_is_gone(lost):
    ours = {"session_id": NEWER}
    lost.environ["CLAUDE_CODE_SESSION_ID"] = NEWER
    lost.prompt("ulw change more words", **ours)
    path = lost.write("app.txt", "right, too\n")
    lost.tool("Edit", {"file_path": path}, **ours)
    assert "PASS" in lost.stop(**ours)["systemMessage"]
    told = [data(lost, screen)["summary"] for screen in SCREENS]
    told.append(data(lost, "doctor")["checks"]["session"]["summary"])
    listed = {one["session_id"]: one["summary"] for one in data(lost, "session", "list")["sessions"]}
    assert [one["session_id"] for one in told] == [NEWER] * 5
    assert all(one == listed[NEWER] for one in told)
    assert listed[SESSION]["state"]["word"] == "lost"
    assert "also       lost: change the words" in lost.run("status")


@pytest.mark.slow
def test_a_later_verify_in_a_terminal_is_what_why_and_evidence_explain(scene):
    scene.prompt("ulw change the words")
    scene.edit("app.txt", "right, too\n")
    assert "PASS" in scene.stop()["systemMessage"]
    scene.write("app.txt", "wrong\n")
    assert scene.status("verify") == 1
    assert "FAIL (ultrawork verify)" in scene.run("why")
    assert data(scene, "evidence")["verdict"] == data(scene, "why")["verdict"] == "FAIL"
    assert data(scene, "status")["verdict"] == "PASS"


def test_a_question_of_the_client_needs_the_person_and_an_idle_client_only_waits(scene):
    scene.prompt("ulw change the words")
    asked = {"notification_type": "permission_prompt", "message": "May I run make?"}
    scene.event("Notification", **asked)
    state = data(scene, "status")["state"]
    assert (state["word"], state["what"]) == ("needs you", "May I run make?")
    scene.event("Notification", notification_type="idle_prompt", message="Claude is waiting")
    state = data(scene, "status")["state"]
    assert (state["word"], state["what"]) == ("waiting", "your next message")


def test_a_running_check_counts_only_while_its_process_is_there(scene):
    scene.prompt("ulw change the words")
    running = {"gate": "test", "began": 0.0, "usual": 300.0}
    ours = [os.getpid(), ancestry.read_start(os.getpid()), False]
    markers.put(scene.state_folder, markers.RUNNING, SESSION, {**running, "process": ours})
    assert data(scene, "status")["state"]["what"] == "the check test"
    assert "of ~5 min" in scene.run("status")
    dead = find_dead().stamp()
    markers.put(scene.state_folder, markers.RUNNING, SESSION, {**running, "process": dead})
    assert data(scene, "status")["state"]["word"] == "working"
    assert "running" not in scene.run("status")
