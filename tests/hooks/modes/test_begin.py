"""Modes in the hooks: skills begin them, one switch ends them all, status shows them."""

import json
import os

import pytest

from support.scene import QUICK, SESSION, Scene
from ultrawork.hooks.table import MODE_SKILLS

SWITCHES = ["autopilot", "ultrapilot", "team", "pipeline", "ralph", "ultraqa", "swarm"]


@pytest.fixture
def scene(tmp_path):
    return Scene(str(tmp_path), QUICK)


def file(scene, mode, session=SESSION):
    path = f"{scene.place}/.omc/state/sessions/{session}/{mode}-state.json"
    if not os.path.exists(path):
        return None
    with open(path, encoding="utf-8") as found:
        return json.load(found)


def marker(scene):
    with open(f"{scene.home}/active/{SESSION}", encoding="utf-8") as found:
        return json.load(found)


def test_a_typed_skill_begins_its_mode_and_the_marker_names_it(scene):
    scene.typed("ultrawork:ralph", "say it")
    assert marker(scene)["modes"] == ["ralph", "ultrawork"]
    assert file(scene, "ralph")["active"] is True


@pytest.mark.parametrize("mode", SWITCHES)
def test_every_mode_but_ulw_itself_has_a_skill_and_a_switch_by_its_name(scene, mode):
    assert f"ultrawork:{mode}" in MODE_SKILLS
    scene.environ["ULTRAWORK_SKIP_HOOKS"] = f"base-run,{mode}"
    answer = scene.typed(f"ultrawork:{mode}", "say it")
    assert answer["systemMessage"] == f"ultrawork: {mode} is disabled by ULTRAWORK_SKIP_HOOKS."
    assert not scene.is_on()
    assert file(scene, mode) is None


def test_an_agents_event_begins_no_mode(scene):
    scene.event("UserPromptExpansion", command_name="ultrawork:ralph", command_args="x", agent_id="a1")
    assert not scene.is_on()


def test_what_is_in_the_way_is_said_and_nothing_is_left_of_the_mode(scene):
    scene.run("mode", "write", "autopilot", "active=true", "--session", "another")
    answer = scene.typed("ultrawork:pipeline", 'executor "say it"')
    assert "pipeline is not on: autopilot is on in session another" in answer["systemMessage"]
    assert not scene.is_on()
    assert file(scene, "pipeline") is None


def test_off_ends_all_modes_of_the_session_and_keeps_what_they_were(scene):
    scene.typed("ultrawork:ralph", "say it")
    answer = scene.prompt("ulw off")
    assert answer["stopReason"].startswith("ultrawork: off.")
    assert [file(scene, mode)["active"] for mode in ("ralph", "ultrawork")] == [False, False]
    assert file(scene, "ralph")["phase"] == "working"
    assert scene.session()["modes"]["ralph"]["facts"]["goal"] == "say it"


def test_a_planned_mode_that_was_switched_off_lets_another_begin(scene):
    scene.typed("ultrawork:autopilot", "say it")
    scene.prompt("ulw off")
    assert file(scene, "autopilot")["active"] is False
    answer = scene.event("UserPromptExpansion", command_name="ultrawork:ultrapilot", command_args="say it", session_id="another")  # fmt: skip
    assert "ultrapilot on" in answer["systemMessage"]


def test_clearing_the_conversation_ends_its_modes(scene):
    scene.typed("ultrawork:ralph", "say it")
    scene.event("SessionEnd", reason="clear")
    assert scene.session()["modes"]["ralph"]["active"] is False


def test_status_in_the_client_shows_the_modes(scene):
    scene.typed("ultrawork:ralph", "say it")
    told = scene.prompt("ulw status")["stopReason"]
    assert f"mode       ralph working, {SESSION[:8]}, left: iteration 9 of 10, with ultrawork" in told


def test_a_session_that_passes_completes_its_modes(scene):
    scene.typed("ultrawork:ralph", "say it")
    scene.edit("app.txt", "right and said\n")
    assert "PASS" in scene.stop("Said.")["systemMessage"]
    assert file(scene, "ralph")["phase"] == "complete"
    assert file(scene, "ultrawork")["active"] is False


def test_ralph_goes_with_a_team_that_is_at_work(scene):
    scene.typed("ultrawork:team", "say it")
    answer = scene.typed("ultrawork:ralph")
    assert answer["systemMessage"] == "ultrawork: ralph is on with team. Turn off: ulw off"
    assert marker(scene)["modes"] == ["team", "ralph"]
    assert file(scene, "ralph")["linked_team"] is True
    scene.prompt("ulw off")
    assert [file(scene, mode)["active"] for mode in ("team", "ralph")] == [False, False]


def test_a_team_takes_the_place_of_autopilot_in_the_same_session(scene):
    scene.typed("ultrawork:autopilot", "say it")
    answer = scene.typed("ultrawork:team", "say it")
    assert "team on" in answer["systemMessage"]
    assert [file(scene, mode)["active"] for mode in ("autopilot", "team")] == [False, True]


def test_ralph_goes_with_a_plan_that_no_mode_lies_over(scene):
    scene.typed("ultrawork:ultrawork", "--auto --max-iterations 4 say it")
    answer = scene.typed("ultrawork:ralph")
    assert answer["systemMessage"] == "ultrawork: ralph is on with the plan. Turn off: ulw off"
    assert file(scene, "ralph")["max_iterations"] == 4
