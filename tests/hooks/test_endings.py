"""However a session ends, the person sees exactly one line that says how; the starts after it repeat nothing."""

import os
import shutil
import subprocess

import pytest
from tests.store.test_disk import fill

from support.scene import QUICK, SESSION, Scene
from ultrawork.core.caller import Caller
from ultrawork.hooks.caller import find_self

DONE = "Done. All tests pass."
OTHER = "5e551040-0000-4000-8000-00000000000a"
SECOND = "5e551040-0000-4000-8000-0000000000bb"
GONE = Caller(2**22 + 1, "0")


def finish(scene):
    scene.edit("app.txt", "right and good\n")
    yield scene.stop(DONE)


def give_up(scene):
    scene.edit("app.txt", "wrong\n")
    for _ in range(3):
        yield scene.stop(DONE)


def do_nothing(scene):
    for _ in range(2):
        yield scene.stop(DONE)


def block(scene):
    yield scene.stop("BLOCKED: no access")


def switch_off(scene):
    yield scene.prompt("ulw off")


def accept(scene):
    scene.edit("app.txt", "wrong\n")
    yield scene.stop(DONE)
    yield scene.prompt("ulw accept good enough")


def clear(scene):
    scene.event("SessionEnd", reason="clear")
    yield scene.event("SessionStart", source="clear", session_id=OTHER)


def quit_client(scene):
    """Clients show nothing of what is said at their end."""
    scene.event("SessionEnd", reason="prompt_input_exit")
    yield from ()


def kill_client(_scene):
    yield from ()


def take_markers(scene):
    for folder in (scene.home, scene.data):
        os.unlink(f"{folder}/active/{SESSION}")
    yield scene.stop(DONE)


def take_markers_and_go(scene):
    for folder in (scene.home, scene.data):
        os.unlink(f"{folder}/active/{SESSION}")
    yield scene.prompt("and now?")


def leave_plan_mode(scene):
    """While it plans, nothing is judged and nothing said."""
    scene.mode = "plan"
    scene.stop("Here is my plan.")
    scene.mode = "default"
    yield from finish(scene)


def leave_the_client_in_plan_mode(scene):
    scene.mode = "plan"
    scene.stop("Here is my plan.")
    yield from ()


def compact(scene):
    scene.event("PreCompact", trigger="manual")
    scene.event("SessionStart", source="compact")
    yield from finish(scene)


def resume(scene):
    """Resumed before any other start, it has not ended."""
    scene.event("SessionEnd", reason="prompt_input_exit")
    yield scene.event("SessionStart", source="resume")
    yield from finish(scene)


def finish_beside_a_second_client(scene):
    """The other one in this folder is on as well and goes on."""
    scene.find_caller = find_self
    scene.prompt("ulw change the words too", session_id=SECOND)
    scene.find_caller = lambda: GONE
    yield from finish(scene)


def remove_folder(scene):
    """As when a worktree is removed in which a client still works."""
    shutil.rmtree(scene.place)
    yield scene.stop(DONE)
    yield scene.stop(DONE)
    os.makedirs(scene.place)


def remove_folder_and_go(scene):
    """The next start is in another checkout: here nobody starts a client any more."""
    shutil.rmtree(scene.place)
    scene.place = f"{scene.root}/other"
    os.makedirs(scene.place)
    yield from ()


def take_git(scene):
    """From the start it is recorded without git."""
    tools = f"{scene.root}/tools"
    os.mkdir(tools)
    for name in ("sh", "make", "grep"):
        os.symlink(shutil.which(name), f"{tools}/{name}")
    scene.prompt("ulw off")
    scene.environ["PATH"] = tools
    scene.prompt("ulw change the words")
    yield from finish(scene)


