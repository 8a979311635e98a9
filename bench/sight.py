"""The board of 50 sessions with 200 tasks each, the inbox, and the status line beside a bare interpreter."""

import json
import os
import statistics
import subprocess
import sys
import tempfile
from time import perf_counter, time

from common import PLUGIN, PYTHON

sys.path.insert(0, f"{PLUGIN}/src")
from support.scene import QUICK, SESSION, Scene
from ultrawork.core.plan.task import Task
from ultrawork.core.session.session import Session
from ultrawork.report.board import read_board
from ultrawork.report.inbox import read_inbox
from ultrawork.store import sessions, tasks
from ultrawork.store.paths import Home
from ultrawork.store.store import Store

SESSIONS, TASKS, ROUNDS = 50, 200, 15
BOARD_MS, TIMES = 100.0, 2.0


def main():
    with tempfile.TemporaryDirectory() as root:
        bad = [*time_board(root), *time_line(root)]
    for line in bad:
        print(f"over budget: {line}")
    return 1 if bad else 0


def time_board(root):
    store = Store(Home(f"{root}/board"), actor="person", clock=time)
    for number in range(SESSIONS):
        name = f"{number:08x}"
        with store.change(name, many=True) as change:
            sessions.create(change, Session(name, "a goal", f"{root}/p{number % 7}", time()))
            tasks.create(change, [Task(str(one), "a task") for one in range(TASKS)])
    found = {
        "board": measure(lambda: read_board(store)),
        "board and inbox": measure(lambda: read_inbox(store)),
    }
    store.database.close()
    for name, took in found.items():
        print(f"{name:<40}{took:8.1f} ms   budget {BOARD_MS:.0f} ms")
    return [name for name, took in found.items() if took > BOARD_MS]


def measure(call):
    took = []
    for _ in range(ROUNDS):
        began = perf_counter()
        call()
        took.append((perf_counter() - began) * 1e3)
    return statistics.median(took)


def time_line(root):
    scene = Scene(f"{root}/line", QUICK)
    scene.prompt("ulw change the words")
    given = json.dumps({"session_id": SESSION}).encode()

    def call(*argv):
        subprocess.run(argv, input=given, capture_output=True, env=scene.environ, check=True)

    line = [f"{PLUGIN}/bin/ultrawork", "statusline"]
    call(*line)
    samples = {"bare": [], "line": []}
    for _ in range(ROUNDS):
        samples["bare"].append(time_once(lambda: call(PYTHON, "-I", "-S", "-c", "pass")))
        samples["line"].append(time_once(lambda: call(*line)))
    bare, took = (statistics.median(samples[name]) for name in ("bare", "line"))
    print(
        f"{'status line, kept':<40}{took:8.1f} ms   {took / bare:.2f} x bare ({bare:.1f} ms), budget {TIMES:.0f} x"
    )
    return ["status line"] if took > TIMES * bare else []


def time_once(call):
    began = perf_counter()
    call()
    return (perf_counter() - began) * 1e3


if __name__ == "__main__":
    os.environ.pop("CLAUDECODE", None)
    sys.exit(main())
