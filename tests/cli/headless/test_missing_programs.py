"""A program that is not there, in a run without a client: said at once with its cure, tried once, taken up again."""

import os

import pytest

from support.headless import FIX, PATIENCE, SHOW, Headless, task, worker

GONE = '#!/bin/sh\ncase "$1" in --version) echo 1.2.3;; *) rm "$0"; exit {};; esac\n'
TOOL = "#!/bin/sh\nexec python3 -m unittest -q\n"


@pytest.fixture
def project(tmp_path):
    """A machine without the program that `make test` or a criterion needs, until it is installed."""
    found = Headless(str(tmp_path))
    os.mkdir(tmp_path / "installed")
    found.environ["PATH"] = f"{tmp_path}/installed:{found.environ['PATH']}"
    return found


def install(project, name, text=TOOL):
    path = f"{project.environ['PATH'].partition(':')[0]}/{name}"
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    os.chmod(path, 0o755)


def commit(project, **files):
    for name, text in files.items():
        project.write(name, text)
    project.git("commit", "-qam", "Another check")


def list_attempts(project):
    return (project.run("logs", "--json").data or {"attempts": []})["attempts"]


def resume(project):
    return project.run("resume", "--session", project.session, patience=PATIENCE)


@pytest.mark.slow
def test_where_no_gate_can_run_it_is_said_with_the_cure_before_an_agent_is_paid(project):
    commit(project, Makefile="test:\n\t@nox -q\n")
    project.cast([task("fix")], worker("fix", FIX, SHOW))
    answer = project.go()
    assert answer.status == 3, answer
    assert "0:00" in answer.out.splitlines()[0]
    assert "test cannot run: nox is not installed; run pip install nox" in answer.out
    assert f"Continue: ultrawork resume --session {project.session}" in answer.out
    assert list_attempts(project) == []


@pytest.mark.slow
def test_whoever_resumes_goes_on_and_hears_it_again(project):
    commit(project, Makefile="test:\n\t@nox -q\n")
    project.cast([task("fix")], worker("fix", FIX, SHOW))
    assert project.go().status == 3
    answer = resume(project)
    assert "test cannot run: nox is not installed; run pip install nox" in answer.out
    assert "fix" in [one["subject"] for one in list_attempts(project)]


@pytest.mark.slow
def test_a_criterion_that_lacks_its_program_is_neither_tried_again_nor_lost(project):
    project.cast([task("fix", criteria=["nox -q => exit 0"])], worker("fix", FIX, SHOW))
    answer = project.go()
    assert answer.status == 3, answer
    assert "Stopped: fix needs nox, which is not installed; run pip install nox" in answer.out
    install(project, "nox")
    answer = resume(project)
    assert (answer.status, "PASS  1 of 1 task" in answer.out) == (0, True), answer
    tried = [one["model"] for one in list_attempts(project) if one["subject"] == "fix"]
    assert len(tried) == 1


# The second is how some shells end when their script is deleted while they open it.
@pytest.mark.slow
@pytest.mark.parametrize("status", [127, 2])
def test_an_agent_program_that_goes_away_stops_the_run_with_how_to_get_it(project, status):
    install(project, "gemini", GONE.format(status))
    answer = project.run("run", "--auto", "--backend", "gemini", "Fix it", patience=PATIENCE)
    assert answer.status == 3, answer
    assert "Gemini CLI is no longer installed: npm install -g @google/gemini-cli" in answer.out
    assert {one["epoch"] for one in list_attempts(project)} == {1}
