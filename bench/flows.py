"""
How many files a reader passes: what users do, followed through our own modules as it runs.

`files` are the modules that take part, `passes` the calls that lead from one of them into another. A newcomer
reads a flow in that order, so both should stay small. Nothing is timed. A flow over its budget fails, and `--page` writes
the figures into the page about the house.
"""

import json
import subprocess
import sys
import tempfile
import threading

from common import PLUGIN, REPOSITORY

from support.headless import FIX, GOAL, SHOW, Headless, task, worker
from support.play import Play
from support.scene import QUICK, Scene
from support.toolbox import HELLO, Seat

SOURCE = f"{PLUGIN}/src/ultrawork/"


class Trace:
    """The calls between files of ours while it is on, in every thread."""

    def __init__(self):
        self.files = set()
        self.passes = 0

    def __enter__(self):
        threading.setprofile(self._hear)
        sys.setprofile(self._hear)
        return self

    def __exit__(self, *_):
        sys.setprofile(None)
        threading.setprofile(None)

    def _hear(self, frame, event, _):
        here = frame.f_code.co_filename
        if event != "call" or not here.startswith(SOURCE):
            return
        self.files.add(here)
        caller = frame.f_back
        while caller is not None and not caller.f_code.co_filename.startswith(SOURCE):
            caller = caller.f_back
        self.passes += caller is not None and caller.f_code.co_filename != here


def stop_with_pass(root):
    scene = Scene(root, QUICK)
    scene.prompt("ulw change the words")
    scene.edit("app.txt", "right and more\n")
    with Trace() as trace:
        answer = scene.stop("Done.")
    assert "PASS" in json.dumps(answer), answer
    return trace


def arm(root):
    scene = Scene(root, QUICK)
    with Trace() as trace:
        scene.prompt("ulw fix the bug")
    assert scene.is_on()
    return trace


def run_one_task(root):
    project = Headless(root)
    project.remember_python()
    project.cast([task("sum")], worker("sum", FIX, SHOW))
    with Trace() as trace:
        answer = project.call("run", "--auto", "--backend", "script", GOAL)
    assert answer.status == 0, answer
    return trace


CALL = f"""
import os, sys
sys.path[:0] = ["{REPOSITORY}/bench", "{PLUGIN}/src"]
from flows import Trace
from ultrawork.cli.main import main
trace = Trace()
with trace:
    main(["mcp"], dict(os.environ))
print(len(trace.files), trace.passes, file=sys.stderr)
"""


def write_note(root):
    seat = Seat(root)
    asked = [
        {"id": 1, "method": "initialize", "params": HELLO},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/call", "params": {
            "name": "notepad_write_working", "arguments": {"content": "a note"}}},
    ]  # fmt: skip
    given = "".join(json.dumps({"jsonrpc": "2.0", **one}) + "\n" for one in asked)
    done = subprocess.run(
        [sys.executable, "-c", CALL], input=given, env=seat.environ, cwd=seat.place,
        capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip
    assert '"isError": true' not in done.stdout, done.stdout
    trace = Trace()
    files, trace.passes = map(int, done.stderr.split()[-2:])
    trace.files = set(range(files))
    return trace


def planned(root):
    """Three moments of a planned session: its plan is taken, a task claimed, a task resolved."""
    play = Play(root)
    play.begin()
    play.explored()
    planner = play.agent("planner")
    plan = [{"id": "a", "subject": "Correct a", "complexity": "standard",
             "criteria": ["grep -q right a.txt"], "blockedBy": []}]  # fmt: skip
    with Trace() as taken:
        play.end(planner, f"```json\n{json.dumps({'tasks': plan})}\n```")
    with Trace() as claimed:
        agent = play.agent("worker", "a")
    play.write("a.txt", "right\n")
    with Trace() as resolved:
        play.end(agent, "Done.")
    assert play.tasks()["a"]["status"] == "resolved"
    return taken, claimed, resolved


# What a flow may take, in files and passes: what it takes today, with a little room. Wanted are 120 and 1,500 for a
# stop, 200 and 9,000 for a run, 80 and 900 for a task that is resolved.
BUDGETS = {
    "a stop that ends in PASS": (149, 1_710),
    "`ulw fix the bug`, until it is on": (96, 805),
    "`run`, one task merged": (255, 13_500),
    "MCP `notepad_write_working`": (23, 66),
    "a plan is taken": (56, 765),
    "a task is claimed": (49, 550),
    "a task is resolved": (92, 1_280),
}
PAGE = f"{REPOSITORY}/docs/explanation/architecture.md"


def measure():
    """The flows one after the other, as what is loaded once counts once."""
    flows = (stop_with_pass, arm, run_one_task, write_note, planned)
    traces = [trace for flow in flows for trace in in_scratch(flow)]
    return {name: (len(one.files), one.passes) for name, one in zip(BUDGETS, traces, strict=True)}


def write_page(rows):
    with open(PAGE, encoding="utf-8") as file:
        lines = file.read().split("\n")
    for place, line in enumerate(lines):
        name = line.strip("| ").partition(" |")[0]
        if name in rows:
            files, passes = rows[name]
            most = BUDGETS[name]
            lines[place] = f"| {name} | {files} | {passes:,} | {most[0]} | {most[1]:,} |"
    with open(PAGE, "w", encoding="utf-8") as file:
        file.write("\n".join(lines))


def main():
    rows = measure()
    print(f"{'flow':40} {'files':>6} {'passes':>8} {'budget':>14}")
    late = False
    for name, (files, passes) in rows.items():
        most = BUDGETS[name]
        over = files > most[0] or passes > most[1]
        late = late or over
        mark = "  OVER" if over else ""
        print(f"{name:40} {files:6} {passes:8} {most[0]:6} {most[1]:7}{mark}")
    if "--page" in sys.argv:
        write_page(rows)
    return int(late)


def in_scratch(flow):
    with tempfile.TemporaryDirectory(prefix="bench-", ignore_cleanup_errors=True) as root:
        found = flow(root)
    return found if isinstance(found, tuple) else (found,)


if __name__ == "__main__":
    sys.exit(main())
