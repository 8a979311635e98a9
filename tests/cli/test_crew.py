"""A run with a crew of several programs: each does its part, and one that is out of quota is replaced aloud."""

import pytest

from support.headless import FIX, SHOW, Headless, task, worker
from support.helper_program import HelperPrograms

NOTE = {"write": "note.txt", "text": "by the script\n"}
PLAN = [task("fix"), task("note", criteria=["test -f note.txt => exit 0"])]


class CrewProject(Headless):
    __slots__ = ("programs",)


@pytest.fixture
def crew(tmp_path):
    made = CrewProject(str(tmp_path))
    made.programs = HelperPrograms(f"{tmp_path}/bin", "codex")
    made.environ["PATH"] = f"{tmp_path}/bin:{made.environ['PATH']}"
    made.cast(PLAN, worker("fix", {"sleep": 1}, FIX, SHOW), worker("note", NOTE))
    return made


@pytest.mark.slow
def test_two_programs_of_a_team_work_side_by_side_and_their_costs_are_told_apart(crew):
    crew.environ["HELPER_ORDERS"] = "write note.txt; say done"
    answer = crew.go("--mode", "team", "--workers", "script:1,codex:1")
    assert answer.status == 0, answer
    assert "PASS  2 of 2 tasks" in answer.out
    assert crew.read("note.txt") == "written by the helper\n", answer.out
    codex = "codex 1 agent, 7 tokens, cost unknown"
    assert codex in answer.out
    with open(answer.out.split("report   ")[1].strip(), encoding="utf-8") as file:
        assert f"<li>{codex}</li>" in file.read()
    assert codex in crew.run("report").out
    assert [one["model"] for one in crew.programs.starts] == [""]


@pytest.mark.slow
def test_one_that_is_out_of_quota_is_replaced_aloud_and_each_task_done_once(crew):
    crew.environ["HELPER_ORDERS"] = "fail Rate limit exceeded. Please try again in 10m0s"
    answer = crew.go("--workers", "script:1,codex:1")
    assert answer.status == 0, answer
    assert "PASS  2 of 2 tasks" in answer.out
    assert crew.read("note.txt") == "by the script\n"
    assert "codex is rate limited until" in answer.out + answer.err
    assert len(crew.programs.starts) == 1
    assert "until" in crew.run("providers").out


def test_a_crew_with_a_program_that_is_not_there_begins_nothing(crew):
    answer = crew.go("--workers", "script:1,gemini:1")
    assert answer.status != 0
    assert "Gemini CLI is not installed: npm install" in answer.out + answer.err


@pytest.mark.release
def test_three_programs_finish_twenty_tasks_though_one_dies_and_one_is_out_of_quota(crew):
    HelperPrograms(crew.programs.folder, "gemini")
    names = [f"t{n}" for n in range(19)]
    plan = [task("fix"), *(task(one, criteria=[f"test -f {one}.txt => exit 0"]) for one in names)]
    workers = [worker(one, {"write": f"{one}.txt", "text": "by script\n"}) for one in names]
    crew.cast(plan, worker("fix", FIX, SHOW), *workers)
    crew.environ["HELPER_ORDERS_GEMINI"] = r"die once; task Do (t\d+); say done"
    crew.environ["HELPER_ORDERS_CODEX"] = "fail Rate limit exceeded. Please try again in 30m0s"
    answer = crew.go("--workers", "script:2,codex:1,gemini:1")
    assert answer.status == 0, answer
    assert "PASS  20 of 20 tasks" in answer.out
    assert "codex is rate limited until" in answer.out
    made = {crew.read(f"{one}.txt") for one in names}
    assert made == {"by script\n", "by gemini\n"}
    merged = [line for line in answer.out.splitlines() if ": merged (" in line]
    assert len(merged) == 20
