"""The features of a checkout are offered once, to a person; yes and no are typed, and no stays no."""

import pytest

from support.scene import QUICK, Scene
from ultrawork.hooks.features.offer import OFF, ON, QUESTION
from ultrawork.store.omc import features

ATTENDED = {"CLAUDE_CODE_SESSION_ATTENDED": "1"}


@pytest.fixture
def scene(tmp_path):
    made = Scene(str(tmp_path), QUICK)
    made.environ.update(ATTENDED)
    return made


def begin(scene, **data):
    return scene.event("SessionStart", source="startup", **data).get("systemMessage", "")


def on(scene):
    return features.read(scene.state_folder, scene.place)


def test_the_first_session_asks_and_no_later_one_does(scene):
    assert begin(scene).endswith(QUESTION)
    assert QUESTION not in begin(scene, session_id="5e551040-0000-4000-8000-0000000000ab")


@pytest.mark.parametrize(("word", "said", "is_on"), [("on", ON, True), ("off", OFF, False)])
def test_the_person_answers_in_the_prompt_without_the_model(scene, word, said, is_on):
    begin(scene)
    assert scene.prompt(f"ulw features {word}") == {"continue": False, "stopReason": said}
    assert bool(on(scene)) is is_on
    assert QUESTION not in begin(scene)


def test_off_stays_off_also_where_it_was_said_before_the_question(scene):
    scene.prompt("ulw features on")
    scene.prompt("ulw features off")
    assert (on(scene), QUESTION in begin(scene)) == ({}, False)


def test_nobody_is_asked_where_nobody_is_or_outside_of_a_repository(scene, tmp_path):
    scene.environ["CLAUDE_CODE_SESSION_ATTENDED"] = "0"
    assert QUESTION not in begin(scene)
    scene.environ.update(ATTENDED)
    (tmp_path / "elsewhere").mkdir()
    assert QUESTION not in begin(scene, cwd=str(tmp_path / "elsewhere"))
    assert QUESTION in begin(scene)


def test_it_fits_on_one_screen():
    lines = QUESTION.split("\n")
    assert len(lines) <= 12
    assert max(map(len, lines)) <= 100
