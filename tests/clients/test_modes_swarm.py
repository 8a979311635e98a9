"""
A swarm through the real client: several client processes, and agents of one, that share one list of tasks.

The scripted model acts only on what the program put into its conversation: it does the task that it is
handed there, and says that it is done.
"""

import json
import os
import signal
import subprocess
from collections import Counter

import pytest

from support import clients, ulw
from support.claude import Claude
from support.driving import beside, wait_for
from support.effort import BOTH_CLAUDES, rows_of
from support.floor import PLUGIN
from support.ulw import OPEN, sh
from ultrawork.features.swarm.store.board import Board
from ultrawork.store.omc.folder import Omc

pytestmark = pytest.mark.client

# One check of the project: nothing that anybody wrote may be wrong.
FILES = {"Makefile": "test:\n\t@sh check.sh\n", "check.sh": "! grep -rqs wrong out && echo 1 passed\n", "out/.keep": ""}
TASK = r"{{last:TASK_ID: (\S+)}}"
JOIN = "/ultrawork:swarm join"
WORKS = {"name": "works", "match": {"last": "TASK_ID: "}, "reply": sh(f"echo right >> out/{TASK}")}
SAYS = {"name": "says", "match": {"agent": ["main", "sub"]}, "reply": {"text": "Done."}}
AGENT = {
    "name": "Agent",
    "input": {"description": "as told", "subagent_type": "ultrawork:worker", "prompt": "Work in the swarm."},
}


@pytest.fixture
def newest(seat_at):
    program = clients.program(clients.CLAUDE, clients.NEWEST)
    return lambda script, **more: seat_at(Claude, program, script, **more)


@pytest.fixture
def place(project):
    ulw.make(str(project), FILES)
    return project


@pytest.fixture
def board(place):
    """The list of this project, read beside the clients."""
    made = []

    def board():
        made.append(Board(Omc(str(place)), create=True))
        return made[-1]

    yield board
    for one in made:
        one.close()


