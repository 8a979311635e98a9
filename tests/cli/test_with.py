"""`ultrawork with CLIENT …`: any client's command, then the verdict as the last line and as the exit status."""

import json

import pytest

from support.sample import REAL_FIX
from support.scene import Scene

FIX = f"cat > book.py <<'END'\n{REAL_FIX[1]}END"


@pytest.fixture
def scene(tmp_path):
    return Scene(str(tmp_path))


@pytest.mark.slow
def test_a_client_without_our_hooks_is_judged_by_the_files_it_left(scene):
    status, told = scene.status_and_text("with", "sh", "-c", FIX)
    assert (status, told.splitlines()[-1]) == (0, "ultrawork: PASS")


@pytest.mark.slow
def test_red_files_are_fail_whatever_the_client_says(scene):
    status, told = scene.status_and_text("with", "sh", "-c", "touch notes.txt; exit 0")
    assert (status, told.splitlines()[-1]) == (1, "ultrawork: FAIL")


def test_a_client_that_changed_nothing_has_shown_nothing(scene):
    scene.fix()
    status, told = scene.status_and_text("with", "sh", "-c", "true")
    assert (status, told.strip()) == (3, "ultrawork: UNVERIFIED. sh changed no file")


@pytest.mark.slow
def test_a_client_that_failed_gets_no_pass(scene):
    status, told = scene.status_and_text("with", "sh", "-c", f"{FIX}\nexit 7")
    assert status == 3
    assert told.splitlines()[-1] == "ultrawork: UNVERIFIED. sh exited with status 7"


@pytest.mark.slow
def test_flags_behind_the_client_are_the_clients_and_those_before_are_ours(scene):
    """`codex exec --json` is not our JSON, and `--help` asks the client."""
    heard = ["with", "--json", "sh", "-c", 'echo "$@" > heard', "sh", "--json", "--help"]
    answer = json.loads(scene.run(*heard))
    assert scene.read("heard") == "--json --help\n"
    assert (answer["data"]["verdict"], answer["data"]["client_exit"]) == ("FAIL", 0)
    assert "WORDS" in scene.run("with", "--help")


@pytest.mark.parametrize(
    ("words", "status", "told"),
    [
        ([], 2, "name a client"),
        (["no-such-client", "-p"], 4, "no-such-client is not on PATH"),
        (["./no/such", "-p"], 4, "is not on PATH"),
    ],
)
def test_what_cannot_be_run_is_said(scene, words, status, told):
    found, text = scene.status_and_text("with", *words)
    assert (found, told in text) == (status, True)
