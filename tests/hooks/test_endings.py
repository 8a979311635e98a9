"""However a session ends, the person sees exactly one line that says how; the starts after it repeat nothing."""

import os

import pytest

from support.scene import SESSION
from ultrawork.core.caller import Caller

DONE = "Done. All tests pass."
OTHER = "5e551040-0000-4000-8000-00000000000a"
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
