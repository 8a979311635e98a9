"""`ultrawork run --mode …`: every mode without a client; more money, and conversations that go on."""

import json
from pathlib import Path

import pytest

from support.floor import PLUGIN
from support.headless import FIX, GOAL, PATIENCE, SHOW, Headless, agent, task, worker
from support.terminal import Terminal

OTHER = {"write": "calc.py", "text": "def add(a, b):\n    return a * b + 1\n"}
WRONG = {"write": "calc.py", "text": "def add(a, b):\n    return 0\n"}


@pytest.fixture
def project(tmp_path):
    return Headless(str(tmp_path))


def attempts(project, name):
    return project.run("logs", name, "--json").data["attempts"]


def state(project, mode):
    (path,) = Path(project.place, ".omc/state/sessions").glob(f"*/{mode}-state.json")
    return json.loads(path.read_text())


def with_red_test(project):
    project.write("test_calc.py", SHOW["text"])
    project.git("commit", "-qam", "A test that is red")


@pytest.mark.slow
def test_ralph_works_in_rounds_until_it_is_verified(project):
    with_red_test(project)
    project.cast([], worker("work", WRONG), worker("mend-2", FIX, {"say": "DONE"}, attempt=2), worker("mend-2", OTHER))
    answer = project.go("--mode", "ralph")
    assert answer.status == 0, answer
    assert [one["status"] for one in attempts(project, "work")] == ["resolved"]
    assert [one["status"] for one in attempts(project, "mend-2")] == ["failed", "resolved"]
    assert (state(project, "ralph")["phase"], state(project, "ralph")["iteration"]) == ("complete", 2)


@pytest.mark.slow
def test_ralph_ends_by_itself_when_its_rounds_are_used_up(project):
    with_red_test(project)
    project.cast(
        [],
        worker("work", WRONG, {"say": "All tests pass.\nDONE"}),
        worker("mend-2", OTHER, {"say": "All tests pass.\nDONE"}),
    )
    answer = project.go("--mode", "ralph", "--max-iterations", "2")
    assert answer.status != 0, answer
    assert "test_sum" in answer.out
    assert state(project, "ralph")["active"] is False


@pytest.mark.parametrize(
    ("mode", "flag", "number", "most"),
    [
        ("ralph", "--max-iterations", "101", "1 to 100"),
        ("ultraqa", "--max-iterations", "6", "1 to 5"),
        ("team", "--max-workers", "6", "0 to 5"),
    ],
)
def test_more_than_a_mode_has_is_refused_and_not_cut(project, mode, flag, number, most):
    answer = project.go("--mode", mode, flag, number)
    assert answer.status == 2, answer
    assert f"{flag} is {number}; {mode} takes {most}" in answer.err
    assert project.run("session", "get").status == 4


@pytest.mark.slow
def test_a_person_gives_ralph_more_rounds_than_it_takes_by_itself(project):
    project.cast([], worker("work", FIX, SHOW, {"say": "DONE"}))
    project.go("--mode", "ralph", "--max-iterations", "14")
    assert state(project, "ralph")["max_iterations"] == 14


def prd(*passing):
    stories = [
        {"id": name, "title": f"Say {name}", "acceptanceCriteria": [f"it says {name}"], "passes": name in passing}
        for name in ("a", "b")
    ]
    return json.dumps({"userStories": stories})


def with_stories(project, *passing):
    project.write("prd.json", prd(*passing))
    project.git("add", "-A")
    project.git("commit", "-qm", "Stories")


def marks(*passing):
    return {"write": "prd.json", "text": prd(*passing)}


@pytest.mark.slow
def test_ralph_goes_on_with_the_next_story_after_a_green_verdict(project):
    with_stories(project)
    project.cast(
        [],
        worker("work", FIX, SHOW, marks("a"), {"say": "a is done\nLEARNED: b needs a\nDONE"}, told="it says a"),
        worker("mend-2", {"write": "b.txt", "text": "b\n"}, marks("a", "b"), {"say": "DONE"}, told="it says b"),
    )
    answer = project.go("--mode", "ralph")
    assert answer.status == 0, answer
    assert json.loads(project.read("prd.json")) == json.loads(prd("a", "b"))
    log = project.read(".omc/progress.txt")
    assert log.index('said: "a is done"') < log.index("sent back: 1 of 2 stories is open")
    assert "- b needs a" in log
    assert log.index("] - a") < log.index("] - b") < log.index("- PASS: ")
    assert "- b.txt" in log[log.index("] - b") :]


@pytest.mark.slow
def test_open_stories_are_no_pass_when_the_rounds_are_used_up(project):
    with_stories(project)
    project.cast([], worker("work", FIX, SHOW, {"say": "DONE"}), worker("mend-*", {"say": "DONE"}))
    answer = project.go("--mode", "ralph", "--max-iterations", "2")
    assert answer.status == 1, answer
    assert "2 of 2 stories are open" in answer.out
    assert state(project, "ralph")["phase"] == "failed"
    assert "FAIL: 2 of 2 stories are open" in project.read(".omc/progress.txt")


@pytest.mark.slow
def test_stories_that_are_only_marked_are_no_pass(project):
    with_stories(project)
    project.cast([], worker("work", marks("a", "b"), {"say": "DONE"}))
    answer = project.go("--mode", "ralph", "--max-iterations", "1")
    assert answer.status == 1, answer
    assert "only prd.json has changed" in answer.out


@pytest.mark.slow
def test_a_story_that_is_taken_out_is_open(project):
    with_stories(project)
    project.cast([], worker("work", FIX, SHOW, {"delete": "prd.json"}, {"say": "DONE"}))
    answer = project.go("--mode", "ralph", "--max-iterations", "1")
    assert answer.status == 1, answer
    assert "a, b were removed from prd.json" in answer.out


