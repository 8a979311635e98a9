"""`ultrawork run` and its kin, with scripted agents that do real things to real files."""

import json
import os
import re
import signal
import sqlite3
import subprocess
import time

import pytest

from support.headless import FIX, GOAL, PATIENCE, SHOW, Headless, task, worker
from support.terminal import Terminal
from ultrawork.core.session.session import Session
from ultrawork.store import sessions
from ultrawork.store.paths import Home
from ultrawork.store.store import Store

FIXED = "def add(a, b):\n    return a + b\n"
BROKEN = "def add(a, b):\n    return a - b\n"


@pytest.fixture
def project(tmp_path):
    return Headless(str(tmp_path))


def attempts(project, *words):
    return project.run("logs", *words, "--json").data["attempts"]


def until(holds, patience=PATIENCE):
    end = time.monotonic() + patience
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.05)


@pytest.mark.slow
def test_a_goal_ends_with_a_pass_and_its_work_in_the_checkout(project):
    project.cast([task("fix")], worker("fix", FIX, SHOW))
    answer = project.go()
    assert answer.status == 0, answer
    assert "PASS  1 of 1 task" in answer.out
    assert project.read("calc.py") == FIXED
    assert project.git("status", "--porcelain") == ""
    assert os.path.isfile(answer.out.split("report   ")[1].split("\n")[0])


@pytest.mark.slow
def test_work_that_is_only_claimed_is_never_taken(project):
    project.cast([task("fix")], worker("fix", {"say": "Fixed. All tests pass."}))
    answer = project.go("--max-iterations", "1")
    assert answer.status == 1, answer
    assert "your files are unchanged" in answer.out
    assert project.read("calc.py") == BROKEN
    assert [one["status"] for one in attempts(project, "fix")] == ["failed"] * 3
    assert json.loads(project.run("stats", "--json").out)["data"]["refusals"] == 3
    with sqlite3.connect(f"{project.home}/ultrawork.db") as database:
        actors = dict(database.execute("SELECT kind, actor FROM events ORDER BY id").fetchall())
    assert (actors["session.created"], actors["attempt.ended"]) == ("person", "engine")


@pytest.mark.slow
def test_a_task_that_is_undone_leaves_nothing_of_it_and_no_worktree(project):
    note = {"write": "note.txt", "text": "a note\n"}
    project.cast(
        [task("fix"), task("note", criteria=["test -f note.txt => exit 0"])],
        worker("fix", FIX, SHOW),
        worker("note", note),
    )
    assert project.go().status == 0
    answer = project.run("undo", "note", patience=PATIENCE)
    assert (answer.status, "removed note from ultrawork/" in answer.out) == (0, True), answer
    assert "main has all results" in project.run("report").out
    assert project.read("calc.py") == FIXED
    assert not os.path.exists(f"{project.place}/note.txt")
    assert len(project.git("worktree", "list").splitlines()) == 1
    with os.scandir(f"{project.home}/worktrees/{project.session}") as left:
        assert [one.name for one in left if one.is_dir()] == []


@pytest.mark.slow
def test_a_run_without_a_pass_ends_with_the_reason_that_why_knows(project):
    project.cast([task("fix")], worker("fix", {"say": "Fixed."}))
    answer = project.go("--max-iterations", "1")
    _, _, reason = project.run("why", "--session", "last").out.partition("because    ")
    assert f"because  {reason.splitlines()[0]}\n" in answer.out
    assert "task     fix: " in answer.out


@pytest.mark.slow
def test_a_script_that_cannot_be_read_is_named_at_the_end(project):
    with open(project.environ["ULTRAWORK_SCRIPT"], "w", encoding="utf-8") as file:
        file.write("[[agent]\n")
    answer = project.go("--mode", "ralph", "--max-iterations", "1")
    assert answer.status == 1, answer
    assert "agents.toml" in answer.out.split("task     work: ")[1].splitlines()[0]


@pytest.mark.slow
def test_how_often_a_task_is_tried_again_is_a_setting(project):
    project.write("ultrawork.toml", "[run]\nmax_retry = 0\nmax_iterations = 1\n")
    project.git("add", "-A")
    project.git("commit", "-qm", "No second try")
    project.cast([task("fix")], worker("fix", {"say": "Fixed."}))
    assert project.go().status == 1
    assert len(attempts(project, "fix")) == 1


