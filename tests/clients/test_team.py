"""Teams: three real programs over one list, and teammates of the client itself over the list of a swarm."""

import json
import os
import signal
from collections import Counter

import pytest

from support import clients, ulw
from support.claude import Claude
from support.codex import Codex
from support.driving import wait_for
from support.effort import rows_of
from support.floor import PLUGIN
from support.gemini import Gemini
from support.headless import Headless
from support.scripted.rules import Rule
from support.ulw import OPEN, sh
from ultrawork.features.swarm.store.board import Board
from ultrawork.store.omc.folder import Omc

pytestmark = pytest.mark.client

PROGRAMS = {
    "claude": (Claude, clients.CLAUDE, lambda line: ("Bash", {"command": line})),
    "codex": (Codex, clients.CODEX, lambda line: ("exec_command", {"cmd": line})),
    "gemini": (Gemini, clients.GEMINI, lambda line: ("run_shell_command", {"command": line})),
}
QUOTA = {"error": {"status": 429, "retry_after": 1800, "message": "rate limit: too fast"}}
PATIENCE = 500.0


def write_file(name):
    """The model does the task that stands in what it was told, and says so."""
    tool, given = PROGRAMS[name][2](f"echo by {name} > {{{{first:TASK_ID: (\\S+)}}}}.txt")
    does = {"tool": {"name": tool, "input": given}}
    return {"match": {"agent": "main"}, "replies": [does, {"text": "DONE"}], "after": "repeat"}


@pytest.fixture
def team(tmp_path, seat_at):
    """A project whose environment has all three programs, each with a model of its own."""
    project = Headless(str(tmp_path / "run"))
    seats = {}
    for name, (kind, package, _) in PROGRAMS.items():
        seats[name] = seat_at(kind, clients.program(package), [write_file(name)])
        folder = os.path.dirname(seats[name].program)
        path = f"{folder}{os.pathsep}{project.environ['PATH']}"
        project.environ |= {**seats[name].env, "PATH": path}
    project.environ["PATH"] += os.pathsep + seats["claude"].env["PATH"]
    return project, seats


@pytest.mark.parametrize("count", rows_of([4, 20], in_ci=[4]))
def test_each_task_is_done_once_and_merged_green_whoever_falls_out(team, tmp_path, count):
    project, seats = team
    gate = tmp_path / "gate"
    hangs = {"name": "hangs", "match": {}, "reply": {"wait_file": str(gate), "text": "late"}}
    seats["gemini"].model.engine.rules.insert(0, Rule({**hangs, "times": 1}, 0))
    seats["codex"].model.engine.rules = [Rule({"reply": QUOTA}, 0)]
    tasks = [{"id": f"t{n}", "subject": f"Write t{n}", "check": f"grep -q by t{n}.txt"} for n in range(count)]
    project.call("swarm", "start", "write the files")
    project.call("swarm", "add", "--from", "-", stdin=json.dumps({"tasks": tasks}).encode())
    victim = project.start("worker", "--team", "port", "--backend", "gemini", "--name", "g0")
    wait_for(lambda: any(one.get("rule") == "hangs" for one in seats["gemini"].model.requests))
    os.kill(victim.pid, signal.SIGKILL)
    victim.communicate(timeout=30)
    gate.touch()
    answer = project.run("worker", "--team", "port", "--workers", "claude:1,codex:1,gemini:1", patience=PATIENCE)
    assert answer.status == 0, answer
    assert f"settled: {count} of {count} done\nmain has all results" in answer.out
    assert "codex-1: idle codex is rate limited until" in answer.err
    made = Counter(project.read(f"t{n}.txt") for n in range(count))
    assert set(made) == {"by claude\n", "by gemini\n"}, made
    board = Board(Omc(project.place))
    history = board.history()
    board.close()
    done = Counter(one["task"] for one in history if one["what"] == "done")
    assert done == {f"t{n}": 1 for n in range(count)}
    assert [one["note"] for one in history if one["what"] == "reclaimed"] == ["its worker ended"]
    subjects = project.git("log", "--format=%s").splitlines()
    assert sorted(subjects[:-1]) == sorted(f"Write t{n}" for n in range(count))


SWARM = "/ultrawork:swarm 1 write the files"
FILES = {"Makefile": "test:\n\t@sh check.sh\n", "check.sh": "! grep -rqs wrong out && echo 1 passed\n", "out/.keep": ""}  # fmt: skip
ADD = "; ".join(f'ultrawork swarm add "{n}" --id {n} --check "grep -q right out/{n}"' for n in "ab")
MATE = {
    "name": "Agent",
    "input": {
        "description": "as told",
        "subagent_type": "general-purpose",
        "name": "scout",
        "prompt": "TEAMWORK: wait for what there is to do.",
    },
}
# The check of a task is nobody's consent: the teammate is asked to run it, through the client's own rules.
MATE_RULES = [
    {"match": {"last": "swarm done \\S+ --token"}, "reply": sh("ultrawork {{last:swarm done \\S+ --token \\d+}}")},
    {"match": {"last": "TASK_ID: "}, "reply": sh("echo right >> out/{{last:TASK_ID: (\\S+)}}")},
    {"name": "mate", "match": {"first": "TEAMWORK"}, "reply": {"text": "Ready."}},
    {"match": {}, "replies": [sh(ADD), {"tools": [MATE]}, {"text": "They work."}], "after": "repeat"},
]  # fmt: skip


def list_done(place):
    board = Board(Omc(str(place)))
    try:
        return sorted(one.id for one in board.tasks() if one.status == "done")
    finally:
        board.close()


@pytest.mark.parametrize("skips", rows_of(["", "teammate-swarm"], in_ci=[""]))
def test_a_teammate_of_the_client_works_off_the_list_unless_that_is_off(newest, project, skips):
    """Teammates are the terminal's alone, and an experiment of the client's: a variable switches them on."""
    ulw.make(str(project), FILES)
    teams = {"CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS": "1", "ULTRAWORK_SKIP_HOOKS": skips}
    seat = newest(MATE_RULES, env=teams)
    with seat.terminal(plugins=[PLUGIN], allowed=["Bash", "Agent"]) as terminal:
        ulw.say(terminal, SWARM)
        wait_for(lambda: any(one.get("rule") == "mate" for one in seat.model.requests))
        if skips:
            terminal.settle()
        else:
            wait_for(lambda: list_done(project) == ["a", "b"])
    assert list_done(project) == ([] if skips else ["a", "b"])


@pytest.mark.parametrize("skips", rows_of(["", "task-swarm"], in_ci=[""]))
def test_an_item_of_the_clients_list_stays_open_while_its_task_is_red_unless_that_is_off(newest, project, skips):
    ulw.make(str(project), FILES)
    item = {"subject": "a", "description": "write out/a"}
    done = {"tool": {"name": "TaskUpdate", "input": {"taskId": "1", "status": "completed"}}}
    create = {"tool": {"name": "TaskCreate", "input": item}}
    replies = [sh(ADD), create, done, {"text": "BLOCKED: a is red"}]
    tools = {"CLAUDE_CODE_ENABLE_TODO_TOOLS": "1", "ULTRAWORK_SKIP_HOOKS": skips}
    seat = newest([{"match": {}, "replies": replies, "after": "repeat"}], env=tools)
    run = seat.run(SWARM, plugins=[PLUGIN], mode=OPEN, timeout=170)
    told = str(run.tool_results[2]["content"])
    # The client does not say its mode with this event: whose check may run is known by what ran before.
    assert ("ultrawork: task a is not done: run `grep" in told) is (not skips), run.tool_results
