"""
The engine is killed at any instant: no result is lost or recorded twice, nothing that succeeded runs again.

Only the engine is killed; its agents go on, as agents do. What they did is read from the log that they keep
themselves, what was recorded from the store.
"""

import glob
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from functools import partial

import pytest

from support import drill
from support.effort import amount
from support.floor import TESTS
from ultrawork.store import attempts, tasks
from ultrawork.store.codec import loads
from ultrawork.store.database import find_broken_links

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not shutil.which("flock"), reason="agents show with flock that they are alone"),
]
WIDTH = 8
KILLS = amount(10, 40)
HALTS = amount(3, 6)
FAULTS = 100
DEADLINE = 300.0


def start(root):
    return subprocess.Popen([sys.executable, "-m", "support.drill", root, str(WIDTH)], cwd=TESTS)


def kill_until_done(root, dice, most, longest, strike=None):
    """Starts engines and kills each at some instant, then lets one end the plan; how many were killed."""
    for kills in range(most):
        engine = start(root)
        time.sleep(dice.uniform(0.0, longest))
        if strike:
            strike(root)
        engine.send_signal(signal.SIGKILL)
        if engine.wait() == 0:
            return kills
    engine = start(root)
    try:
        assert engine.wait(DEADLINE) == 0
    finally:
        engine.kill()
    return most


def check(root, plan):
    """Everything is resolved and recorded once, and nobody ran beside another."""
    witness = drill.Witness(root)
    store = drill.open_store(root)
    database = store.database
    assert {task.status for task in tasks.list_all(database, drill.SESSION)} == {"resolved"}
    recorded = resolutions(database)
    assert sorted(recorded) == sorted(plan), "each result is recorded, and once"
    assert attempts.list_running(database, drill.SESSION) == []
    assert find_broken_links(database, drill.SESSION) == []
    database.close()
    assert witness.succeeded == set(plan)
    assert witness.overlaps == []
    return witness


def resolutions(database):
    rows = database.rows("SELECT data FROM events WHERE kind='attempt.ended' ORDER BY id")
    ends = [loads(data) for (data,) in rows]
    return [end["subject"] for end in ends if end["status"] == "resolved"]


def views_are_true(root):
    store = drill.open_store(root)
    for task in tasks.list_all(store.database, drill.SESSION):
        with open(f"{store.home.session(drill.SESSION)}/tasks/{task.id}.json", encoding="utf-8") as file:
            assert loads(file.read()) == task.document()
    store.database.close()


def test_an_engine_that_is_killed_again_and_again_runs_nothing_twice(tmp_path):
    kills = seed = 0
    while kills < KILLS:
        seed += 1
        root = str(tmp_path / str(seed))
        plan = drill.make_plan(seed, 60, least=0.05, most=0.3)
        drill.prepare(root, plan)
        kills += kill_until_done(root, random.Random(seed), most=10, longest=1.6)
        witness = check(root, plan)
        assert witness.reruns == []
        assert witness.runs == drill.needed_runs(plan), "not one agent was started in vain"
        views_are_true(root)
    print(f"{kills} kills over {seed} plans of 60 tasks")


@pytest.mark.release
def test_long_agents_outlive_their_engines_and_are_adopted(tmp_path):
    root = str(tmp_path / "long")
    plan = drill.make_plan(3, 16, least=4.0, most=8.0, failing=0.0)
    drill.prepare(root, plan)
    kills = kill_until_done(root, random.Random(3), most=HALTS, longest=6.0)
    assert kills == HALTS
    witness = check(root, plan)
    assert (witness.runs, witness.reruns) == (16, [])


def strike_wrapper(root):
    """Kills the wrapper that was started last, too: its agent is then nobody's and must not go on."""
    pids = glob.glob(f"{root}/state/sessions/{drill.SESSION}/attempts/*/pid")
    for path in sorted(pids, key=os.path.getmtime)[-1:]:
        if not os.path.exists(path.replace("/pid", "/result.json")):
            with open(path, encoding="utf-8") as file:
                pid = int(file.read().split()[0])
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass


def test_wrappers_that_are_killed_cost_their_attempt_and_nothing_else(tmp_path):
    """Nobody sees how their agents end, so these run again; but never beside each other."""
    root = str(tmp_path / "wrappers")
    plan = drill.make_plan(5, 40, least=0.2, most=0.6)
    drill.prepare(root, plan)
    kill_until_done(root, random.Random(5), most=8, longest=1.5, strike=strike_wrapper)
    assert check(root, plan).runs >= drill.needed_runs(plan)


def shut_provider(root):
    """Somebody else is told to wait, and a person clears it a moment later."""
    store = drill.open_store(root)
    with store.change(drill.SESSION) as change:
        now = time.time()
        attempts.block_provider(change.database, "script", now + 300, now)
    time.sleep(0.2)
    with store.change(drill.SESSION) as change:
        attempts.clear_provider(change.database, "script")
    store.database.close()


def leftovers(root):
    """Processes that stand in a folder of this run, or were told of it."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                words = file.read()
            if root.encode() in words or os.readlink(f"/proc/{pid}/cwd").startswith(root):
                found.append(pid)
        except OSError:
            continue
    return found


def strike_somehow(dice, root):
    dice.choice([lambda _: None, strike_wrapper, shut_provider])(root)


@pytest.mark.release
def test_a_long_plan_under_many_faults_loses_and_doubles_nothing(tmp_path):
    """Three hundred tasks a plan, until a hundred engines were killed, two of three with something else."""
    kills = plans = 0
    slowest = 0.0
    while kills < FAULTS:
        plans += 1
        root = str(tmp_path / str(plans))
        plan = drill.make_plan(plans, 300, least=0.05, most=0.4)
        drill.prepare(root, plan)
        dice = random.Random(plans)
        began = time.monotonic()
        kills += kill_until_done(root, dice, most=FAULTS - kills, longest=1.6, strike=partial(strike_somehow, dice))
        slowest = max(slowest, time.monotonic() - began)
        check(root, plan)
        assert leftovers(root) == []
    print(f"{kills} faults over {plans} plans of 300 tasks, the longest {slowest:.0f} s")
