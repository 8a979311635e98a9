"""
Planned sessions through the real client: from a goal to a verdict.

The scripted model knows nothing of the plan: it acts only on what the program put into its
conversation. It starts the agents that are named there, and the agents do what their prompts say.
"""

import json
import os
import re
import signal
import sqlite3
import subprocess
import time
from contextlib import closing
from pathlib import Path

import pytest

from support import clients
from support.claude import Claude
from support.driving import ask, go, statuses
from support.effort import NEWEST_FIRST, rows_of
from support.floor import PLUGIN
from support.follower import (
    EXPLORER,
    FENCED,
    GOOD,
    IDLE_WORKER,
    LINE,
    PASSES,
    PLANNER,
    VERIFIER,
    WORKERS,
    call,
    follower,
    hanging,
    writes,
)
from support.play import FILES, GOAL, entry, fenced

pytestmark = pytest.mark.client


@pytest.fixture
def texts(project):
    for name, text in FILES.items():
        (project / name).write_text(text)
    commit(project)
    return project


def commit(folder):
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "texts"]):
        identity = ["-c", "user.name=t", "-c", "user.email=t@example.org"]
        subprocess.run(["git", *identity, *words], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def newest(seat_at):
    program = clients.program(clients.CLAUDE, clients.NEWEST)
    return lambda script: seat_at(Claude, program, script)


# The agent that is at work when its client is killed.
POINTS = ["EXPLORER_ID", "require_success_criteria", "TASK_ID: a", "TASK_ID: c", "RECEIPTS"]


def phase(seat):
    return ask(seat, "session", "get")["phase"]


HEDGE = "This should work now. It is a basic implementation."
HEDGING = {"match": {"agent": "sub", "first": "TASK_ID"}, "reply": {"text": HEDGE}}


@NEWEST_FIRST
def test_auto_goes_from_a_goal_to_complete_and_tries_a_failed_task_again(claude, texts):
    """Every worker and the last message of all hedge: where criteria and checks ran, they decide, and it is noted."""
    again = writes("b", also=r"[\s\S]*The last attempt failed")
    workers = [again, writes("a"), writes("c"), HEDGING]
    seat = claude(follower(EXPLORER, PLANNER, VERIFIER, *workers, idle=HEDGE))
    run = go(seat, f"/ultrawork:ultrawork --auto {GOAL}")
    assert phase(seat) == "COMPLETE", run.said
    assert set(statuses(seat).values()) == {"resolved"}
    tasks = {task["id"]: task for task in ask(seat, "task", "list")["tasks"]}
    assert (tasks["b"]["attempts"], tasks["a"]["attempts"]) == (2, 1)
    for name in "abc":
        assert 'the worker wrote "should work"' in str(tasks[name]["evidence"])
    assert {"exp", "plan"} <= {one.get("rule") for one in seat.model.requests}
    tells_one_story(seat, str(texts))


def tells_one_story(seat, folder):
    """Each screen that tells of this session names the same verdict, rounds, tries, folder and doer."""
    show = {
        name: subprocess.run(
            [f"{PLUGIN}/bin/ultrawork", *name.split()],
            env={"HOME": seat.home, "PATH": os.environ["PATH"]},
            cwd=seat.project, capture_output=True, text=True, timeout=60, check=True,
        ).stdout
        for name in ("report", "evidence", "why", "logs b", "stats", "session list")
    }  # fmt: skip
    told = {name: " ".join(text.split()) for name, text in show.items()}
    for part in ("Result ✓ PASS", "Rounds 1 of 5", "Tries 5", "Sent back 1 time", f"Work {folder} "):
        assert part in told["report"], show["report"]
    assert told["evidence"].startswith("PASS correct the three texts"), show["evidence"]
    assert "sent back once" in told["evidence"], show["evidence"]
    assert " PASS because " in told["why"], show["why"]
    assert [line.split()[0] for line in show["logs b"].splitlines() if ", sonnet, " in line] == ["b.1", "b.2"]
    assert "ended 1 PASS sent back 1 " in told["stats"], show["stats"]
    assert " PASS ended " in told["session list"], show["session list"]
    assert re.search(rf" 1 (?:about )?\$\d\S* {re.escape(folder)} ", told["session list"]), show["session list"]
    with closing(sqlite3.connect(f"{seat.home}/.claude/ultrawork/ultrawork.db")) as database:
        asked = "SELECT kind FROM events WHERE actor = 'person'"
        assert {kind for (kind,) in database.execute(asked)} <= {"session.begun"}


def test_a_plan_is_made_only_and_executed_later(newest, texts):
    seat = newest(GOOD)
    first = go(seat, f"/ultrawork:ultrawork --auto --plan-only {GOAL}")
    assert phase(seat) == "PLANNING_COMPLETE"
    assert "Done means" in str(first.notices)
    assert (texts / "a.txt").read_text() == "wrong\n"
    second = go(seat, "/ultrawork:ultrawork-exec", resume=first.session)
    assert phase(seat) == "COMPLETE"
    assert "3 tasks, round 1 of 5" in str(second.notices)


@pytest.mark.release
def test_a_plan_without_criteria_is_sent_back_to_its_planner(newest, texts):
    bare = json.dumps({"tasks": [{"id": "a", "subject": "Correct a"}]})
    planner = {
        "match": {"agent": "sub", "first": "require_success_criteria"},
        "replies": [{"text": f"```json\n{bare}\n```"}, {"text": FENCED}],
    }
    seat = newest(follower(EXPLORER, planner, VERIFIER, *WORKERS))
    run = go(seat, f"/ultrawork:ultrawork --auto {GOAL}")
    assert any("no success criterion" in str(hook.answer) for hook in run.hooks_of("SubagentStop"))
    assert phase(seat) == "COMPLETE"


@pytest.mark.release
def test_verification_that_fails_twice_and_then_passes_ends_complete(newest, texts):
    """The verifier finds something twice; each time there is another round."""
    verifier = {
        "match": {"agent": "sub", "first": "RECEIPTS"},
        "scope": "global",
        "replies": [
            {"text": '```json\n{"verdict": "FAIL", "findings": [{"what": "a is untested"}]}\n```'},
            {"text": "c is untested.\n\nVerdict: FAIL"},
            {"text": PASSES},
        ],
    }
    seat = newest(follower(EXPLORER, PLANNER, verifier, *WORKERS))
    go(seat, f"/ultrawork:ultrawork --auto {GOAL}")
    assert phase(seat) == "COMPLETE"
    assert ask(seat, "session", "get")["iteration"] == 3


@pytest.mark.release
def test_rounds_used_up_end_failed_with_a_report(newest, texts):
    seat = newest(follower(EXPLORER, PLANNER, VERIFIER, writes("a"), writes("b"), IDLE_WORKER))
    go(seat, f"/ultrawork:ultrawork --auto --max-iterations 1 {GOAL}")
    assert phase(seat) == "FAILED"
    report = ask(seat, "report")["markdown"]
    assert "✗ FAIL" in report
    assert "| c | Correct c | failed" in report


@pytest.mark.parametrize("point", rows_of(POINTS, in_ci=["TASK_ID: a"]))
def test_the_person_ends_it_in_the_middle_from_a_terminal(newest, texts, home, point):
    """While the agent of this point is at work; what it does afterwards completes nothing, and nobody follows it."""
    gate = home / "gate"
    seat = newest([hanging(point, str(gate)), *GOOD])
    client = background(seat)
    wait_for(lambda: any(one.get("rule") == "hang" for one in seat.model.requests))
    assert ask(seat, "cancel")["active"] is False
    gate.touch()
    client.wait(timeout=120)
    session = ask(seat, "session", "get")
    assert (session["phase"], session["verdict"]) == ("CANCELLED", "UNVERIFIED")
    assert "in_progress" not in statuses(seat).values()
    later = POINTS[POINTS.index(point) + 1 :]
    assert not [one for one in seat.model.requests if any(word in str(one) for word in later[-1:])]


def background(seat):
    words = [seat.program, "-p", f"/ultrawork:ultrawork --auto {GOAL}", "--plugin-dir", PLUGIN]
    return subprocess.Popen(
        [*words, "--permission-mode", "bypassPermissions", "--output-format", "json"],
        env={**seat.env, "IS_SANDBOX": "1"},
        cwd=seat.project,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


@pytest.mark.parametrize("point", rows_of(POINTS, in_ci=["TASK_ID: a"]))
def test_a_client_that_is_killed_is_taken_up_by_a_new_one(newest, texts, home, point):
    """kill -9 while the agent of this point is at work; a new session goes on and completes."""
    gate = home / "gate"
    seat = newest([hanging(point, str(gate)), *GOOD])
    client = background(seat)
    wait_for(lambda: any(one.get("rule") == "hang" for one in seat.model.requests))
    os.killpg(client.pid, signal.SIGKILL)
    client.wait(timeout=10)
    gate.touch()
    go(seat, "/ultrawork:ultrawork-exec")
    assert phase(seat) == "COMPLETE"
    assert set(statuses(seat).values()) == {"resolved"}


def wait_for(true, seconds=60):
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "it did not come to that"
        time.sleep(0.1)


@pytest.mark.release
def test_a_second_session_in_the_same_checkout_is_refused_and_in_another_is_not(newest, texts, tmp_path):
    seat = newest(GOOD)
    go(seat, f"/ultrawork:ultrawork --auto --plan-only {GOAL}")
    second = go(seat, f"/ultrawork:ultrawork --auto --plan-only {GOAL}")
    assert "is active in this checkout" in second.result
    other = tmp_path / "other"
    subprocess.run(["git", "worktree", "add", "-q", str(other)], cwd=texts, check=True, capture_output=True)
    seat.project = str(other)
    go(seat, f"/ultrawork:ultrawork --auto --plan-only {GOAL}")
    assert phase(seat) == "PLANNING_COMPLETE"


@pytest.mark.release
def test_a_wrong_flag_is_said_and_begins_nothing(newest, texts):
    run = go(newest(GOOD), f"/ultrawork:ultrawork --atuo {GOAL}")
    assert "did you mean --auto?" in run.result


@pytest.mark.release
def test_two_sessions_at_once_in_two_checkouts_each_complete_their_own(newest, texts, tmp_path):
    """Two clients of one person, side by side; neither sees the tasks of the other."""
    other = tmp_path / "other"
    subprocess.run(["git", "worktree", "add", "-q", str(other)], cwd=texts, check=True, capture_output=True)
    seat = newest(GOOD)
    first = background(seat)
    seat.project = str(other)
    second = background(seat)
    assert (first.wait(timeout=240), second.wait(timeout=240)) == (0, 0)
    found = [json.loads(path.read_text()) for path in views(seat)]
    assert sorted(one["working_dir"] for one in found) == sorted([str(texts), str(other)])
    assert [(one["phase"], one["verdict"]) for one in found] == [("COMPLETE", "PASS")] * 2
    for place in (texts, other):
        assert [(place / f"{name}.txt").read_text() for name in "abc"] == ["right\n"] * 3


def views(seat):
    return Path(seat.home, ".claude/ultrawork/sessions").glob("*/session.json")


@pytest.mark.release
def test_a_second_client_in_the_same_checkout_is_refused_while_the_first_works(newest, texts, home):
    """It is offered a worktree, and nothing of the first session is touched."""
    gate = home / "gate"
    seat = newest([hanging("TASK_ID: a", str(gate)), *GOOD])
    first = background(seat)
    wait_for(lambda: any(one.get("rule") == "hang" for one in seat.model.requests))
    second = go(seat, f"/ultrawork:ultrawork --auto {GOAL}")
    assert "is active in this checkout" in second.result
    assert "git worktree add" in second.result
    gate.touch()
    assert first.wait(timeout=240) == 0
    assert len(list(views(seat))) == 1
    assert phase(seat) == "COMPLETE"


@pytest.mark.release
def test_a_barrier_lets_a_wave_end_before_the_next_begins(newest, texts):
    """b and d are one wave, c waits for b alone; with the barrier d has ended before c starts."""
    plan = [entry("a"), entry("b", "a"), entry("d", "a", criteria=["true"]), entry("c", "b")]
    planner = {**PLANNER, "reply": {"text": fenced({"tasks": plan})}}
    slow = {"name": "slow", "match": {"agent": "sub", "first": r"TASK_ID: d\b"}, "reply": {"text": "Done.", "delay": 6}}
    seat = newest(follower(EXPLORER, planner, VERIFIER, slow, *WORKERS))
    go(seat, f"/ultrawork:ultrawork --auto --barrier {GOAL}")
    assert phase(seat) == "COMPLETE"
    asked = [event for event in events(seat) if event["kind"] in ("agent.asked", "agent.ended")]
    subjects = [event["data"].get("subject") or "end" for event in asked]
    assert subjects.index("c") > subjects.index("d")
    between = subjects[subjects.index("d") : subjects.index("c")]
    assert between.count("end") == 2


def events(seat):
    """The record of the newest session, as the database has it."""
    path = f"{seat.home}/.claude/ultrawork/ultrawork.db"
    with closing(sqlite3.connect(path)) as database:
        rows = database.execute("SELECT kind, data FROM events ORDER BY id").fetchall()
    return [{"kind": kind, "data": json.loads(data)} for kind, data in rows]


def test_what_a_worker_writes_through_the_shell_is_put_down_to_its_task(newest, texts):
    """One after the other; c writes its own file and one that it was not planned to write."""
    plan = [entry("a"), entry("b", "a"), entry("c", "b", files=["c.txt"])]
    planner = {**PLANNER, "reply": {"text": fenced({"tasks": plan})}}
    stray = writes("c", file="c.txt; echo more > stray.txt")
    seat = newest(follower(EXPLORER, planner, VERIFIER, writes("a"), writes("b"), stray, IDLE_WORKER))
    run = go(seat, f"/ultrawork:ultrawork --auto {GOAL}")
    line = "task c changed stray.txt through the shell: the file is not one of its own"
    assert any(line in one for one in run.notices)
    assert line in ask(seat, "report")["markdown"]
    assert ask(seat, "status")["shell"] == [line]
    found = {task["id"]: task["evidence"] for task in ask(seat, "task", "list")["tasks"]}
    assert {name: found[name][0]["files"] for name in "ab"} == {"a": ["a.txt"], "b": ["b.txt"]}
    assert found["c"][0]["wrong"] == [line]
    assert phase(seat) == "COMPLETE"


LIES = {
    "claims without starting workers": {
        "tool": {"name": "Bash", "input": {"command": "ultrawork task claim --owner me --id a --session {{any:session ([0-9a-f-]{36})}}"}}
    },
    "edits by itself": {
        "tool": {"name": "Write", "input": {"file_path": "a.txt", "content": "right\n"}}
    },
    "marks tasks resolved by itself": {
        "tool": {
            "name": "Bash",
            "input": {"command": "S={{any:session ([0-9a-f-]{36})}}; for t in a b c; do ultrawork task claim --owner me --id $t --session $S; ultrawork task update --id $t --status resolved --session $S; done"},
        }
    },
    "forges the session's file": {
        "tool": {"name": "Bash", "input": {"command": "f=$(ls ~/.claude/ultrawork/sessions/*/session.json); sed -i s/EXECUTION/COMPLETE/ $f"}}
    },
    "says it is done": {"text": "All tasks are resolved and verified. PASS."},
}  # fmt: skip


@pytest.mark.parametrize("lie", rows_of(LIES, in_ci=["edits by itself"]))
def test_a_model_that_does_not_follow_never_reaches_complete(newest, texts, lie):
    """It explores and plans as told, then does this instead of starting workers."""
    instead = {
        "match": {"agent": "main", "last": "start these workers"},
        "scope": "global",
        "replies": [LIES[lie], {"text": "All done. PASS."}, {"text": "All done. PASS."}],
        "after": "repeat",
    }
    seat = newest([EXPLORER, PLANNER, VERIFIER, instead, *follower(idle="All done. PASS.")])
    go(seat, f"/ultrawork:ultrawork --auto {GOAL}")
    session = ask(seat, "session", "get")
    assert session["phase"] != "COMPLETE"
    assert session["verdict"] != "PASS"


@pytest.mark.release
def test_a_worker_started_with_the_wrong_model_runs_on_the_right_one(newest, texts):
    wrong = call(0)
    wrong["input"]["model"] = "opus"
    starts = {"match": {"agent": "main", "last": r"Call Agent for each[^\n]*" + LINE}, "reply": {"tools": [wrong]}}
    seat = newest([EXPLORER, PLANNER, VERIFIER, *WORKERS, starts, *follower()])
    go(seat, f"/ultrawork:ultrawork --auto {GOAL}")
    used = {one["model"] for one in seat.model.requests if "TASK_ID: a" in json.dumps(one) and one["agent"] == "sub"}
    assert used
    assert all("sonnet" in model for model in used)
    assert phase(seat) == "COMPLETE"


@pytest.mark.release
def test_a_verifiers_pass_with_findings_is_no_pass(newest, texts):
    verifier = {
        "match": {"agent": "sub", "first": "RECEIPTS"},
        "reply": {"text": '```json\n{"verdict": "PASS", "findings": [{"what": "b is not tested"}]}\n```'},
    }
    seat = newest(follower(EXPLORER, PLANNER, verifier, *WORKERS))
    go(seat, f"/ultrawork:ultrawork --auto --max-iterations 1 {GOAL}")
    assert phase(seat) == "FAILED"


@pytest.mark.release
def test_skipping_verification_is_never_a_pass(newest, texts):
    seat = newest(GOOD)
    go(seat, f"/ultrawork:ultrawork --auto --skip-verify {GOAL}")
    session = ask(seat, "session", "get")
    assert (session["phase"], session["verdict"]) == ("EXECUTION", "UNVERIFIED")


def test_a_file_that_one_worker_holds_is_denied_to_another(newest, texts, home):
    """c writes when b has written, and b ends only when c was told: nothing depends on who is quick."""
    shared, told = str(texts / "shared.txt"), str(home / "told")
    write = {"name": "Write", "input": {"file_path": shared, "content": "mine"}}
    touch = {"name": "Bash", "input": {"command": f"touch {told}"}}
    turns = {
        ("b", 1): {"tool": write},
        ("b", 2): {"text": "Done.", "wait_file": told},
        ("c", 1): {"tool": write, "wait_file": shared},
        ("c", 2): {"tool": touch},
    }
    both = [
        {"match": {"agent": "sub", "first": rf"TASK_ID: {name}\b", "turn": turn}, "reply": reply}
        for (name, turn), reply in turns.items()
    ]
    seat = newest(follower(EXPLORER, PLANNER, VERIFIER, writes("a"), *both, IDLE_WORKER))
    run = go(seat, f"/ultrawork:ultrawork --auto --max-iterations 1 {GOAL}")
    assert any("belongs to task b" in str(hook.answer) for hook in run.hooks_of("PreToolUse"))
