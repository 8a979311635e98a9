"""A team of workers over the list of a swarm: several programs, rights, orders, deaths, quarantine."""

import json
import os
import signal
import threading
from collections import Counter

import pytest

from support.headless import Headless, worker
from support.helper_program import HelperPrograms
from support.rows import until
from ultrawork.features.swarm.store.board import Board
from ultrawork.features.swarm.team.crew import CrewSeat
from ultrawork.store.omc.folder import Omc

PATIENCE = 200.0
TASK = r"task Do (t\d+); say done"


class TeamProject(Headless):
    """A project with a list, and programs that do its tasks: each writes the file of its task."""

    __slots__ = ("programs",)

    def list_tasks(self, *tasks):
        assert self.call("swarm", "start", "write the files").status == 0
        given = json.dumps({"tasks": tasks})
        assert self.call("swarm", "add", "--from", "-", stdin=given.encode()).status == 0

    def work(self, *words):
        return self.run("worker", "--team", "port", *words, patience=PATIENCE)

    def list_history(self):
        board = Board(Omc(self.place))
        try:
            return board.history()
        finally:
            board.close()

    def count_done(self):
        return Counter(one["task"] for one in self.list_history() if one["what"] == "done")

    def read_log(self):
        return [json.loads(line) for line in self.read(".omc/logs/team-port.jsonl").splitlines()]


def task(number, **more):
    return {"id": f"t{number}", "subject": f"Do t{number}", "check": f"test -f t{number}.txt", **more}  # fmt: skip


@pytest.fixture
def project(tmp_path):
    made = TeamProject(str(tmp_path))
    made.programs = HelperPrograms(f"{tmp_path}/bin", "codex", "gemini")
    made.environ["PATH"] = f"{tmp_path}/bin:{made.environ['PATH']}"
    made.cast([], *(worker(f"t{n}", {"write": f"t{n}.txt", "text": "by script\n"}) for n in range(6)))  # fmt: skip
    return made


def start_hanging(project):
    """A worker of its own whose program never ends: it holds a task when this comes back."""
    project.environ["HELPER_ORDERS_GEMINI"] = "sleep 300"
    started = project.start("worker", "--team", "port", "--backend", "gemini", "--name", "g1")
    until(lambda: project.programs.starts)
    until(lambda: ("working", "t0") in list_beats(project))
    return started


def list_beats(project):
    beats = project.call("worker", "status", "--team", "port", "--json").data["workers"]
    return [(one["status"], one.get("task")) for one in beats]


@pytest.mark.slow
def test_three_programs_do_each_task_once_though_one_is_killed_and_one_out_of_quota(project):
    project.list_tasks(*map(task, range(4)))
    hanging = start_hanging(project)
    os.kill(hanging.pid, signal.SIGKILL)
    hanging.communicate(timeout=30)
    project.environ["HELPER_ORDERS_GEMINI"] = TASK
    project.environ["HELPER_ORDERS_CODEX"] = "fail Rate limit exceeded. Please try again in 30m0s"
    answer = project.work("--workers", "script:1,codex:1,gemini:1")
    assert answer.status == 0, answer
    assert "settled: 4 of 4 done\nmain has all results" in answer.out
    assert "codex-1: idle codex is rate limited until" in answer.err
    assert project.count_done() == {f"t{n}": 1 for n in range(4)}
    assert {project.read(f"t{n}.txt") for n in range(4)} <= {"by script\n", "by gemini\n"}
    reclaimed = [one["note"] for one in project.list_history() if one["what"] == "reclaimed"]
    assert reclaimed == ["its worker ended"]
    subjects = project.git("log", "--format=%s").splitlines()
    assert sorted(subjects[:-1]) == [f"Do t{n}" for n in range(4)]
    until(lambda: "until" in project.call("providers").out)


@pytest.mark.slow
def test_what_it_may_not_change_is_not_taken_in_and_three_errors_are_enough(project):
    project.list_tasks(*map(task, range(4)))
    project.environ["HELPER_ORDERS_CODEX"] = f"write .env.local; {TASK}"
    answer = project.work("--backend", "codex", "--name", "c1", "--allow", "*.txt,.env*")
    assert answer.status == 1, answer
    assert "quarantined: 0 of 4 done" in answer.out
    assert "it changed files it must not change: .env.local is denied (.env*)" in answer.err
    assert len(project.programs.starts) == 3
    assert project.git("log", "--format=%s") == "A sum"
    assert "Never change .git/**, .env*" in str(project.programs.starts[0]["asked"])
    assert [one["end"] for one in project.read_log() if one["type"] == "task_failed"] == ["red"] * 3  # fmt: skip
    assert "quarantined" in project.call("worker", "status", "--team", "port").out


