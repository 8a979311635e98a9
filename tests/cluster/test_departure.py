"""What is not committed leaves a machine only with the person's word."""

import os
import subprocess

import pytest

from support.cluster import ENTRY, SOURCE, NotInstalled, list_keys, require_packages
from support.floor import Answer
from support.headless import GOAL, Headless

pytestmark = pytest.mark.slow  # a program each


@pytest.fixture
def project(tmp_path):
    project = Headless(str(tmp_path))
    try:
        packages = require_packages()
    except NotInstalled as error:
        pytest.skip(str(error))
    project.environ |= {
        **list_keys(),
        "ULTRAWORK_CLUSTER_TEMPORAL": "127.0.0.1:1",
        "ULTRAWORK_CLUSTER_REMOTE": str(tmp_path / "remote.git"),
        "PYTHONPATH": f"{SOURCE}:{packages}",
    }
    subprocess.run(["git", "init", "-q", "--bare", str(tmp_path / "remote.git")], check=True)
    return project


def run(project, *words):
    argv = [*ENTRY, "run", "--auto", "--backend", "script", "--executor", "temporal", *words, GOAL]
    done = subprocess.run(
        argv, env=project.environ, cwd=project.place, capture_output=True, text=True, check=False,
        stdin=subprocess.DEVNULL, timeout=60,
    )  # fmt: skip
    return Answer(done.returncode, done.stdout, done.stderr)


def test_an_untracked_file_is_named_and_nothing_is_begun(project, tmp_path):
    project.write("notes-private.txt", "mine\n")
    answer = run(project)
    assert answer.status == 5, answer
    assert f"1 uncommitted file would be pushed to {tmp_path}/remote.git: notes-private.txt" in answer.err
    assert "--include-uncommitted" in answer.err
    assert not os.path.isdir(f"{project.home}/sessions")


@pytest.mark.parametrize("flag", ["--assume-unchanged", "--skip-worktree"])
def test_a_change_that_git_was_told_to_pass_over_is_named_too(project, flag):
    """Where people keep a local password in a file of the project: the baseline holds it like any other change."""
    project.git("update-index", flag, "calc.py")
    project.write("calc.py", 'PASSWORD = "mine"\n')
    answer = run(project)
    assert (answer.status, "would be pushed to" in answer.err, "calc.py" in answer.err) == (5, True, True), answer
    assert not os.path.isdir(f"{project.home}/sessions")


def test_a_file_that_looks_like_a_secret_is_refused_whatever_is_said(project):
    project.write(".env", "KEY=1\n")
    answer = run(project, "--include-uncommitted")
    assert (answer.status, ".env looks like a secret" in answer.err) == (5, True), answer
    assert not os.path.isdir(f"{project.home}/sessions")


def test_with_the_persons_word_it_goes_on_to_the_server(project):
    project.write("notes-private.txt", "mine\n")
    project.write(".gitignore", "*.log\n")
    project.write("x.log", "ignored\n")
    answer = run(project, "--include-uncommitted")
    assert "Temporal at 127.0.0.1:1 is unreachable" in answer.err, answer
