"""
Many programs write at once, and die at any moment: nothing that was acknowledged is lost.

Each caller starts the real launcher again and again, and notes every exit 0 in a file of its own; what the
database holds is compared with those notes afterwards.
"""

import json
import random
import resource
import statistics
import subprocess
import threading
import time

import pytest

from support.effort import amount
from support.floor import PLUGIN

pytestmark = pytest.mark.slow
CALLERS = 16
TURNS = amount(10, 50)
KILLS = amount(60, 300)
SEED = 11
DEADLINE = 900


class Caller(threading.Thread):
    """Starts one writer after the other until `TURNS` of them were acknowledged and no more are wanted."""

    def __init__(self, program, number, words, enough):
        super().__init__(daemon=True)
        self.program = program
        self.number = number
        self.words = words
        self.enough = enough
        self.notes = f"{program.root}/caller-{number}"
        self.writer = None
        self.killed = []
        self.failed = []
        self.acknowledged = 0

    def run(self):
        turn = 0
        while self.acknowledged < TURNS or not self.enough():
            self._call(f"w{self.number}.{turn}")
            turn += 1

    def _call(self, mark):
        self.writer = subprocess.Popen(
            [f"{PLUGIN}/bin/ultrawork", *self.words(self.number, mark), "--json"],
            env=self.program.environ,
            cwd=self.program.place,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        out, err = self.writer.communicate(timeout=120)
        if self.writer.returncode == 0:
            self._note(mark, out)
        elif self.writer.returncode == -9:
            self.killed.append(mark)
        else:
            self.failed.append((mark, self.writer.returncode, out, err))

    def _note(self, mark, out):
        data = json.loads(out)["data"]["task"]
        with open(self.notes, "a", encoding="utf-8") as file:
            file.write(f"{mark} {data['id'] if data else '-'}\n")
        self.acknowledged += 1


def noted(callers):
    """Mark and task of every call that was acknowledged, in the callers' own words."""
    for caller in callers:
        with open(caller.notes, encoding="utf-8") as file:
            yield from (tuple(line.split()) for line in file)


def run(callers, killer=None):
    end = time.monotonic() + DEADLINE
    for caller in callers:
        caller.start()
    while any(caller.is_alive() for caller in callers):
        assert time.monotonic() < end, "the callers do not come to an end"
        if killer:
            killer(callers)
        time.sleep(0.02)
    assert [failure for caller in callers for failure in caller.failed] == []


def begin(program, name, count):
    program.done("session", "new", "--goal", "g", "--session", name, "--auto")
    tasks = [{"id": f"t{number}", "subject": f"task {number}"} for number in range(count)]
    plan = json.dumps({"tasks": tasks}).encode()
    program.done("task", "create", "--session", name, "--from", "-", stdin=plan)
    program.remember_python()


def listed(program, name):
    return program.done("task", "list", "--session", name, "--json").data["tasks"]


def updates(number, mark):
    return ["task", "update", "--session", "up", "--id", f"t{number % 4}", "--add-evidence", mark]


def claims(_, mark):
    return ["task", "claim", "--session", "cl", "--owner", mark]


def evidence(program):
    return [(mark, task["id"]) for task in listed(program, "up") for mark in task["evidence"]]


def held(program):
    return [(task["owner"], task["id"]) for task in listed(program, "cl") if task["owner"]]


def sound(program):
    assert program.call("session", "check", "--all").out == "ok: all events are intact\n"
    for name in ("up", "cl"):
        folder = f"{program.home}/sessions/{name}/tasks"
        for task in listed(program, name)[:50]:
            with open(f"{folder}/{task['id']}.json", encoding="utf-8") as file:
                assert json.load(file) == task


def test_many_writers_lose_nothing(program):
    begin(program, "up", 4)
    begin(program, "cl", CALLERS * TURNS)
    callers = [Caller(program, number, updates, lambda: True) for number in range(CALLERS)]
    run(callers)
    assert sorted(evidence(program)) == sorted(noted(callers))
    assert len(evidence(program)) == CALLERS * TURNS
    sound(program)


def test_many_claimers_take_each_task_once(program):
    begin(program, "up", 4)
    begin(program, "cl", CALLERS * TURNS)
    callers = [Caller(program, number, claims, lambda: True) for number in range(CALLERS)]
    run(callers)
    assert sorted(held(program)) == sorted(noted(callers))
    assert len({task for _, task in held(program)}) == CALLERS * TURNS
    assert {task["token"] for task in listed(program, "cl")} == {1}
    assert program.done("task", "claim", "--session", "cl", "--owner", "w", "--json").data["task"] is None
    sound(program)


class Killer:
    """Kills one of the running writers now and then, whatever it is just doing."""

    def __init__(self):
        self.kills = 0
        self.random = random.Random(SEED)

    def __call__(self, callers):
        writer = self.random.choice(callers).writer
        if writer is not None and writer.poll() is None:
            writer.kill()
        self.kills = sum(len(caller.killed) for caller in callers)


def took(program):
    """Processor time of one call: how long it waits for a busy machine is not its doing."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    words = ["task", "update", "--session", "calm", "--id", "t0", "--add-evidence", "seen"]
    assert program.run(*words).status == 0
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def test_writers_that_are_killed_lose_nothing_that_was_acknowledged(program):
    begin(program, "calm", 1)
    begin(program, "up", 4)
    begin(program, "cl", 4000)
    usual = [took(program) for _ in range(9)]
    killer = Killer()
    callers = [
        Caller(program, number, claims if number % 2 else updates, lambda: killer.kills >= KILLS)
        for number in range(CALLERS)
    ]
    run(callers, killer)
    first = took(program)
    usual = max(statistics.median(usual), statistics.median(took(program) for _ in range(9)))
    assert first <= 3 * usual, f"{first:.3f} s, usually {usual:.3f} s"
    assert killer.kills >= KILLS
    check_updates(program, callers[::2])
    check_claims(program, callers[1::2])
    sound(program)


def check_updates(program, callers):
    kept, acknowledged = evidence(program), set(noted(callers))
    unsure = {mark for caller in callers for mark in caller.killed}
    assert len(kept) == len(set(kept))
    assert acknowledged <= set(kept)
    assert {mark for mark, _ in set(kept) - acknowledged} <= unsure


def check_claims(program, callers):
    kept, acknowledged = held(program), list(noted(callers))
    unsure = {mark for caller in callers for mark in caller.killed}
    assert len({task for _, task in acknowledged}) == len(acknowledged)
    assert set(acknowledged) <= set(kept)
    assert {mark for mark, _ in set(kept) - set(acknowledged)} <= unsure
    assert {task["token"] for task in listed(program, "cl")} == {0, 1}