@pytest.mark.slow
def test_orders_and_messages_reach_a_worker_and_what_it_held_is_open_again(project):
    project.list_tasks(task(0))
    hanging = start_hanging(project)
    assert list_beats(project) == [("working", "t0")]
    second = project.call("worker", "tell", "--team", "port", "--worker", "g1", "keep the names")
    assert second.status == 0, second
    project.call("worker", "stop", "--team", "port")
    out, err = hanging.communicate(timeout=60)
    assert hanging.returncode == 0, err
    assert out.decode().startswith("shutdown: 0 of 1 done")
    assert "g1: shutdown ack" in err.decode()
    assert [one["what"] for one in project.list_history()] == ["added", "claimed", "given back"]
    project.environ["HELPER_ORDERS_GEMINI"] = TASK
    again = project.work("--backend", "gemini", "--name", "g1")
    assert again.status == 0, again
    asked = str(project.programs.starts[-1]["asked"])
    assert "keep the names" in asked
    assert "FAILED BEFORE" not in asked


@pytest.mark.slow
def test_a_result_whose_worker_died_before_it_said_so_is_found_and_not_made_again(project):
    project.list_tasks(task(0))
    assert project.work("--backend", "script", "--name", "s1").status == 0
    board = Board(Omc(project.place))
    board.database.rows("UPDATE tasks SET status = 'open' WHERE id = 't0'")
    board.database.rows("DELETE FROM history WHERE what = 'done'")
    board.close()
    answer = project.work("--backend", "codex", "--name", "c1")
    assert answer.status == 0, answer
    assert "before its worker died" in answer.err
    assert project.programs.starts == []


@pytest.mark.slow
def test_a_red_gate_keeps_a_result_out_and_the_next_one_is_told_why(project):
    project.list_tasks(task(0))
    broken = {"write": "test_broken.py", "text": "import unittest\nraise ValueError('no')\n"}
    write = {"write": "t0.txt", "text": "x\n"}
    project.cast([], worker("t0", broken, write, attempt=1), worker("t0", write, attempt=2))
    answer = project.work("--backend", "script", "--name", "s1")
    assert answer.status == 0, answer
    assert "s1: task failed t0 red" in answer.err
    assert project.count_done() == {"t0": 1}
    assert not os.path.exists(f"{project.place}/test_broken.py")


def test_a_worker_without_a_list_or_a_team_says_what_to_do(project):
    told = project.call("worker")
    assert (told.status, "--team NAME" in told.err) == (2, True), told
    missing = project.call("worker", "--team", "port", "--backend", "script")
    assert "there is no swarm here; start one: ultrawork swarm start" in missing.err
    project.list_tasks(task(0))
    board = Board(Omc(project.place))
    board.put(team="other")
    board.close()
    taken = project.call("worker", "--team", "port", "--backend", "script")
    assert "the task list here belongs to team other" in taken.err


def test_a_seat_is_filled_again_after_a_death_and_not_after_an_end(tmp_path):
    lives = tmp_path / "lives"
    program = f"echo x >> {lives}; [ $(wc -l < {lives}) -ge 3 ] || kill -9 $$"
    told: list[str] = []
    seat = CrewSeat(
        "w1", ["/bin/sh", "-c", program], str(tmp_path), {"PATH": "/usr/bin:/bin"},
        tell=told.append, stop=threading.Event(), back_off=lambda deaths: deaths * 0.01,
    )  # fmt: skip
    seat.start()
    seat.wait()
    assert (seat.deaths, seat.exit) == (2, 0)
    assert told == ["w1: crashed; restarting in 0.01 s", "w1: crashed; restarting in 0.02 s"]


def test_a_seat_that_dies_again_and_again_stays_empty(tmp_path):
    told: list[str] = []
    pauses = {1: 0.01, 2: 0.01}
    seat = CrewSeat(
        "w1", ["/bin/sh", "-c", "exit 6"], str(tmp_path), {"PATH": "/usr/bin:/bin"},
        tell=told.append, stop=threading.Event(), back_off=pauses.get,
    )  # fmt: skip
    seat.start()
    seat.wait()
    assert told[-1] == "w1: crashed 3 times; not restarted"