@pytest.mark.slow
def test_the_next_worker_is_told_why_and_shown_what_was_left(project):
    wrong = {"write": "calc.py", "text": "def add(a, b):\n    return a * b + 1\n"}
    project.cast([task("fix")], worker("fix", FIX, SHOW, told="AssertionError"), worker("fix", wrong, attempt=1))
    assert project.go().status == 0
    with open(f"{attempts(project, 'fix')[1]['folder']}/prompt.txt", encoding="utf-8") as file:
        assert "+    return a * b + 1" in file.read()


@pytest.mark.slow
def test_a_gutted_test_goes_back_though_everything_is_green(project):
    project.write("test_calc.py", FIXED.replace("def", "import unittest\n\n\ndef", 1) and SHOW["text"])
    project.git("commit", "-qam", "A test that is red")
    gutted = {"write": "test_calc.py", "text": "import unittest\n"}
    project.cast(
        [task("fix", criteria=["make test => exit 0"])],
        worker("fix", gutted, {"say": "All green now."}, attempt=1),
        worker("fix", FIX),
    )
    assert project.go().status == 0
    assert [one["status"] for one in attempts(project, "fix")] == ["failed", "resolved"]
    assert project.read("test_calc.py") == SHOW["text"]


@pytest.mark.slow
def test_a_write_outside_the_worktree_is_undone_and_the_task_goes_back(project):
    outside = {"outside": "notes.txt", "text": "I was here\n"}
    project.cast([task("fix")], worker("fix", outside, FIX, attempt=1), worker("fix", FIX, SHOW))
    answer = project.go()
    assert answer.status == 0, answer
    assert not os.path.exists(f"{project.place}/notes.txt")
    first = attempts(project, "fix")[0]
    assert (first["status"], "notes.txt" in first["reason"]) == ("failed", True)


@pytest.mark.slow
def test_a_provider_that_asks_to_wait_costs_no_attempt(project):
    project.cast([task("fix")], worker("fix", {"limit": 1}, attempt=1), worker("fix", FIX, SHOW))
    answer = project.go()
    assert answer.status == 0, answer
    assert "continuing in" in answer.out
    assert project.run("task", "get", "--id", "fix", "--json").data["retry_count"] == 0


@pytest.mark.slow
def test_what_two_changed_goes_back_with_both_sides(project):
    def adding(name):
        return {"append": "calc.py", "text": f"\n\ndef {name}(a):\n    return {name!r}\n"}

    criteria = ["grep -q 'def {}' calc.py => exit 0"]
    plan = [task(name, criteria=[criteria[0].format(name)]) for name in ("one", "two")]
    meet = {"sleep": 1}
    project.cast(plan, *(worker(name, adding(name), meet) for name in ("one", "two")))
    answer = project.go()
    assert answer.status in (0, 3), answer
    assert "def one" in project.read("calc.py") or "ultrawork/" in answer.out
    reasons = [one["reason"] for one in attempts(project) if one["status"] == "failed"]
    assert len(reasons) == 1
    assert "<<<<<<<" in reasons[0]


@pytest.mark.slow
def test_two_that_plan_to_write_the_same_file_are_named(project):
    plan = [{**task(name), "files": ["calc.py"]} for name in ("one", "two")]
    project.cast(plan, worker("*", FIX, SHOW))
    assert "one and two both write calc.py" in project.go().out


@pytest.mark.slow
def test_nobody_is_there_to_approve_so_the_plan_stands_and_exec_carries_it_out(project):
    project.cast([task("fix")], worker("fix", FIX, SHOW))
    planned = project.run("run", "--backend", "script", GOAL)
    assert planned.status == 0
    assert "ultrawork exec" in planned.out
    assert project.read("calc.py") == BROKEN
    assert project.run("exec", patience=PATIENCE).status == 0
    assert project.read("calc.py") == FIXED


