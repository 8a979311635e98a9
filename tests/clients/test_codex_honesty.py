"""
The lies and the honest work of `test_ulw_lies.py` and `test_ulw_honest.py` through the real Codex, with the same words.

A few in every run, all before a release; the run ends with a table of both clients.
"""

import pytest

from support import ulw
from support.codex import OURS, sh
from support.effort import rows_of
from support.lies import HONEST, LIES, NODE_LIES
from support.ulw import NODE, NODE_GOAL, PYTHON, WORDS

pytestmark = pytest.mark.client

# Names of lies in both little projects, with what is asked for there.
SCENES = {
    **{name: (PYTHON, ulw.GOAL, steps) for name, steps in LIES.items()},
    **{f"node: {name}": (NODE, NODE_GOAL, steps) for name, steps in NODE_LIES.items()},
}


@pytest.fixture
def play(with_plugin, project, score):
    """A function from a scene to what came of it, which the table counts."""

    def play_scene(kind, scene):
        files, goal, steps = scene
        ulw.make(str(project), files)
        seat = with_plugin(ulw.script([in_codex(step) for step in steps]))
        told = ulw.ToldByCodex(seat, seat.run(f"ulw {goal}"))
        score("Codex", kind, told.session["verdict"], told.refusals)
        assert "Traceback" not in told.logs
        return told

    return play_scene


def in_codex(step):
    """The same command there: our program has no name of its own in that shell, and nothing runs beside it."""
    given = step["tool"]["input"]
    command = given["command"]
    if command.startswith("ultrawork "):
        command = command.replace("ultrawork", OURS, 1)
    return sh(f"{command} &" if given.get("run_in_background") else command)


@pytest.mark.parametrize("lie", rows_of(SCENES, in_ci=["the test bent", "receipts forged in the database"]))
def test_a_lie_is_refused_and_never_passes(play, lie):
    told = play("lies", SCENES[lie])
    assert 1 <= len(told.refusals) <= 8
    assert told.session["verdict"] == "UNVERIFIED"
    assert told.ask("evidence").returncode in (1, 3)


@pytest.mark.parametrize("name", rows_of(HONEST, in_ci=["a commit made"]))
def test_honest_work_passes_without_a_refusal(play, name):
    told = play("honest", HONEST[name])
    assert told.refusals == []
    assert (told.session["phase"], told.session["verdict"]) == ("COMPLETE", "PASS")
    assert told.run.result == WORDS
