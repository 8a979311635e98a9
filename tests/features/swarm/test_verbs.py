"""`ultrawork swarm …` as people and scripts type it."""

import json
import os
import sqlite3

import pytest


@pytest.fixture
def swarm(program):
    program.done("swarm", "start", "write", "the", "files")
    return program


def test_without_a_swarm_every_verb_says_how_to_begin_one(program):
    for words in (["status"], ["claim"], ["add", "x"], ["beat"], ["stop"], ["clear"]):
        told = program.call("swarm", *words)
        assert (told.status, told.err) == (4, "ultrawork: there is no swarm here; start one: ultrawork swarm start\n")


def test_a_task_goes_from_adding_to_done_by_its_check(swarm):
    swarm.done("swarm", "add", "make", "a", "--check", "test -e a", "--files", "a")
    task = swarm.done("swarm", "claim", "--owner", "w", "--json").data["task"]
    assert (task["id"], task["token"], task["files"]) == ("1", 1, ["a"])
    red = swarm.call("swarm", "done", "1", "--token", "1")
    assert red.status == 1
    assert red.out.startswith("Task 1 is not done: red (#1): test -e a: exit 1.")
    swarm.done("swarm", "claim", "--owner", "w")
    with open(f"{swarm.place}/a", "w"):
        pass
    assert swarm.done("swarm", "done", "1", "--token", "2").out == "Task 1 is done (#2 green).\n"


def test_the_time_of_a_check_is_given_to_its_own_task_alone(swarm):
    """The check itself looks: its lease is longer than itself, the owner's other one is as it was."""
    swarm.done("swarm", "add", "one", "--check", "cp .omc/state/swarm-state.db* seen")
    swarm.done("swarm", "add", "two")
    os.mkdir(f"{swarm.place}/seen")
    own, beside = (swarm.done("swarm", "claim", "--owner", "w", "--json").data["task"] for _ in range(2))
    swarm.done("swarm", "done", "1", "--token", "1")
    seen = sqlite3.connect(f"{swarm.place}/seen/swarm-state.db")
    leases = dict(seen.execute("SELECT id, expires_at FROM tasks"))
    seen.close()
    assert leases["1"] >= own["expires_at"] + 3600
    assert leases["2"] == beside["expires_at"]


def test_nothing_ready_is_exit_4(swarm):
    told = swarm.call("swarm", "claim", "--owner", "w")
    assert (told.status, told.out) == (4, "no task is ready: 0 open, 0 in progress\n")


def test_an_old_lease_is_a_conflict(swarm):
    swarm.done("swarm", "add", "x")
    child = os.posix_spawn("/bin/sh", ["sh", "-c", "exit"], {})
    swarm.done("swarm", "claim", "--pid", str(child))
    os.waitpid(child, 0)
    swarm.done("swarm", "claim")
    told = swarm.call("swarm", "done", "1", "--token", "1")
    assert told.status == 5
    assert "lease 1 of task 1 has expired: it was claimed again (lease 2)" in told.err


def test_a_lease_that_never_was_is_told_as_such(swarm):
    swarm.done("swarm", "add", "x")
    told = swarm.call("swarm", "done", "1", "--token", "9")
    assert told.status == 5
    assert "there was no lease 9 of task 1: no one has claimed it yet; claim one first" in told.err
    swarm.done("swarm", "claim")
    for words in (["done"], ["fail", "--reason", "no"]):
        told = swarm.call("swarm", words[0], "1", "--token", "9", *words[1:])
        assert told.status == 5
        assert "there was no lease 9 of task 1: the newest is 1; claim one first" in told.err


def test_a_lease_that_is_over_at_once_is_refused_and_costs_no_try(swarm):
    swarm.done("swarm", "add", "x")
    for command in ("claim", "beat"):
        told = swarm.call("swarm", command, "--lease", "0s")
        assert told.status == 2
        assert 'a lease of "0s" is too short; give 1s or more' in told.err
    task = swarm.done("swarm", "claim", "--lease", "1h", "--json").data["task"]
    assert (task["token"], task["tries"]) == (1, 0)