@pytest.mark.slow
def test_plan_changes_nothing_and_can_be_executed_later(project):
    project.cast([task("fix")], worker("fix", FIX, SHOW))
    assert project.run("plan", "--backend", "script", GOAL).status == 0
    assert project.run("session", "get", "--field", "phase").out.strip() == "PLANNING_COMPLETE"
    assert project.run("exec", patience=PATIENCE).status == 0


@pytest.mark.slow
@pytest.mark.parametrize(("typed", "phase"), [("1", "COMPLETE"), ("cancel", "CANCELLED")])
def test_a_person_is_shown_the_plan_and_decides(project, typed, phase):
    project.cast([task("fix")], worker("fix", FIX, SHOW))
    project.remember_python()
    words = ["run", "--backend", "script", GOAL]
    environ = {**project.environ, "TERM": "xterm"}
    from support.floor import PLUGIN

    with Terminal([f"{PLUGIN}/bin/ultrawork", *words], env=environ, cwd=project.place) as seen:
        shown = seen.wait_for("Go on with this plan?", timeout=PATIENCE)
        assert re.search(r"^fix +Do fix +simple +- ", shown, re.MULTILINE)
        seen.submit(typed)
        seen.wait_end(timeout=PATIENCE)
    assert project.run("session", "get", "--field", "phase").out.strip() == phase


@pytest.mark.slow
def test_what_was_typed_before_the_plan_was_shown_approves_nothing(project):
    project.cast([task("fix")], worker("fix", FIX, SHOW))
    project.remember_python()
    words = ["run", "--backend", "script", GOAL]
    environ = {**project.environ, "TERM": "xterm"}
    from support.floor import PLUGIN

    with Terminal([f"{PLUGIN}/bin/ultrawork", *words], env=environ, cwd=project.place) as seen:
        seen.type("1\r")
        seen.wait_for("Go on with this plan?", timeout=PATIENCE)
        seen.settle(quiet=2.0, timeout=10)
        assert "fix begins" not in seen.screen.text()
        seen.submit("cancel")
        seen.wait_end(timeout=PATIENCE)
    assert project.run("session", "get", "--field", "phase").out.strip() == "CANCELLED"


@pytest.mark.slow
def test_a_plan_that_cannot_stand_is_asked_for_three_times(project):
    from support.headless import agent

    project.cast([], agent("planner", {"answer": {"tasks": [task("a", "b"), task("b", "a")]}}))
    answer = project.go()
    assert answer.status == 1
    assert "no valid plan after 3 attempts" in answer.out
    assert "a -> b -> a" in answer.out


@pytest.mark.slow
def test_an_engine_that_is_killed_goes_on_and_runs_nothing_twice(project):
    project.cast(
        [task("fix"), task("note", "fix", criteria=["test -f note.txt => exit 0"])],
        worker("fix", FIX, SHOW),
        worker("note", {"sleep": 3}, {"write": "note.txt", "text": "noted\n"}),
    )
    engine = project.start("run", "--auto", "--backend", "script", GOAL)
    until(lambda: any(one["subject"] == "note" and one["words"] for one in logs_or_nothing(project)))
    engine.kill()
    engine.communicate()
    assert project.run("resume", patience=PATIENCE).status == 0
    assert [(one["subject"], one["epoch"]) for one in attempts(project, "fix", "note")] == [("fix", 1), ("note", 1)]


def waits_for(path):
    """A step that ends when this file is there."""
    return {"run": ["sh", "-c", f"until test -e {path}; do sleep 0.05; done"]}


def interrupt(engine):
    """Ctrl-C once, and heard: two that come too close are one."""
    engine.send_signal(signal.SIGINT)
    while b"Ctrl-C again" not in engine.stdout.readline():
        assert engine.poll() is None


def logs_or_nothing(project):
    """Asked again and again, so in this process."""
    found = project.call("logs", "--json")
    return found.data["attempts"] if found.status == 0 else []


