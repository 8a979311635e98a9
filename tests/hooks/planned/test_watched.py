"""Workers of a team that say nothing; the clock is in what is stored, nobody waits for it."""

import json
import os
import sqlite3
from contextlib import closing

import pytest

from support.play import GOAL, context, denied, entry, fenced
from support.scene import SESSION

CRITERIA = fenced({"criteria": ["make test => exit 0"]})


@pytest.fixture
def team(play):
    play.begin(f"--max-workers 2 {GOAL}", skill="ultrawork:team")
    play.planned([entry("a"), entry("b")])
    play.end(play.agent("planner", "prd"), CRITERIA)
    return play


def silent(play, seconds):
    """All agents were started this much earlier."""
    with closing(sqlite3.connect(f"{play.home}/ultrawork.db")) as database, database:
        database.execute("UPDATE agents SET asked_at=asked_at-?1, started_at=started_at-?1", (seconds,))


def notified(play):
    return context(play.event("UserPromptSubmit", prompt="<task-notification>x</task-notification>"))


def seats(play):
    return play.session()["modes"]["team"]["facts"]["seats"]


def test_after_five_minutes_whoever_conducts_is_asked_to_look_once(team):
    team.agent("worker", "a")
    team.agent("worker", "b")
    silent(team, 301)
    told = notified(team)
    assert "the worker of task a has been silent for 5 min" in told
    assert "task b" in told
    assert notified(team) == ""
    assert team.tasks()["a"]["status"] == "in_progress"


@pytest.mark.slow
def test_after_ten_minutes_the_task_goes_to_another_worker(team):
    first = team.agent("worker", "a")
    silent(team, 601)
    told = notified(team)
    assert "task a goes to another worker" in told
    assert "TASK_ID: a" in told
    assert seats(team)["worker-1"] == {"call": "", "failures": 1}
    second = team.agent("worker", "a")
    assert "another worker has task a now" in denied(team.edit_as(first, "a.txt"))
    assert denied(team.edit_as(second, "a.txt")) == ""
    team.write("a.txt", "right\n")
    team.end(first, "Done.")
    assert team.tasks()["a"]["status"] == "in_progress"
    team.end(second, "Done.")
    assert team.tasks()["a"]["status"] == "resolved"


def test_a_worker_whose_transcript_grows_is_alive(team):
    team.transcript = f"{team.root}/conversation.jsonl"
    os.makedirs(f"{team.root}/conversation/subagents")
    agent = team.agent("worker", "a")
    path = f"{team.root}/conversation/subagents/agent-{agent}.jsonl"
    with open(path, "w", encoding="utf-8") as file:
        file.write(json.dumps({"type": "assistant", "content": "at it"}) + "\n")
    silent(team, 601)
    assert "silent for" not in notified(team)
    past = os.stat(path).st_mtime - 400
    os.utime(path, (past, past))
    assert "has been silent for 6 min" in notified(team)


def test_a_worker_that_waits_for_its_own_command_has_longer(team):
    team.transcript = f"{team.root}/conversation.jsonl"
    os.makedirs(f"{team.root}/conversation/subagents")
    agent = team.agent("worker", "a")
    path = f"{team.root}/conversation/subagents/agent-{agent}.jsonl"
    with open(path, "w", encoding="utf-8") as file:
        file.write(json.dumps({"message": {"content": [{"type": "tool_use"}]}}).replace(" ", "") + "\n")
    silent(team, 2000)
    past = os.stat(path).st_mtime - 601
    os.utime(path, (past, past))
    assert "silent for" not in notified(team)


@pytest.mark.slow
def test_a_team_whose_workers_all_failed_twice_has_failed(team):
    for _ in range(4):
        name = team.due()[0]["description"].removeprefix("task ")
        team.agent("worker", name)
        silent(team, 601)
        notified(team)
    assert {seat["failures"] for seat in seats(team).values()} == {2}
    assert team.session()["phase"] == "FAILED"
    assert team.session()["modes"]["team"]["phase"] == "failed"


def test_whoever_sleeps_is_woken(team):
    team.agent("worker", "a")
    silent(team, 400)
    told = team.event("Wake", background_tasks=[])
    assert "the worker of task a has been silent" in told["wake"]


@pytest.mark.slow
def test_nobody_is_woken_where_nobody_is_at_work(team):
    agent = team.agent("worker", "a")
    team.write("a.txt", "right\n")
    team.end(agent, "Done.")
    assert team.event("Wake", background_tasks=[]) == {}


def test_a_plain_session_has_no_watchdog(executing):
    executing.agent("worker", "a")
    silent(executing, 5000)
    assert notified(executing) == ""
    assert not os.path.exists(f"{executing.home}/background/{SESSION}")