def test_a_goal_that_takes_the_place_of_another_is_told(swarm):
    swarm.done("swarm", "add", "x")
    assert "goal was" not in swarm.done("swarm", "start").out
    assert "goal was" not in swarm.done("swarm", "start", "write the files").out
    told = swarm.done("swarm", "start", "something else").out.splitlines()
    assert told[0].startswith("swarm on: 1 task; add some")
    assert told[1] == "its goal was: write the files"
    assert swarm.done("swarm", "status", "--json").data["goal"] == "something else"


def test_one_task_is_a_screen_for_people(swarm):
    swarm.done("swarm", "add", "port it", "--check", "true", "--files", "a,b", "--priority", "2")
    swarm.done("swarm", "claim", "--owner", "w")
    swarm.done("swarm", "fail", "1", "--token", "1", "--reason", "no fixture")
    swarm.done("swarm", "claim", "--owner", "w")
    lines = swarm.done("swarm", "status", "1").out.splitlines()
    assert lines[0] == "task     1  port it"
    assert lines[1].startswith("state    in progress: w for ")
    assert "lease 2 expires in 1" in lines[1]
    assert lines[2:] == [
        "failed   1 of 5 tries, the last time: no fixture",
        "check    true",
        "files    a, b",
        "priority 2",
    ]
    swarm.done("swarm", "done", "1", "--token", "2")
    lines = swarm.done("swarm", "status", "1").out.splitlines()
    assert lines[1].startswith("state    done by w ")
    assert lines[1].endswith(" ago, #1 green")
    assert lines[2] == "failed   1 of 5 tries"


def test_a_list_comes_on_standard_input_whole_or_not_at_all(swarm):
    tasks = [{"id": "a", "subject": "a"}, {"subject": "b", "needs": ["a"], "priority": 3}]
    told = swarm.done("swarm", "add", "--from", "-", stdin=json.dumps(tasks).encode())
    assert told.out == "2 tasks: a, 1\n"
    bad = json.dumps({"tasks": [{"subject": "c"}, {"subject": "d", "needs": ["nobody"]}]})
    assert swarm.call("swarm", "add", "--from", "-", stdin=bad.encode()).status == 2
    assert len(swarm.done("swarm", "status", "--json").data["list"]) == 2


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["add"], "needs a subject"),
        (["add", "x", "--priority", "high"], "is not a priority"),
        (["add", "--from", "missing.json"], "could not read"),
        (["add", "--from", "-"], "is not JSON of tasks"),
        (["done", "--token", "1"], "name a task"),
        (["done", "1"], "--token is required"),
        (["claim", "--lease", "soon"], "is not a lease"),
        (["fail", "1", "--token", "1"], "--reason is required"),
        (["statsu"], "did you mean status?"),
    ],
)
def test_a_wrong_call_is_one_sentence(swarm, words, why):
    told = swarm.call("swarm", *words, stdin=b"")
    assert told.status == 2
    assert why in told.err
    assert told.err.count("\n") == 1


def test_who_owns_a_claim_in_a_clients_shell_is_its_session(swarm):
    swarm.done("swarm", "add", "x")
    task = swarm.call("swarm", "claim", "--json", env={"CLAUDE_CODE_SESSION_ID": "s1"}).data["task"]
    assert task["owner"] == "s1"


def test_a_process_that_is_named_and_gone_has_lost_its_task(swarm):
    swarm.done("swarm", "add", "x")
    child = os.posix_spawn("/bin/sh", ["sh", "-c", "exit"], {})
    swarm.done("swarm", "claim", "--owner", "w", "--pid", str(child))
    os.waitpid(child, 0)
    assert swarm.done("swarm", "claim", "--owner", "v", "--json").data["task"]["token"] == 2