@pytest.mark.slow
def test_interrupted_once_what_runs_is_finished_and_resume_does_the_rest(project, tmp_path):
    project.cast(
        [task("fix"), task("note", "fix", criteria=["test -f note.txt => exit 0"])],
        worker("fix", waits_for(tmp_path / "go"), FIX, SHOW),
        worker("note", {"write": "note.txt", "text": "noted\n"}),
    )
    engine = project.start("run", "--auto", "--backend", "script", GOAL, restore_signals=True)
    until(lambda: any(one["subject"] == "fix" and one["words"] for one in logs_or_nothing(project)))
    interrupt(engine)
    (tmp_path / "go").touch()
    out, _ = engine.communicate(timeout=PATIENCE)
    assert b"ultrawork resume" in out
    done = {one["id"]: one["status"] for one in project.run("task", "list", "--json").data["tasks"]}
    assert (done["fix"], done["note"]) == ("resolved", "pending")
    assert project.run("resume", patience=PATIENCE).status == 0


@pytest.mark.slow
def test_interrupted_twice_it_stops_now_and_resume_takes_the_agent_over(project, tmp_path):
    project.cast([task("fix")], worker("fix", waits_for(tmp_path / "go"), FIX, SHOW))
    engine = project.start("run", "--auto", "--backend", "script", GOAL)
    until(lambda: any(one["subject"] == "fix" and one["words"] for one in logs_or_nothing(project)))
    interrupt(engine)
    engine.send_signal(signal.SIGINT)
    out, _ = engine.communicate(timeout=PATIENCE)
    assert (engine.returncode, b"ultrawork resume" in out) == (130, True)
    assert project.run("task", "get", "--id", "fix", "--field", "status").out == "in_progress\n"
    (tmp_path / "go").touch()
    assert project.run("resume", patience=PATIENCE).status == 0
    assert [one["epoch"] for one in attempts(project, "fix")] == [1]


@pytest.mark.slow
def test_cancel_ends_the_agents_too(project):
    project.cast([task("fix")], worker("fix", {"run": ["sleep", "31.4159"]}))
    engine = project.start("run", "--auto", "--backend", "script", GOAL)
    until(lambda: b"sleep 31.4159" in processes())
    assert "1 agent ended" in project.run("cancel").out
    out, _ = engine.communicate(timeout=PATIENCE)
    assert engine.returncode == 3
    assert b"because  cancelled: ultrawork cancel in a terminal\n" in out
    assert b"sleep 31.4159" not in processes()


@pytest.mark.slow
def test_an_agent_that_hangs_is_ended_and_its_task_tried_again(project):
    project.environ["ULTRAWORK_RUN_AGENT_DEADLINE"] = "6s"
    project.cast([task("fix")], worker("fix", {"hang": True}, attempt=1), worker("fix", FIX, SHOW))
    assert project.go().status == 0
    assert "deadline" in attempts(project, "fix")[0]["reason"]


@pytest.mark.slow
def test_an_agent_in_circles_is_ended_and_its_task_tried_again(project):
    circles = [step for _ in range(60) for step in ({"run": ["true"]}, {"sleep": 0.5})]
    project.cast([task("fix")], worker("fix", *circles, attempt=1), worker("fix", FIX, SHOW))
    assert project.go().status == 0
    assert attempts(project, "fix")[0]["why"] == "looping"


@pytest.mark.slow
def test_a_paused_run_starts_nothing_until_it_is_resumed(project, tmp_path):
    project.cast(
        [task("fix"), task("note", "fix", criteria=["test -f note.txt => exit 0"])],
        worker("fix", waits_for(tmp_path / "go"), FIX, SHOW),
        worker("note", {"write": "note.txt", "text": "noted\n"}),
    )
    engine = project.start("run", "--auto", "--backend", "script", GOAL)
    until(lambda: any(one["subject"] == "fix" for one in logs_or_nothing(project)))
    assert project.run("session", "ask", "pause").status == 0
    (tmp_path / "go").touch()
    until(lambda: project.run("task", "get", "--id", "fix", "--field", "status").out == "resolved\n")
    time.sleep(1)
    assert all(one["subject"] != "note" for one in logs_or_nothing(project))
    assert project.run("session", "ask", "resume").status == 0
    engine.communicate(timeout=PATIENCE)
    assert engine.returncode == 0


@pytest.mark.slow
def test_money_that_is_spent_stops_the_run(project):
    project.cast(
        [task("fix"), task("note", "fix", criteria=["test -f note.txt => exit 0"])],
        worker("fix", {"spend": 1000, "usd": 5}, FIX, SHOW),
        worker("note", {"write": "note.txt", "text": "noted\n"}),
    )
    answer = project.go("--budget-usd", "4")
    assert answer.status == 3, answer
    assert "budget" in answer.out
    assert not os.path.exists(f"{project.place}/note.txt")