def ask(seat, *words, given=None):
    done = subprocess.run(
        [f"{PLUGIN}/bin/ultrawork", *words],
        env={"HOME": seat.home, "PATH": os.environ["PATH"]},
        cwd=seat.project,
        input=given,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return done.stdout + done.stderr


def tasks(count):
    return [{"id": f"t{n}", "subject": f"write t{n}", "check": f"grep -q right out/t{n}"} for n in range(count)]


def started(seat, count):
    """A swarm from a terminal, and its tasks: nobody leads it."""
    assert ask(seat, "swarm", "start", "write the files").startswith("swarm on")
    given = json.dumps({"tasks": tasks(count)})
    ask(seat, "swarm", "add", "--from", "-", given=given)
    assert f"0 of {count} done" in ask(seat, "swarm", "status")


PROMPTS = ["/ultrawork:swarm 2 write the files", "swarm 2 agents: write the files"]


def go(seat, prompt=JOIN, **more):
    return ulw.Told(seat, seat.run(prompt, plugins=[PLUGIN], mode=OPEN, timeout=170, **more))


def done_by(board):
    return Counter(one["task"] for one in board().history() if one["what"] == "done")


def verdict(seat, session):
    told = ask(seat, "session", "get", "--session", session, "--field", "verdict")
    return told.strip()


@pytest.mark.release
def test_three_client_processes_share_sixty_tasks_and_one_is_killed(newest, place, board, home):
    """The third hangs in the middle of a task when it is killed: its lease is taken back at once."""
    gate = home / "gate"
    hangs = {
        "name": "hangs",
        "match": {"last": "TASK_ID: ", "nth": 3},
        "times": 1,
        "reply": {"wait_file": str(gate), "text": "late"},
    }
    seat = newest([hangs, WORKS, SAYS])
    started(seat, 60)
    running = [beside(seat, JOIN) for _ in range(3)]
    wait_for(lambda: any(one.get("rule") == "hangs" for one in seat.model.requests))
    victim = next(one["session"] for one in seat.model.requests if one.get("rule") == "hangs")
    held = [one.id for one in board().held_by(victim)]
    pid = next(one["pid"] for one in board().workers() if one["owner"] == victim)
    assert len(held) == 1
    os.kill(pid, signal.SIGKILL)
    for one in running:
        one.wait(timeout=400)
    assert pid in [one.pid for one in running]
    assert done_by(board) == {f"t{n}": 1 for n in range(60)}
    back = [(one["task"], one["note"]) for one in board().history() if one["what"] == "reclaimed"]
    assert back == [(held[0], "its worker ended")]
    workers = {one["owner"] for one in board().history() if one["what"] == "done"} - {victim}
    assert [verdict(seat, one) for one in sorted(workers)] == ["PASS", "PASS"]
    assert "60 of 60 done" in ask(seat, "swarm", "status")


@pytest.mark.parametrize("prompt", rows_of(PROMPTS, in_ci=PROMPTS[:1]))
def test_a_leader_and_its_agents_in_the_background_go_from_the_word_to_the_verdict(newest, place, board, prompt):
    add = "; ".join(f'ultrawork swarm add "{n}" --id {n} --check "grep -q right out/{n}"' for n in "abcd")
    lead = [
        {"match": {"agent": "main", "turn": 1}, "reply": sh(add)},
        {"match": {"agent": "main", "turn": 2}, "reply": {"tools": [AGENT, AGENT]}},
    ]
    seat = newest([*lead, {**WORKS, "match": {"agent": "sub", "last": "TASK_ID: "}}, SAYS])
    told = go(seat, prompt)
    assert told.session["verdict"] == "PASS"
    assert done_by(board) == dict.fromkeys("abcd", 1)
    assert {one["owner"].partition("/")[0] for one in board().history() if one["what"] == "done"} == {told.run.session}
    assert told.verdict.startswith("ultrawork: PASS")
    assert not (place / ".omc/state/swarm-active.marker").exists()


def test_a_worker_that_lies_completes_nothing(newest, place, board):
    """It says done and does nothing: every check is red, every task fails in the end, by name."""
    seat = newest([SAYS])
    started(seat, 1)
    told = go(seat)
    assert told.session["phase"] != "COMPLETE"
    assert told.session["verdict"] == "UNVERIFIED"
    assert done_by(board) == {}
    assert [(one.status, one.tries) for one in board().tasks()] == [("failed", 5)]
    assert "1 of 1 tasks failed 5 times: t0" in told.verdict


@pytest.mark.release
def test_a_leader_that_lies_completes_nothing(newest, place, board):
    """It adds a task, starts nobody, and says that all is done."""
    lead = {"match": {"turn": 1}, "reply": sh('ultrawork swarm add x --check "test -s out/x"')}
    told = go(newest([lead, SAYS]), "/ultrawork:swarm write the files")
    assert len(told.refusals) == 2
    assert "1 task in the swarm" in told.refusals[0]
    assert "no agent is working" in told.refusals[0]
    assert told.session["verdict"] == "UNVERIFIED"
    assert done_by(board) == {}


@pytest.mark.release
def test_red_gates_cost_the_pass_although_every_task_is_done(newest, place, board):
    wrong = {**WORKS, "reply": sh(f"echo right wrong >> out/{TASK}")}
    seat = newest([wrong, SAYS])
    started(seat, 2)
    told = go(seat)
    assert done_by(board) == {"t0": 1, "t1": 1}
    assert told.session["verdict"] == "UNVERIFIED"


def test_a_leader_that_is_killed_is_taken_up_by_a_new_session(newest, place, board, home):
    gate = home / "gate"
    lead = [
        {
            "match": {"agent": "main", "turn": 1, "last": "2 write"},
            "reply": sh('ultrawork swarm add x --id x --check "grep -q right out/x"'),
        },
        {
            "name": "hangs",
            "match": {"agent": "main", "turn": 2},
            "times": 1,
            "reply": {"wait_file": str(gate), "text": "late"},
        },
        {"match": {"agent": "main", "last": "1 task is open from earlier"}, "reply": {"tools": [AGENT]}},
    ]
    seat = newest([*lead, {**WORKS, "match": {"agent": "sub", "last": "TASK_ID: "}}, SAYS])
    client = beside(seat, "/ultrawork:swarm 2 write the files")
    wait_for(lambda: any(one.get("rule") == "hangs" for one in seat.model.requests))
    os.killpg(client.pid, signal.SIGKILL)
    client.wait(timeout=10)
    gate.touch()
    told = go(seat, "/ultrawork:swarm")
    assert told.session["verdict"] == "PASS"
    assert done_by(board) == {"x": 1}


def test_a_worker_that_is_killed_goes_on_when_it_is_resumed(newest, place, board, home):
    gate = home / "gate"
    hangs = {
        "name": "hangs",
        "match": {"last": "TASK_ID: t1"},
        "times": 1,
        "reply": {"wait_file": str(gate), "text": "late"},
    }
    seat = newest([hangs, WORKS, SAYS])
    started(seat, 4)
    client = beside(seat, JOIN)
    wait_for(lambda: any(one.get("rule") == "hangs" for one in seat.model.requests))
    os.killpg(client.pid, signal.SIGKILL)
    client.wait(timeout=10)
    gate.touch()
    session = next(one["session"] for one in seat.model.requests if one.get("rule") == "hangs")
    told = go(seat, "go on", resume=session)
    assert done_by(board) == {f"t{n}": 1 for n in range(4)}
    assert told.session["verdict"] == "PASS"


@pytest.mark.release
def test_a_second_leader_and_a_rival_mode_are_refused_while_the_first_lives(newest, place, home):
    gate = home / "gate"
    hangs = {"name": "hangs", "match": {"last": "2 write"}, "reply": {"wait_file": str(gate), "text": "x"}}
    seat = newest([hangs, SAYS])
    client = beside(seat, "/ultrawork:swarm 2 write the files")
    wait_for(lambda: any(one.get("rule") == "hangs" for one in seat.model.requests))
    said = [go(seat, words).run for words in ("/ultrawork:swarm 2 more", "/ultrawork:autopilot build it")]
    os.killpg(client.pid, signal.SIGKILL)
    client.wait(timeout=10)
    messages = ["\n".join(one.out for one in run.hooks) for run in said]
    assert "leads a swarm here; join it: /ultrawork:swarm join" in messages[0]
    assert "swarm is on" in messages[1]


@pytest.mark.release
def test_with_its_handler_off_a_worker_ends_after_one_answer(newest, place, board):
    """What the person loses: nobody is handed a task, and nothing is done."""
    seat = newest([WORKS, SAYS], env={"ULTRAWORK_SKIP_HOOKS": "swarm"})
    started(seat, 3)
    told = go(seat)
    assert told.refusals == []
    assert [one.status for one in board().tasks()] == ["open"] * 3
    on = newest([WORKS, SAYS])
    go(on)
    assert [one.status for one in board().tasks()] == ["done"] * 3


@pytest.mark.release
def test_without_consent_the_worker_is_asked_to_run_the_check_itself(newest, place, board):
    steps = [
        {"match": {"last": "swarm done t0"}, "reply": sh("ultrawork swarm done t0 --token 1")},
        {"match": {"last": "TASK_ID: "}, "reply": {"tool": {"name": "Write", "input": {"file_path": f"{place}/out/t0", "content": "right\n"}}}},
        SAYS,
    ]  # fmt: skip
    seat = newest(steps)
    started(seat, 1)
    allowed = ["Write", "Bash(ultrawork swarm done:*)"]
    seat.run(JOIN, plugins=[PLUGIN], mode="default", allowed=allowed, timeout=170)
    assert done_by(board) == {"t0": 1}
    assert board().task("t0").proof.endswith("green")


@BOTH_CLAUDES
def test_the_oldest_client_hands_over_tasks_too(claude, place, board):
    seat = claude([WORKS, SAYS])
    started(seat, 4)
    told = go(seat)
    assert done_by(board) == {f"t{n}": 1 for n in range(4)}
    assert told.session["verdict"] == "PASS"
