"""The tools that ask about the session itself, in a real little repository."""

import json
import os
import subprocess

import pytest

from support.floor import PATH, PLUGIN


@pytest.fixture
def project(client):
    """A repository with one gate, and the program beside the server, with the same state."""
    place, root = client.place, os.path.dirname(client.place)
    with open(f"{place}/Makefile", "w") as file:
        file.write("test:\n\t@test -e good && echo 1 passed\n")
    os.rmdir(f"{place}/.git")
    git = ["git", "-C", place, "-c", "user.name=t", "-c", "user.email=t@example.org"]
    for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "start"]):
        subprocess.run([*git, *words], check=True)

    def run(*words):
        env = {"PATH": PATH, "HOME": root, "ULTRAWORK_HOME": f"{root}/state"}
        argv = [f"{PLUGIN}/bin/ultrawork", *words]
        return subprocess.run(argv, cwd=place, env=env, check=True, capture_output=True, text=True).stdout

    return run


def test_without_a_session_it_is_said(client):
    assert "no session" in client.refusal("ultrawork_status")
    assert "no session" in client.refusal("ultrawork_next")
    assert "nope" in client.refusal("ultrawork_why", session="nope")


def test_the_status_is_that_of_the_program(client, project):
    project("session", "new", "--session", "s1", "--goal", "fix the login bug")
    text = client.text("ultrawork_status")
    assert "fix the login bug" in text
    assert text == project("status").rstrip("\n")
    assert client.text("ultrawork_status", session="s1") == text


@pytest.mark.slow
def test_verify_runs_the_gates_and_keeps_the_proof(client, project):
    text = client.text("ultrawork_verify")
    assert text.startswith("FAIL. make test fails")
    assert "make test: exit 2" in text
    with open(f"{client.place}/good", "w"):
        pass
    assert client.text("ultrawork_verify", fresh=True).startswith(
        "PASS, not measured: only data changed. make test: 1 passed"
    )
    assert "make test" in project("evidence", "show")


def test_a_confined_agent_runs_the_gates_in_its_own_shell(client, project):
    meta = {"x-codex-turn-metadata": {"sandbox_mode": "workspace-write"}}
    answer = client.wait(client.start_call("ultrawork_verify", _meta=meta))["result"]
    assert answer["isError"]
    assert "run `ultrawork verify` in its own shell" in answer["content"][0]["text"]


def test_the_next_step_of_a_session_is_told_as_data(client, project):
    project("session", "new", "--session", "s1", "--goal", "number the pages")
    step = json.loads(client.text("ultrawork_next"))
    assert step["session_id"] == "s1"
    assert step["kind"]