@pytest.mark.slow
def test_every_line_is_json_when_asked_for(project):
    project.cast([task("fix")], worker("fix", FIX, SHOW))
    answer = project.go("--json")
    lines = [json.loads(line) for line in answer.out.splitlines()]
    assert {"begun", "started", "merged", "verdict"} <= {line.get("kind") for line in lines}
    assert lines[-1]["data"]["verdict"] == "PASS"


@pytest.mark.slow
def test_a_goal_in_quotes_is_a_run_and_one_word_never(project):
    project.cast([task("fix")], worker("fix", FIX, SHOW))
    assert project.run("fix the sum", "--backend", "script").status == 0
    assert "no verb" in project.run("fix").err


@pytest.mark.parametrize(
    ("words", "status", "told"),
    [
        (["--backend", "skript", GOAL], 2, "did you mean script?"),
        (["--backend", "gemini", GOAL], 4, "npm"),
        (["--backend", "script", "--budget-usd", "much", GOAL], 2, "--budget-usd"),
        (["--backend", "script", "--deadline", "soon", GOAL], 2, "--deadline"),
        (["--backend", "script"], 2, "goal"),
    ],
)
def test_what_cannot_be_done_is_said_before_anything_begins(project, words, status, told):
    project.cast([])
    answer = project.run("run", *words)
    assert (answer.status, told in answer.err) == (status, True), answer
    assert project.run("session", "list", "--json").data["sessions"] == []


@pytest.mark.parametrize(("name", "title"), [("codex", "Codex"), ("gemini", "Gemini CLI"), ("opencode", "opencode")])
def test_a_budget_that_nobody_can_count_is_refused(project, name, title):
    os.makedirs(f"{project.root}/programs")
    with open(f"{project.root}/programs/{name}", "w", encoding="utf-8") as file:
        file.write("#!/bin/sh\necho 1.2.3\n")
    os.chmod(f"{project.root}/programs/{name}", 0o755)
    project.environ["PATH"] = f"{project.root}/programs:{project.environ['PATH']}"
    project.cast([])
    answer = project.run("run", "--backend", name, "--budget-usd", "4", GOAL)
    assert (answer.status, f"{title} does not report costs" in answer.err) == (2, True), answer
    assert project.run("session", "list", "--json").data["sessions"] == []


def test_without_git_it_says_what_to_do(tmp_path):
    import shutil

    project = Headless(str(tmp_path))
    shutil.rmtree(f"{project.place}/.git")
    project.cast([])
    answer = project.go()
    assert answer.status != 0
    assert "git init" in answer.err


@pytest.mark.slow
def test_evidence_never_says_more_than_the_run_did(project):
    from support.headless import agent

    finding = {"verdict": "FAIL", "findings": [{"what": "negative numbers are forgotten"}]}
    project.cast([task("fix")], worker("fix", FIX, SHOW), agent("verifier", {"answer": finding}))
    answer = project.go("--max-iterations", "1")
    assert (answer.status, "negative numbers are forgotten" in answer.out) == (1, True), answer
    shown = project.run("evidence")
    assert (shown.status, shown.out.startswith("FAIL")) == (1, True)
    assert "FAILED" in project.run("why").out
    with open(f"{project.home}/sessions/{project.session}/verdict.json", encoding="utf-8") as file:
        assert json.load(file)["verdict"] == "FAIL"


@pytest.mark.slow
def test_without_verification_nothing_says_pass(project):
    project.cast([task("fix")], worker("fix", FIX, SHOW))
    assert project.go("--skip-verify").status == 3
    assert project.run("evidence").status == 3


@pytest.mark.slow
def test_what_a_run_changed_is_told_when_its_worktrees_are_gone(project):
    project.cast([task("fix")], worker("fix", FIX, SHOW))
    assert project.go().status == 0
    assert "+    return a + b" in project.run("report", "--diff").out
    assert project.run("report", "--html", "page.html").status == 0
    assert "test_sum.py" in project.read("page.html")


