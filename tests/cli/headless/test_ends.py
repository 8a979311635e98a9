"""How a run without a client comes to its end: undone work is sent back, and what decided nothing is taken up again."""

import os
import signal
import threading
from glob import glob

import pytest

from support.floor import Program
from support.headless import ADDS, FIX, PATIENCE, SHOW, Headless, agent, task, worker, write_cast
from support.play import FILES, Play
from support.scene import SESSION
from ultrawork.cli.headless.ending import tell_if_slow

NOTE = {"write": "note.txt", "text": "a note\n"}
NOTED = "test -f note.txt => exit 0"
UNDONE = "task note no longer meets its criterion `test -f note.txt => exit 0` since task fix ended"


@pytest.fixture
def project(tmp_path):
    return Headless(str(tmp_path))


def list_subjects(project):
    return [one["subject"] for one in project.run("logs", "--json").data["attempts"]]


@pytest.mark.slow
def test_a_criterion_that_a_later_merge_broke_sends_its_task_back_and_names_that_merge(project):
    project.cast(
        [task("note", criteria=[NOTED]), task("fix", "note", criteria=[ADDS])],
        worker("fix", FIX, SHOW, {"delete": "note.txt"}),
        worker("note", NOTE, attempt=1),
        worker("*", NOTE, told=UNDONE),
    )
    answer = project.go()
    assert (answer.status, "PASS  " in answer.out) == (0, True), answer
    assert UNDONE in answer.out
    assert project.read("note.txt") == NOTE["text"]
    assert list_subjects(project).count("fix") == 1


def lose(project, subject, is_over):
    """Kill the wrapper of each of its attempts once, as a machine that is gone."""
    seen = set()
    while not is_over.wait(0.1):
        for path in set(glob(f"{project.home}/sessions/*/attempts/{subject}.*/pid")) - seen:
            with open(path, encoding="utf-8") as file:
                words = file.read().split()
            if words:
                seen.add(path)
                os.kill(int(words[0]), signal.SIGKILL)


@pytest.mark.slow
@pytest.mark.parametrize(("role", "subject"), [("verifier", "verify"), ("explorer", "exp-1")])
def test_an_agent_beside_the_plan_that_is_lost_again_and_again_stops_the_run_and_decides_nothing(
    project, role, subject
):
    """The checks of the work passed: a judge that never had its say makes them neither wrong nor unverified."""
    work, is_over = worker("fix", FIX, SHOW), threading.Event()
    project.cast([task("fix")], agent(role, {"sleep": 60}, subject=subject), work)
    loser = threading.Thread(target=lose, args=(project, subject, is_over))
    loser.start()
    try:
        answer = project.go()
    finally:
        is_over.set()
        loser.join()
    assert answer.status == 3, answer
    assert "lost 5 times in a row: its process was killed. Continue: ultrawork resume" in answer.out, answer.out
    assert "UNVERIFIED" not in answer.out
    project.cast([task("fix")], work)
    answer = project.run("resume", "--session", project.session, "--auto", patience=PATIENCE)
    assert (answer.status, "PASS  1 of 1 task" in answer.out) == (0, True), answer
    assert list_subjects(project).count("fix") == 1


@pytest.mark.slow
def test_a_run_that_skipped_verification_is_verified_by_resume_without_being_done_again(project):
    project.cast([task("fix")], worker("fix", FIX, SHOW))
    assert project.go("--skip-verify").status == 3
    answer = project.run("resume", "--session", project.session, patience=PATIENCE)
    assert (answer.status, "PASS  1 of 1 task" in answer.out) == (0, True), answer
    assert project.read("calc.py") == FIX["text"]
    assert list_subjects(project).count("fix") == 1


@pytest.mark.slow
def test_a_run_whose_gates_could_not_decide_is_decided_by_resume_once_they_can(project, tmp_path):
    os.mkdir(tmp_path / "bin")
    project.environ["PATH"] = f"{tmp_path}/bin:{project.environ['PATH']}"
    project.write("Makefile", "test:\n\t@nox -q\n")
    project.git("commit", "-qam", "Another check")
    project.cast([task("fix")], worker("fix", FIX, SHOW))
    project.go()
    again = ["resume", "--session", project.session]
    assert "UNVERIFIED" in project.run(*again, patience=PATIENCE).out
    with open(f"{tmp_path}/bin/nox", "w", encoding="utf-8") as file:
        file.write("#!/bin/sh\nexec python3 -m unittest -q\n")
    os.chmod(f"{tmp_path}/bin/nox", 0o755)
    answer = project.run(*again, patience=PATIENCE)
    assert (answer.status, "PASS  1 of 1 task" in answer.out) == (0, True), answer
    assert list_subjects(project).count("fix") == 1


@pytest.mark.slow
def test_what_a_client_let_go_is_taken_up_in_a_terminal_with_its_plan_and_results(tmp_path):
    """Task a is done in the client; the engine does the rest, from the files as they are."""
    files = {**FILES, "Makefile": "test:\n\t@grep -q right a.txt && echo 1 passed\n"}
    play = Play(str(tmp_path), files)
    play.begin()
    play.planned()
    play.worked("a")
    for _ in range(3):
        play.stop("I stop.")
    assert play.session()["verdict"] == "UNVERIFIED"
    others = [worker(name, {"write": f"{name}.txt", "text": "right\n"}) for name in "bc"]
    verifier = agent("verifier", {"answer": {"verdict": "PASS", "findings": []}})
    program = Program(str(tmp_path))
    program.environ, program.place = dict(play.environ), play.place
    program.environ |= write_cast(f"{tmp_path}/agents.toml", [*others, verifier])
    words = ["resume", "--session", SESSION, "--backend", "script"]
    answer = program.run(*words, patience=PATIENCE)
    assert answer.status == 0, answer
    assert "b: merged" in answer.out
    assert "a: worker" not in answer.out
    assert (play.session()["phase"], play.session()["verdict"]) == ("COMPLETE", "PASS")


def test_what_takes_long_at_the_end_is_said_and_what_does_not_is_not():
    told = []
    heard = threading.Event()

    def tell(kind, **facts):
        told.append((kind, facts["text"]))
        heard.set()

    with tell_if_slow(tell, "removing", after=60):
        pass
    assert told == []
    with tell_if_slow(tell, "removing", after=0.01):
        assert heard.wait(10)
    assert told == [("note", "removing")]
