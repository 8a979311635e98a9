"""The board of 50 sessions with 200 tasks each, the inbox, the full screen drawn and idle, and the status line."""

import asyncio
import json
import os
import statistics
import subprocess
import sys
import tempfile
from time import perf_counter, process_time, sleep, time

from common import PLUGIN, PYTHON

sys.path.insert(0, f"{PLUGIN}/src")
from support.scene import QUICK, SESSION, Scene
from support.terminal import Terminal
from ultrawork.core.plan.task import Task
from ultrawork.core.session.session import Session
from ultrawork.report.board import read_board
from ultrawork.report.inbox import read_inbox
from ultrawork.store import attempts, sessions, tasks
from ultrawork.store.paths import Home
from ultrawork.store.store import Store

SESSIONS, TASKS, ROUNDS = 50, 200, 15
AGENTS, EVENTS = 200, 10_000
BOARD_MS, FRAME_MS, TIMES = 100.0, 50.0, 2.0
MEMORY_MB, IDLE_PERCENT, IDLE_SECONDS = 100.0, 1.0, 20.0
# As an install with the extra starts it: with the packages of its environment.
START = f"import sys; sys.path.insert(0, '{PLUGIN}/src'); from ultrawork.cli.main import entry; sys.exit(entry())"


def main():
    with tempfile.TemporaryDirectory() as root:
        bad = [*time_board(root), *time_screen(root), *time_line(root)]
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
    found = {"board": measure(lambda: read_board(store)), "board and inbox": measure(lambda: read_inbox(store))}
    store.database.close()
    for name, took in found.items():
        print(f"{name:<40}{took:8.1f} ms   budget {BOARD_MS:.0f} ms")
    return [name for name, took in found.items() if took > BOARD_MS]


def time_screen(root):
    """Measure the full screen with 200 agents and 10,000 events: a frame after each change, and then nothing but waiting."""
    try:
        from ultrawork.sight.screen import BoardScreen
    except ImportError:
        print("full screen: textual is not installed, not measured")
        return []
    store = fill_store(root)
    took = asyncio.run(draw_frames(store, BoardScreen))
    store.database.close()
    print(f"{'frame, 200 agents, 10,000 events':<40}{took:8.1f} ms   budget {FRAME_MS:.0f} ms")
    memory, idle = watch_idle(root)
    print(f"{'the same, memory at its highest':<40}{memory:8.1f} MB   budget {MEMORY_MB:.0f} MB")
    print(f"{'the same, idle':<40}{idle:8.2f} %    budget {IDLE_PERCENT:.0f} % of a core")
    over = (took > FRAME_MS, memory > MEMORY_MB, idle > IDLE_PERCENT)
    return [name for name, bad in zip(("frame", "memory", "idle"), over, strict=True) if bad]


def fill_store(root):
    store = Store(Home(f"{root}/frame"), actor="person", clock=time)
    with store.change("run1", many=True) as change:
        sessions.create(change, Session("run1", "a goal", f"{root}/p", time()))
        tasks.create(change, [Task(str(one), "a task") for one in range(AGENTS)])
        for one in range(AGENTS):
            attempts.claim(change, str(one), "worker", folder=f"{root}/a", backend="claude", is_task=True)
        for one in range(EVENTS):
            change.record("agent.step", {"subject": str(one % AGENTS)})
    return store


def watch_idle(root):
    """Return the memory and the share of a core that the screen of the session takes in a terminal while nothing happens."""
    environ = {"PATH": os.environ["PATH"], "HOME": root, "ULTRAWORK_HOME": f"{root}/frame"}
    argv = [sys.executable, "-c", START, "watch", "--all"]
    env = {**environ, "TERM": "xterm-256color"}
    with Terminal(argv, env=env, cwd=root, rows=50, columns=160) as terminal:
        terminal.wait_for("1 session", 30)
        terminal.type("\r")
        terminal.wait_for("PROOF", 30)
        sleep(2)
        before = read_process(terminal.pid)[1]
        sleep(IDLE_SECONDS)
        memory, after = read_process(terminal.pid)
    return memory, (after - before) / IDLE_SECONDS * 100


def read_process(pid):
    """Return the most memory a process had, in MB, and the processor seconds it has used."""
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        peak = next(line for line in file if line.startswith("VmHWM"))
    with open(f"/proc/{pid}/stat", encoding="ascii") as file:
        fields = file.read().rpartition(")")[2].split()
    return int(peak.split()[1]) / 1024, sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK")


async def draw_frames(store, screen):
    app = screen(store, {}, program=["true"], name_person=str, every=3600)
    took, idle = [], []
    async with app.run_test(size=(160, 50)) as pilot:
        await pilot.press("enter")
        for _ in range(ROUNDS):
            began = process_time()
            await pilot.pause()  # what the driver of this measurement costs by itself
            idle.append((process_time() - began) * 1e3)
        for number in range(ROUNDS):
            with store.change("run1") as change:
                change.record("agent.step", {"subject": str(number)})
            began = process_time()
            app.refresh_board()
            await pilot.pause()
            took.append((process_time() - began) * 1e3)
    return statistics.median(took) - statistics.median(idle)


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
    print(f"{'status line, kept':<40}{took:8.1f} ms   {took / bare:.2f} x bare ({bare:.1f} ms), budget {TIMES:.0f} x")
    return ["status line"] if took > TIMES * bare else []


def time_once(call):
    began = perf_counter()
    call()
    return (perf_counter() - began) * 1e3


if __name__ == "__main__":
    os.environ.pop("CLAUDECODE", None)
    sys.exit(main())
