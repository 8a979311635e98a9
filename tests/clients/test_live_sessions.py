"""A planned session at which one client is working, and the person who types in a second one."""

import subprocess
import threading

import pytest

from support.driving import ask, ended, go, statuses
from support.floor import PLUGIN
from support.follower import GOOD
from support.play import FILES, GOAL

pytestmark = pytest.mark.client
EXEC = "/ultrawork:ultrawork-exec"
# What the first client's worker says once it hears that it is no longer wanted.
STOPS = {"match": {"agent": "sub", "last": "continues in another client"}, "reply": {"text": "Stopped."}}


@pytest.fixture
def texts(project):
    for name, text in FILES.items():
        (project / name).write_text(text)
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.org"]
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "texts"]):
        subprocess.run(["git", *identity, *words], cwd=project, check=True, capture_output=True)
    return project


def breaking(gate):
    """The first worker of task a: it would write the wrong words as soon as the gate is open."""
    return {
        "name": "hang",
        "match": {"agent": "sub", "first": r"TASK_ID: a\b"},
        "times": 1,
        "reply": {"wait_file": str(gate), "tool": {"name": "Bash", "input": {"command": "echo broken > a.txt"}}},
    }


@pytest.fixture
def working(newest, texts, home):
    """A client in a terminal whose worker of task a has begun; the seat, and what lets the worker go on."""
    gate = home / "gate"
    seat = newest([breaking(gate), STOPS, *GOOD])
    with seat.terminal(plugins=[PLUGIN], allowed=["Bash", "Agent"]) as terminal:
        terminal.submit(f"/ultrawork:ultrawork --auto {GOAL}")
        terminal.wait_until(lambda _: begun(seat), "a worker", 120)
        yield seat, terminal, gate


def begun(seat):
    return any(one.get("rule") == "hang" for one in seat.model.requests)


def attempts(seat):
    return {task["id"]: task["attempts"] for task in ask(seat, "task", "list")["tasks"]}


def test_a_second_client_is_offered_three_ways_and_changes_nothing(working):
    seat, _, _ = working
    told = go(seat, EXEC).result
    assert "is running in another client, 1 agent working" in told
    for way in ("ultrawork watch", "--take-over", "git worktree add"):
        assert way in told
    assert (statuses(seat)["a"], attempts(seat)["a"]) == ("in_progress", 1)


def test_taken_over_the_first_client_is_told_and_its_worker_ends_before_another_starts(working, texts):
    seat, terminal, gate = working
    threading.Timer(3.0, gate.touch).start()
    run = go(seat, f"{EXEC} --take-over")
    if "Try again in a moment" in str([hook.answer for hook in run.hooks]):
        # A busy machine: its worker needs longer than the hook waits.
        run = go(seat, f"{EXEC} --take-over")
    assert ended(seat) == ("COMPLETE", "PASS"), run.said
    assert (texts / "a.txt").read_text() == "right\n"
    screen = terminal.wait_for("continues in another client", timeout=60)
    assert "ultrawork: PASS" not in screen


def test_typed_again_in_the_same_conversation_it_starts_no_second_worker(working, texts):
    seat, terminal, gate = working
    terminal.submit(EXEC)
    terminal.wait_for(", EXECUTION. Turn off: ulw off", timeout=60)
    assert (statuses(seat)["a"], attempts(seat)["a"]) == ("in_progress", 1)
    gate.touch()
