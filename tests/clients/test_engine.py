"""`ultrawork run` with real agent programs as its agents, and a scripted model behind them."""

import os
import re
import shlex

import pytest

from support.effort import rows_of
from support.headless import GOAL, Headless, task
from support.troupe import CLIENTS, PATIENCE, Troupe

pytestmark = pytest.mark.client


@pytest.fixture(params=CLIENTS)
def troupe(request, tmp_path, seat_at):
    return Troupe(request.param, Headless(str(tmp_path / "run")), seat_at)


def is_there(name):
    return [f"test -f {name}.txt => exit 0"]


def writes(troupe, name):
    return [troupe.does(f"echo {name} > {name}.txt"), {"text": f"{name} is there.\nDONE"}]


def test_a_diamond_of_four_ends_with_a_pass(troupe):
    needs = {"top": [], "left": ["top"], "right": ["top"], "end": ["left", "right"]}
    plan = [task(name, *after, criteria=is_there(name)) for name, after in needs.items()]
    troupe.cast(plan, [(f"TASK_ID: {name}\\b", writes(troupe, name)) for name in needs])
    answer = troupe.run()
    assert answer.status == 0, answer
    assert "4 of 4 tasks" in answer.out
    assert all(os.path.isfile(f"{troupe.project.place}/{name}.txt") for name in needs)
    assert troupe.attempts("top")[0]["tokens"] > 0


def test_one_that_claims_one_that_trespasses_and_one_that_crashes_are_handled(troupe):
    outside = shlex.quote(f"{troupe.project.place}/outside.txt")
    plan = [task(name, criteria=is_there(name)) for name in ("lie", "stray", "crash")]
    again = "The last attempt failed"
    troupe.cast(
        plan,
        [
            *((f"(?s)TASK_ID: {one}\\b.*{again}", writes(troupe, one)) for one in ("lie", "stray")),
            (f"(?s)TASK_ID: crash\\b.*{again}", writes(troupe, "crash")),
            ("TASK_ID: lie", [{"text": "Everything is done and all tests pass.\nDONE"}]),
            ("TASK_ID: stray", [troupe.does(f"echo x > {outside}"), *writes(troupe, "stray")]),
            ("TASK_ID: crash", [{"error": {"status": 400, "message": "bad request"}}]),
        ],
    )
    answer = troupe.run()
    assert answer.status == 0, answer
    # Nothing proves who wrote through a shell: it is told with what takes it back, once, and left alone.
    assert answer.out.count("outside.txt in your checkout. To undo that: rm -- outside.txt") == 1
    assert answer.out.count("left alone: outside.txt") <= 1
    assert troupe.project.read("outside.txt") == "x\n"
    for name in ("lie", "crash"):
        assert [one["status"] for one in troupe.attempts(name)] == ["failed", "resolved"]
    page = answer.out.split("report   ")[1].strip()
    with open(page, encoding="utf-8") as file:
        shown = file.read()
    assert all(f"{name}.1</td>" in shown for name in ("lie", "stray", "crash"))
    assert "test -f lie.txt" in shown
    assert "bad request" in shown


# To wait for Codex takes a minute.
@pytest.mark.parametrize("troupe", rows_of(CLIENTS, in_ci=["claude"]), indirect=True)
def test_a_provider_that_asks_to_wait_costs_no_attempt(troupe):
    too_fast = {"error": {"status": 429, "retry_after": 2, "message": "rate limit: too fast"}}
    # Codex does not say how long; a minute is waited each time.
    times = 1 if troupe.name == "codex" else 3
    limited = {"match": {"first": "TASK_ID: a\\b"}, "reply": too_fast, "times": times}
    parts = [("TASK_ID: a", writes(troupe, "a"))]
    troupe.cast([task("a", criteria=is_there("a"))], parts, first=[limited])
    answer = troupe.run()
    assert answer.status == 0, answer
    assert troupe.project.run("task", "get", "--id", "a", "--json").data["retry_count"] == 0


@pytest.mark.parametrize("troupe", rows_of(CLIENTS, in_ci=["claude"]), indirect=True)
def test_one_that_guts_a_test_and_one_that_hangs_are_sent_back(troupe):
    troupe.project.environ["ULTRAWORK_RUN_AGENT_DEADLINE"] = "15s"  # an agent here takes one or two
    red = (
        "import os, unittest\nclass T(unittest.TestCase):\n    def test_a(self): self.assertIn('a.py', os.listdir())\n"
    )
    troupe.project.write("test_a.py", red)
    troupe.project.git("add", "-A")
    troupe.project.git("commit", "-qm", "A test that is red")
    again = "(?s)TASK_ID: {}\\b.*The last attempt failed"
    troupe.cast(
        [task("a", criteria=["make test => exit 0"]), task("b", "a", criteria=is_there("b"))],
        [
            (again.format("a"), [troupe.does("echo > a.py"), {"text": "a is there.\nDONE"}]),
            (again.format("b"), writes(troupe, "b")),
            ("TASK_ID: a", [troupe.does("echo > test_a.py"), {"text": "All tests pass.\nDONE"}]),
            ("TASK_ID: b", [{"text": "DONE", "delay": 40}]),
        ],
    )
    answer = troupe.run()
    assert answer.status == 0, answer
    assert [one["status"] for one in troupe.attempts("a")] == ["failed", "resolved"]
    assert "deadline" in troupe.attempts("b")[0]["reason"]
    assert troupe.project.read("test_a.py") == red


