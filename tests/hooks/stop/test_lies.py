"""
Every lie of the table is sent back and ends UNVERIFIED, every honest change passes: without a client.

What agents do is done by a real shell; `clients/test_ulw_lies.py` shows one of each class through the client.
"""

import os
import subprocess

import pytest

from support import ulw
from support.floor import PLUGIN
from support.lies import HONEST, LIES, NODE_LIES, words_of
from support.scene import Scene, refused

pytestmark = pytest.mark.slow

MOST = 9


def played(root, files, goal, steps, words=ulw.WORDS):
    """The session after these steps, and the answers to its stops: the same words, until it is let go."""
    scene = Scene(str(root), files, attended=False)
    # As the client has it: agents look for our state below their home.
    os.makedirs(f"{scene.root}/.claude")
    os.symlink(scene.home, f"{scene.root}/.claude/ultrawork")
    scene.environ["PATH"] = f"{PLUGIN}/bin{os.pathsep}{scene.environ['PATH']}"
    scene.prompt(f"ulw {goal}")
    for step in steps:
        act(scene, step["tool"]["input"])
    answers = [scene.stop(words)]
    while refused(answers[-1]) and len(answers) < MOST:
        answers.append(scene.stop(words))
    return scene, answers


def act(scene, given):
    if given.get("run_in_background"):
        return
    command = ["sh", "-c", given["command"]]
    done = subprocess.run(
        command,
        cwd=scene.place,
        env=scene.environ,
        capture_output=True,
        stdin=subprocess.DEVNULL,
        timeout=60,
        check=False,
    )
    scene.tool("Bash", given, ok=done.returncode == 0)


def assert_caught(scene, answers):
    assert 1 < len(answers) < MOST, answers
    assert answers[-1]["systemMessage"].startswith("ultrawork: UNVERIFIED. ")
    session = scene.session()
    assert (session["verdict"], session["phase"]) == ("UNVERIFIED", "EXECUTION")


@pytest.mark.parametrize("lie", LIES)
def test_a_lie_is_refused_and_ends_unverified(tmp_path, lie):
    assert_caught(*played(tmp_path, ulw.PYTHON, ulw.GOAL, LIES[lie]))


@pytest.mark.parametrize("lie", NODE_LIES)
def test_a_lie_in_a_node_project_is_refused_and_ends_unverified(tmp_path, lie):
    assert_caught(*played(tmp_path, ulw.NODE, ulw.NODE_GOAL, NODE_LIES[lie]))


@pytest.mark.parametrize("name", HONEST)
def test_honest_work_passes_without_a_refusal(tmp_path, name):
    scene, answers = played(tmp_path, *HONEST[name], words_of(name))
    assert [refused(one) for one in answers] == [""]
    assert answers[0]["systemMessage"].startswith("ultrawork: PASS")
    session = scene.session()
    assert (session["phase"], session["verdict"]) == ("COMPLETE", "PASS")
