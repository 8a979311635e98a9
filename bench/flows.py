"""
How many files a reader passes: what users do, followed through our own modules as it runs.

`files` are the modules that take part, `passes` the calls that lead from one of them into another. A newcomer
reads a flow in that order, so both should stay small. Nothing is timed, and there is no budget.
"""

import json
import subprocess
import sys
import tempfile
import threading

from common import REPOSITORY

from support.headless import FIX, GOAL, SHOW, Headless, task, worker
from support.play import Play
from support.scene import QUICK, Scene
from support.toolbox import HELLO, Seat

SOURCE = f"{REPOSITORY}/src/ultrawork/"


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
sys.path[:0] = ["{REPOSITORY}/bench", "{REPOSITORY}/src"]
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


def main():
    rows = [(name, *in_scratch(flow)) for name, flow in (
        ("a stop that ends in PASS", stop_with_pass),
        ("`ulw fix the bug`, until it is on", arm),
        ("`run`, one task merged", run_one_task),
        ("MCP `notepad_write_working`", write_note),
    )]  # fmt: skip
    names = ("a plan is taken", "a task is claimed", "a task is resolved")
    rows += zip(names, in_scratch(planned), strict=True)
    print(f"{'flow':40} {'files':>6} {'passes':>8}")
    for name, trace in rows:
        print(f"{name:40} {len(trace.files):6} {trace.passes:8}")


def in_scratch(flow):
    with tempfile.TemporaryDirectory(prefix="bench-", ignore_cleanup_errors=True) as root:
        found = flow(root)
    return found if isinstance(found, tuple) else (found,)


if __name__ == "__main__":
    main()