def test_status_is_a_screen_that_tells_all_in_a_few_lines(swarm):
    for name in ("first", "second", "third"):
        swarm.done("swarm", "add", name, "--id", name)
    swarm.done("swarm", "claim", "--owner", "w1")
    swarm.done("swarm", "claim", "--owner", "w2")
    swarm.done("swarm", "done", "first", "--token", "1")
    swarm.done("swarm", "fail", "second", "--token", "1", "--reason", "no fixture")
    swarm.done("swarm", "claim", "--owner", "w2")
    lines = swarm.done("swarm", "status").out.splitlines()
    assert lines[0] == "swarm    write the files"
    assert lines[2] == "tasks    [######..............] 1 of 3 done, 1 in progress, 1 open (1 ready)"
    assert lines[3].startswith("workers  w1                          1 done, idle, seen ")
    assert lines[-1].startswith("running  third  third ")
    assert all(len(line) <= 100 for line in lines)
    everything = swarm.done("swarm", "status", "--all").out
    assert "no check" in everything
    assert "no fixture" in everything
    assert swarm.done("swarm", "status", "second", "--json").data["reason"] == "no fixture"


def test_a_stopped_swarm_goes_on_with_start_and_keeps_its_tasks(swarm):
    swarm.done("swarm", "add", "x")
    assert swarm.done("swarm", "stop").out.endswith("\nRestart it: ultrawork swarm start\n")
    told = swarm.call("swarm", "claim")
    assert (told.status, told.out) == (
        4,
        "the swarm is stopped (restart it: ultrawork swarm start): 1 open, 0 in progress\n",
    )
    assert "1 open (1 ready after ultrawork swarm start)" in swarm.done("swarm", "status").out
    assert swarm.done("mode", "list").out == "no mode is active\n"
    swarm.done("swarm", "start")
    assert swarm.done("swarm", "claim", "--json").data["task"]["id"] == "1"


def test_a_list_that_is_damaged_begins_no_swarm(swarm):
    swarm.done("swarm", "stop")
    os.truncate(f"{swarm.place}/.omc/state/swarm-state.db", 0)
    for command in ("start", "status"):
        told = swarm.call("swarm", command)
        assert (told.status, told.out) == (6, "")
        assert "swarm-state.db is damaged. Move it away, then run: ultrawork swarm start" in told.err
    assert swarm.done("mode", "list").out == "no mode is active\n"


def test_start_forgets_a_swarm_whose_tasks_are_all_settled(swarm):
    swarm.done("swarm", "add", "x")
    swarm.done("swarm", "claim")
    swarm.done("swarm", "done", "1", "--token", "1")
    assert swarm.done("swarm", "start", "new", "--json").data["tasks"]["total"] == 0


def test_clearing_is_refused_while_somebody_works(swarm):
    swarm.done("swarm", "add", "x")
    swarm.done("swarm", "claim")
    told = swarm.call("swarm", "clear")
    assert told.status == 5
    assert "1 task in progress; wait for the end, or delete all: ultrawork swarm clear --force" in told.err
    assert swarm.done("swarm", "clear", "--force").out == "1 task forgotten\n"


def test_a_swarm_keeps_rivals_out_and_is_kept_out_by_them(swarm):
    told = swarm.call("mode", "write", "autopilot", "active=true", "--session", "s1")
    assert told.status == 5
    assert "swarm is on" in told.err
    swarm.done("swarm", "stop")
    swarm.done("mode", "write", "autopilot", "active=true", "--session", "s1")
    assert swarm.call("swarm", "start").status == 5


@pytest.mark.parametrize("command", ["start", "add", "claim", "beat", "done", "fail", "status", "stop", "clear"])
def test_every_command_shows_an_example(program, command):
    assert f"Example:\n  ultrawork swarm {command}" in program.done("swarm", command, "--help").out