def test_malformed_stories_refuse_ralph_before_anything_begins(project):
    project.write("prd.json", "{bad")
    project.cast([])
    answer = project.go("--mode", "ralph")
    assert answer.status == 2, answer
    assert "prd.json is not JSON; fix it or remove it" in answer.err
    assert project.run("session", "get").status == 4


def test_stories_that_workers_would_not_see_refuse_ralph(project):
    project.write(".gitignore", "prd.json\n")
    project.write("prd.json", prd())
    project.cast([])
    answer = project.go("--mode", "ralph")
    assert answer.status == 2, answer
    assert "git add -f prd.json" in answer.err


@pytest.mark.slow
def test_ultraqa_makes_its_check_green(project):
    with_red_test(project)
    project.cast([], worker("work", FIX, {"say": "DONE"}, attempt=2), worker("work", WRONG))
    answer = project.go("--mode", "ultraqa")
    assert answer.status == 0, answer
    assert state(project, "ultraqa")["cycle"] == 2


@pytest.mark.slow
def test_the_same_failure_three_times_ends_ultraqa(project):
    with_red_test(project)
    project.cast([], worker("work", {"say": "DONE"}))
    answer = project.go("--mode", "ultraqa")
    assert answer.status == 1, answer
    assert len(attempts(project, "work")) == 3


@pytest.mark.slow
def test_other_failures_each_time_leave_ultraqa_its_five_cycles(project):
    with_red_test(project)
    wrong = [{"write": "calc.py", "text": f"def add(a, b):\n    return 'x{n}'\n"} for n in range(6)]
    project.cast([], *(worker("work", one, attempt=n) for n, one in enumerate(wrong, 1)))
    assert project.go("--mode", "ultraqa").status == 1
    assert len(attempts(project, "work")) == 5
    assert state(project, "ultraqa")["phase"] == "failed"


@pytest.mark.slow
def test_ultraqa_without_a_check_of_the_kind_says_so_and_begins_nothing(project):
    project.cast([])
    answer = project.run("run", "--auto", "--backend", "script", "--mode", "ultraqa", "--", "--lint fix it")
    assert answer.status == 2, answer
    assert "I found no lint check" in answer.err
    assert project.run("session", "get").status == 4


@pytest.mark.slow
def test_swarm_is_the_plan_with_several_workers(project):
    project.cast([task("fix")], worker("fix", FIX, SHOW))
    answer = project.go("--mode", "swarm")
    assert answer.status == 0, answer
    assert project.run("session", "get", "--json").data["options"]["max_workers"] == 3


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["team", "autopilot", "ultrapilot"])
def test_planned_modes_run_without_a_client(project, mode):
    """Their drafts and judges are agents of the engine too."""
    project.cast(
        [{**task("fix"), "files": ["calc.py", "test_sum.py"]}],
        agent("planner", {"say": "1. The sum is right."}, subject="spec"),
        agent("planner", {"answer": {"criteria": ["make test => exit 0"]}}, subject="prd"),
        worker("fix", FIX, SHOW),
        worker("*", {"say": "Nothing is left to do.\nDONE"}),
    )
    answer = project.go("--mode", mode)
    assert answer.status == 0, answer
    assert state(project, mode)["phase"] == "complete"


def test_a_mode_that_never_asks_has_to_be_wished_for_as_such(project):
    project.cast([task("fix")])
    answer = project.run("run", "--backend", "script", "--mode", "team", GOAL)
    assert answer.status == 2
    assert "add --auto" in answer.err


def test_an_unknown_mode_is_refused(project):
    answer = project.run("run", "--auto", "--mode", "hope", GOAL)
    assert answer.status == 2
    assert "pipeline" in answer.err


@pytest.mark.slow
@pytest.mark.parametrize(("typed", "phase"), [("1", "COMPLETE"), ("2", "EXECUTION")])
def test_over_the_budget_a_person_who_is_there_is_asked(project, typed, phase):
    project.cast(
        [task("fix"), task("note", "fix", criteria=["test -f note.txt => exit 0"])],
        worker("fix", {"spend": 1000, "usd": 3.97}, FIX, SHOW),
        worker("note", {"write": "note.txt", "text": "noted\n"}),
    )
    project.remember_python()
    program = f"{PLUGIN}/bin/ultrawork"
    words = [program, "run", "--auto", "--backend", "script", "--budget-usd", "4", GOAL]
    environ = {**project.environ, "TERM": "xterm"}
    with Terminal(words, env=environ, cwd=project.place) as seen:
        seen.wait_for("Spend $4 more", timeout=PATIENCE)
        seen.submit(typed)
        seen.wait_end(timeout=PATIENCE)
    assert project.run("session", "get", "--field", "phase").out.strip() == phase


@pytest.mark.slow
def test_a_planner_that_is_sent_back_goes_on_with_its_conversation_once(project):
    bad = {"answer": {"tasks": [task("a", "b"), task("b", "a")]}}
    project.cast([], agent("planner", bad))
    project.go()
    assert conversations(project, "plan") == ["script-plan-1", "script-plan-1", "script-plan-3"]


@pytest.mark.slow
def test_a_worker_begins_anew_because_its_files_are_others(project):
    project.cast([task("fix")], worker("fix", FIX, SHOW, attempt=2), worker("fix", WRONG))
    assert project.go().status == 0
    assert conversations(project, "fix") == ["script-fix-1", "script-fix-2"]


def conversations(project, name):
    """The session that each attempt told of first."""
    found = []
    for one in attempts(project, name):
        with open(f"{one['folder']}/out.jsonl", encoding="utf-8") as file:
            found.append(json.loads(file.readline())["session"])
    return found