@pytest.mark.slow
def test_a_person_says_what_should_be_different_about_the_plan(project):
    from support.floor import PLUGIN
    from support.headless import agent

    project.cast(
        [task("fix")],
        agent("planner", {"answer": {"tasks": [task("fix"), task("more", "fix")]}}, told="two tasks"),
        worker("*", FIX, SHOW),
    )
    project.remember_python()
    words = [f"{PLUGIN}/bin/ultrawork", "run", "--backend", "script", GOAL]
    environ = {**project.environ, "TERM": "xterm"}
    with Terminal(words, env=environ, cwd=project.place) as seen:
        seen.wait_for("Go on with this plan?", timeout=PATIENCE)
        seen.submit("2")
        seen.wait_for("What should be different?", timeout=PATIENCE)
        seen.submit("make it two tasks")
        seen.wait_for("more    Do more", timeout=PATIENCE)
        seen.type("\x03")
        assert seen.wait_end(timeout=PATIENCE) == 0
    assert project.run("session", "get", "--field", "phase").out.strip() == "PLANNING"


@pytest.mark.slow
def test_cancel_does_not_wait_for_a_check_that_never_ends(project):
    project.cast([task("fix", criteria=["sleep 271.8 => exit 0"])], worker("fix", FIX))
    engine = project.start("run", "--auto", "--backend", "script", GOAL)
    until(lambda: b"sleep 271.8" in processes())
    assert project.run("cancel").status == 0
    engine.communicate(timeout=30)
    assert b"sleep 271.8" not in processes()


def processes():
    return subprocess.run(["ps", "ax", "-o", "args"], capture_output=True, check=True).stdout


@pytest.mark.slow
def test_work_that_changed_nothing_is_not_called_a_move_of_branches(project):
    """It is sent back once, to another worker, and then the result stands."""
    project.cast(
        [task("look", criteria=["true => exit 0"])],
        worker("look", {"say": "Looked."}),
        worker("mend-2", {"say": "Looked again."}),
    )
    answer = project.go()
    assert answer.status == 3, answer
    assert "branches" not in answer.out + project.run("evidence").out


@pytest.mark.slow
def test_watched_by_a_program_a_run_is_told_line_by_line_until_it_ends(project, tmp_path):
    project.cast([task("fix")], worker("fix", waits_for(tmp_path / "go"), FIX, SHOW))
    engine = project.start("run", "--auto", "--backend", "script", GOAL)
    until(lambda: any(one["subject"] == "fix" for one in logs_or_nothing(project)))
    watching = project.start("watch")
    first = [watching.stdout.readline().decode() for _ in range(2)]
    (tmp_path / "go").touch()
    engine.communicate(timeout=PATIENCE)
    rest = watching.communicate(timeout=PATIENCE)[0].decode()
    assert ("EXECUTION" in first[0], "→ fix" in first[1]) == (True, True), first
    assert "complete" in rest
    assert rest.endswith("  ✓ fix  Do fix\n")


@pytest.mark.slow
def test_a_run_that_nobody_drives_is_shown_once(project):
    project.cast([task("fix")], worker("fix", FIX, SHOW))
    assert project.run("run", "--plan-only", "--backend", "script", GOAL, patience=PATIENCE).status == 0
    assert "fix" in project.run("watch").out


@pytest.mark.slow
def test_a_bare_resume_means_a_run_and_asks_when_there_are_several(program):
    store = Store(Home(program.home), actor="person", clock=time.time)
    for name, state in (("one", {"run": {"backend": "script"}}), ("later", {})):
        begun = Session(id=name, goal=name, working_dir=program.place, started_at=store.now())
        begun.state.run = state.get("run", {})
        with store.change(name) as change:
            sessions.create(change, begun)
    assert "another process runs" not in program.run("resume").err
    assert sessions.get(store.database, "one").state.run["until"] == 0.0, "it was the run that went on"
    other = Session(id="two", goal="two", working_dir=program.place, started_at=store.now())
    other.state.run = {"backend": "script"}
    with store.change("two") as change:
        sessions.create(change, other)
    store.database.close()
    answer = program.run("resume")
    assert (answer.status, "2 runs can be resumed" in answer.err) == (5, True), answer