ENDS = {
    finish: "PASS",
    give_up: "UNVERIFIED",
    do_nothing: "UNVERIFIED",
    block: "UNVERIFIED",
    switch_off: "ultrawork: off.",
    accept: "UNVERIFIED",
    clear: "was cleared before it was verified",
    quit_client: "ended without a verdict",
    kill_client: "ended without a verdict",
    take_markers: "removed its marker files",
    take_markers_and_go: "removed its marker files",
    leave_plan_mode: "PASS",
    leave_the_client_in_plan_mode: "ended without a verdict",
    compact: "PASS",
    resume: "PASS",
    finish_beside_a_second_client: "PASS",
    remove_folder: "is gone, so nothing was verified",
    remove_folder_and_go: "ended without a verdict, and its folder is gone",
    take_git: "PASS",
}


def lines(answers):
    """What the person is shown as an end: refusals and hints are none."""
    said = [one.get("systemMessage") or one.get("stopReason") or "" for one in answers]
    return [one for one in said if any(end in one for end in ("PASS", "UNVERIFIED", "ultrawork: off"))]


@pytest.mark.parametrize("end", ENDS, ids=lambda end: end.__name__)
def test_every_way_to_end_is_said_in_one_line(quick, end):
    quick.find_caller = lambda: GONE
    quick.prompt("ulw change the words")
    said = lines(end(quick))
    starts = [quick.event("SessionStart", source="startup", session_id=f"{OTHER[:-1]}{number}") for number in range(3)]
    said += lines(starts)
    assert len(said) == 1, said
    assert ENDS[end] in said[0]


def test_an_answered_question_is_said_too(quick):
    quick.prompt("ulw explain how it works")
    assert lines([quick.stop("By magic.")]) == [
        "ultrawork: off. The goal asks a question, and no file changed. No check ran."
    ]


def test_a_session_that_was_told_of_and_begun_again_is_told_of_again(quick):
    quick.find_caller = lambda: GONE
    for _ in range(2):
        quick.prompt("ulw change the words")
        quick.event("SessionEnd", reason="clear")
        told = quick.event("SessionStart", source="clear", session_id=OTHER)["systemMessage"]
        assert "was cleared before it was verified" in told


def test_of_many_clients_that_were_killed_none_is_passed_over(quick):
    """Three have lines of their own, the others one together."""
    quick.find_caller = lambda: GONE
    for number in range(5):
        quick.prompt("ulw change the words", session_id=f"{SECOND[:-1]}{number}")
    told = quick.event("SessionStart", source="startup", session_id=OTHER)["systemMessage"]
    assert told.count("ended without a verdict. Resume it:") == 3
    assert "UNVERIFIED. 2 more ended without a verdict: ultrawork session list" in told


def test_a_session_whose_stops_cannot_be_judged_is_told_of_once_more_by_nobody(quick):
    """At the third stop it is off, in the record too: no later start reports it again."""
    quick.find_caller = lambda: GONE
    quick.prompt("ulw change the words")
    with open(f"{quick.home}/deciding", "w", encoding="utf-8"):
        pass  # no stop can note that it is being decided
    assert len(lines(quick.stop(DONE) for _ in range(4))) == 3
    assert not quick.is_on()
    assert lines([quick.event("SessionStart", source="startup", session_id=OTHER)]) == []


@pytest.mark.skipif(os.getuid() != 0, reason="only root can mount a small disk")
def test_where_the_disk_of_the_state_folder_is_full_it_is_not_on_and_says_so(tmp_path):
    """Never silent there either: it is not on, or its end is said."""
    state = tmp_path / "state"
    state.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", str(state)], check=False).returncode:
        pytest.skip("this machine does not let us mount")
    try:
        scene = Scene(str(tmp_path), QUICK)
        scene.prompt("ulw change the words")
        scene.edit("app.txt", "right and good\n")
        fill(str(state))
        said = lines([scene.stop(DONE)])
        told = scene.prompt("ulw change more words").get("systemMessage", "")
    finally:
        subprocess.run(["umount", "-l", str(state)], check=True)
    assert len(said) == 1, said
    assert "UNVERIFIED" in said[0]
    assert told.startswith("ultrawork: ")
