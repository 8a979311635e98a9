"""
Pipelines through the real client: from the skill to a verdict.

The scripted model acts only on what the program put into its conversation: it starts the agents that are
named there. What a stage knows of those before it, it knows from its prompt.
"""

import json
import os
import signal
import subprocess
from pathlib import Path

import pytest

from support import clients
from support.claude import Claude
from support.driving import ask, beside, ended, go, statuses, wait_for
from support.effort import rows_of
from support.follower import IDLE_WORKER, VERIFIER, follower, hanging
from support.play import FILES, GOAL

pytestmark = pytest.mark.client

DRAWN = f'explore -> [architect, critic] -> executor "{GOAL}"'


def says(stage, text):
    return {"name": stage, "match": {"agent": "sub", "first": rf"TASK_ID: {stage}\b"}, "reply": {"text": text}}


def does(stage, command, also=""):
    return {
        "name": stage,
        "match": {"agent": "sub", "first": rf"TASK_ID: {stage}\b{also}", "turn": 1},
        "reply": {"tool": {"name": "Bash", "input": {"command": command}}},
    }


EXPLORE = says("s1-explore", "The texts are a, b and c; check.sh looks for the word right.\nDONE")
ARCHITECT = says("s2-architect", "Write the word into each text.\nDONE")
CRITIC = says("s2-critic", "Nothing is missing.\nDONE")
# It writes only if what the first stage found has reached it.
KNOWS = r"[\s\S]*check.sh looks for the word right[\s\S]*Nothing is missing"
MENDS = "for f in a b c; do echo right > $f.txt; done"
EXECUTOR = does("s3-executor", MENDS, also=KNOWS)
GOOD = follower(EXPLORE, ARCHITECT, CRITIC, VERIFIER, EXECUTOR, IDLE_WORKER)


@pytest.fixture
def texts(project):
    for name, text in FILES.items():
        (project / name).write_text(text)
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.org"]
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "texts"]):
        subprocess.run(["git", *identity, *words], cwd=project, check=True, capture_output=True)
    return project


@pytest.fixture
def newest(seat_at):
    program = clients.program(clients.CLAUDE, clients.NEWEST)
    return lambda script: seat_at(Claude, program, script)


def state(project):
    (path,) = Path(project, ".omc/state/sessions").glob("*/pipeline-state.json")
    return json.loads(path.read_text())


def test_a_pipeline_goes_from_the_skill_to_a_verdict(claude, texts):
    seat = claude(GOOD)
    run = go(seat, f"/ultrawork:pipeline {DRAWN}")
    assert ended(seat) == ("COMPLETE", "PASS"), run.said
    assert set(statuses(seat).values()) == {"resolved"}
    assert (texts / "c.txt").read_text() == "right\n"
    told = state(texts)
    assert (told["active"], told["phase"], told["task"]) == (False, "complete", GOAL)
    assert [one["status"] for one in told["stages"]] == ["complete"] * 4


@pytest.mark.release
def test_a_model_that_claims_the_work_of_a_stage_never_reaches_complete(newest, texts):
    liar = says("s3-executor", "All three texts are right, all tests pass.\nDONE")
    seat = newest(follower(EXPLORE, ARCHITECT, CRITIC, VERIFIER, liar))
    go(seat, f"/ultrawork:pipeline {DRAWN}")
    assert ended(seat)[1] == "UNVERIFIED"
    assert state(texts)["active"] is False
    assert state(texts)["phase"] != "complete"


# A check that failed before and fails still is a failure where the goal wants it to pass; else no proof.
ENDS_OF_HALF = {
    f"{GOAL} so that the tests pass": ("FAILED", "FAIL", "failed"),
    GOAL: ("VERIFICATION", "UNVERIFIED", "working"),
}


@pytest.mark.parametrize("goal", rows_of(ENDS_OF_HALF, in_ci=[GOAL]))
def test_a_stage_whose_work_the_gates_contradict_never_reaches_complete(newest, texts, goal):
    half = does("s1-executor", "echo right > a.txt")
    seat = newest(follower(VERIFIER, half, IDLE_WORKER))
    go(seat, f'/ultrawork:pipeline --max-iterations 1 executor "{goal}"')
    assert (*ended(seat), state(texts)["phase"]) == ENDS_OF_HALF[goal]
    assert state(texts)["active"] is False
    assert ask(seat, "session", "get")["ended_at"]


def test_a_pipeline_that_was_cut_off_is_taken_up_where_it_was(newest, texts, home):
    """kill -9 while a stage is at work; stages that have reported are not asked again."""
    gate = home / "gate"
    seat = newest([hanging("TASK_ID: s2-architect", str(gate)), *GOOD])
    client = beside(seat, f"/ultrawork:pipeline {DRAWN}")
    wait_for(lambda: any(one.get("rule") == "hang" for one in seat.model.requests))
    os.killpg(client.pid, signal.SIGKILL)
    client.wait(timeout=60)
    gate.touch()
    asked = sum(one.get("rule") == "s1-explore" for one in seat.model.requests)
    go(seat, "/ultrawork:pipeline --resume")
    assert ended(seat) == ("COMPLETE", "PASS")
    assert sum(one.get("rule") == "s1-explore" for one in seat.model.requests) == asked


@pytest.mark.release
def test_with_its_handler_off_nobody_chains_the_agents_and_nothing_is_proved(newest, texts):
    seat = newest(GOOD)
    run = go(seat, f"/ultrawork:pipeline {DRAWN}", env={"ULTRAWORK_SKIP_HOOKS": "pipeline"})
    assert any("switched off" in str(hook.answer) for hook in run.hooks_of("UserPromptExpansion"))
    assert not any(one.get("rule") == "s1-explore" for one in seat.model.requests)
    assert (texts / "a.txt").read_text() == "wrong\n"
    assert not (texts / ".omc/state").exists()


@pytest.mark.release
def test_a_pipeline_that_only_reads_ends_quietly_with_its_report(newest, texts):
    seat = newest(follower(EXPLORE, says("s2-architect", "Write the word into each.\nDONE")))
    run = go(seat, f'/ultrawork:pipeline explore -> architect "{GOAL}"')
    assert set(statuses(seat).values()) == {"resolved", "pending"}
    assert ended(seat)[1] is None
    assert not any("UNVERIFIED" in str(hook.answer) for hook in run.hooks_of("Stop"))
    assert state(texts)["answered"] is True


@pytest.mark.release
def test_a_pipeline_that_cannot_be_read_is_refused_with_its_place(newest, texts):
    run = go(newest(GOOD), '/ultrawork:pipeline explore -> -> executor "x"')
    assert any("character 12" in str(hook.answer) for hook in run.hooks_of("UserPromptExpansion"))
