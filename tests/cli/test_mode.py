"""`ultrawork mode …` as people and scripts type it."""

import json
import os

import pytest


def test_what_is_written_is_merged_and_read_back(program):
    program.done("mode", "write", "ralph", "active=true", "iteration=1", "--session", "s1")
    told = program.done("mode", "write", "ralph", "iteration=2", "--session", "s1").out
    assert told == "ralph: 1 keys merged into .omc/state/sessions/s1/ralph-state.json\n"
    state = json.loads(program.done("mode", "read", "ralph", "--session", "s1").out)
    assert (state["active"], state["iteration"], state["session_id"]) == (True, 2, "s1")


def test_an_object_comes_on_standard_input(program):
    program.done("mode", "write", "team", "--state", "-", stdin=b'{"current_phase": "team-exec"}')
    assert json.loads(program.done("mode", "read", "team").out)["current_phase"] == "team-exec"


def test_the_clients_session_is_the_default_owner(program):
    env = {"CLAUDE_CODE_SESSION_ID": "mine"}
    program.call("mode", "write", "ralph", "active=true", env=env)
    assert os.path.exists(f"{program.place}/.omc/state/sessions/mine/ralph-state.json")
    assert program.done("mode", "list").out.split() == ["MODE", "SESSIONS", "ralph", "mine"]


def test_status_names_every_mode_and_its_file(program):
    program.done("mode", "write", "ralph", "active=true")
    data = program.done("mode", "status", "--json").data
    assert len(data) == 8
    assert data["ralph"]["active"] == ["shared"]
    assert data["swarm"]["file"] == ".omc/state/swarm-state.db"


def test_a_cleared_mode_is_gone(program):
    program.done("mode", "write", "ralph", "active=true")
    assert program.done("mode", "clear", "ralph").out == "ralph: cleared\n"
    assert program.call("mode", "read", "ralph").status == 4
    assert program.done("mode", "list").out == "no mode is active\n"


def test_an_exclusive_mode_refuses_the_second_with_a_conflict(program):
    program.done("mode", "write", "autopilot", "active=true", "--session", "one")
    answer = program.call("mode", "write", "pipeline", "active=true", "--session", "two")
    assert answer.status == 5
    assert "autopilot is on in session one" in answer.err


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("../../x", "known: autopilot"),
        ("ralplan", "did you mean ralph?"),
        ("Ralph", "did you mean ralph?"),
        ("a" * 300, "known: autopilot"),
    ],
)
@pytest.mark.parametrize("verb", ["read", "write", "clear", "status"])
def test_no_other_name_reaches_a_path(program, name, hint, verb):
    answer = program.call("mode", verb, name)
    assert answer.status == 2
    assert f"is not a mode; {hint}" in answer.err
    assert not os.path.exists(f"{program.place}/.omc")


def test_a_mode_that_is_on_in_a_session_is_read_with_that_session_named(program):
    program.done("mode", "write", "ralph", "active=true", "--session", "s1")
    answer = program.call("mode", "read", "ralph")
    assert answer.status == 4
    assert "no shared state of ralph; it is active in another session: add --session s1" in answer.err


def test_status_shows_the_file_and_the_state_of_the_session_that_a_mode_is_on_in(program):
    program.done("mode", "write", "ralph", "active=true", "iteration=3", "--session", "s1")
    found = program.done("mode", "status", "ralph", "--json").data["ralph"]
    assert found["file"] == ".omc/state/sessions/s1/ralph-state.json"
    assert found["state"]["iteration"] == 3


def test_clearing_for_a_session_that_has_no_such_state_is_told_as_nothing_there(program):
    program.done("mode", "write", "ralph", "active=true", "--session", "s1")
    answer = program.call("mode", "clear", "ralph", "--session", "zzz")
    assert answer.status == 4
    assert "no state of ralph for zzz; list them: ultrawork mode list" in answer.err
    assert program.done("mode", "list").out.split()[-1] == "s1"


@pytest.mark.parametrize("verb", ["read", "clear", "status"])
def test_a_word_after_the_mode_is_refused(program, verb):
    program.done("mode", "write", "ralph", "active=true")
    answer = program.call("mode", verb, "ralph", "extra")
    assert answer.status == 2
    assert f'ultrawork mode {verb} takes one mode; remove "extra"' in answer.err
    assert program.done("mode", "list").out.split()[-1] == "shared"