def pipe(troupe, drawn, *words):
    given = ["run", "--auto", "--backend", troupe.name, "--mode", "pipeline", *words]
    return troupe.project.run(*given, f'{drawn} "write a.txt"', patience=PATIENCE)


@pytest.mark.parametrize("troupe", rows_of(CLIENTS, in_ci=["claude"]), indirect=True)
def test_a_pipeline_hands_on_what_its_stages_found_and_ends_in_a_pass(troupe):
    """The executor writes only if the reports of both stages before it are in its prompt."""
    knows = r"(?s)TASK_ID: s3-executor.*a.txt is missing.*one line will do.*nothing to add"
    troupe.cast(
        [],
        [
            (knows, writes(troupe, "a")),
            ("TASK_ID: s3", [{"text": "I know nothing.\nDONE"}]),
            ("TASK_ID: s1-explore", [{"text": "a.txt is missing.\nDONE"}]),
            ("TASK_ID: s2-architect", [{"text": "one line will do.\nDONE"}]),
            ("TASK_ID: s2-critic", [{"text": "nothing to add.\nDONE"}]),
        ],
    )
    answer = pipe(troupe, "explore -> [architect, critic] -> executor")
    assert answer.status == 0, answer
    assert troupe.project.read("a.txt") == "a\n"


@pytest.mark.parametrize("troupe", rows_of(CLIENTS, in_ci=["claude"]), indirect=True)
def test_a_stage_that_claims_what_it_has_not_done_gets_no_pass(troupe):
    troupe.cast([], [("TASK_ID: s1-executor", [{"text": "a.txt is there, all tests pass.\nDONE"}])])
    answer = pipe(troupe, "executor")
    assert answer.status == 3, answer


@pytest.mark.parametrize("troupe", rows_of(CLIENTS, in_ci=["claude"]), indirect=True)
def test_a_stage_that_only_reads_cannot_change_anything(troupe):
    """Its program holds it to reading; what it says is the answer of the pipeline."""
    tries = [troupe.does("echo a > a.txt"), {"text": "a.txt should be written."}]
    troupe.cast([], [("TASK_ID: s1-explore", tries)])
    answer = pipe(troupe, "explore")
    assert answer.status == 0, answer
    assert "a.txt should be written." in answer.out
    assert not os.path.exists(f"{troupe.project.place}/a.txt")


@pytest.mark.parametrize("troupe", rows_of(CLIENTS, in_ci=["claude"]), indirect=True)
def test_a_planner_that_is_sent_back_goes_on_in_its_own_conversation(troupe):
    """The second plan comes from whoever made the first: its program takes the conversation up again."""
    circle = {"tasks": [task("a", "b"), task("b", "a")]}
    plan = {"tasks": [task("a", criteria=is_there("a"))]}
    replies = [troupe.answers(circle), troupe.answers(plan)]
    if troupe.name == "claude":
        replies = [replies[0], {"text": "planned"}, replies[1], {"text": "planned again"}]
    troupe.cast([], [("require_success_criteria", replies), ("TASK_ID: a", writes(troupe, "a"))])
    answer = troupe.run()
    assert answer.status == 0, answer
    tries = [one["status"] for one in troupe.attempts("plan")]
    assert tries == ["failed", "resolved"]


@pytest.mark.release
@pytest.mark.parametrize("is_limited", [False, True])
def test_a_team_of_two_programs_ends_with_a_pass_and_says_who_stood_in(tmp_path, seat_at, is_limited):
    project, names = Headless(str(tmp_path / "run")), ["one", "two", "three", "four"]
    plan = [task(name, criteria=is_there(name)) for name in names]
    for program in CLIENTS:
        troupe = Troupe(program, project, seat_at)
        limit = {"error": {"status": 429, "message": "rate limit: try again in 20m0s"}}
        first = [{"reply": limit}] if program == "codex" and is_limited else []
        parts = [(f"TASK_ID: {name}\\b", writes(troupe, name)) for name in names]
        troupe.cast(plan, parts, first)
    words = ["run", "--auto", "--mode", "team", "--workers", "claude:2,codex:1", GOAL]
    answer = project.run(*words, patience=PATIENCE)
    assert answer.status == 0, answer
    assert "4 of 4 tasks" in answer.out
    assert ("codex is rate limited until" in answer.out) is is_limited
    assert re.search(r"crew +claude \d+ agents?, [\d,]+ tokens, \$[\d.]+; codex \d", answer.out)
