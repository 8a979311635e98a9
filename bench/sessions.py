"""Planned sessions: the first step in a large repository, and what comes next in a large plan."""

import json
import os
import subprocess
import sys

from common import Call, Scratch, bare, measure, report

ROUNDS = 40
FOLDERS, FILES = 200, 100


def plan(count):
    """Chains of ten: a hundred tasks are ready at any time."""
    tasks = [
        {"id": f"t{n}", "subject": f"task {n}", "criteria": ["true"], "blockedBy": [f"t{n - 1}"] if n % 10 else []}
        for n in range(count)
    ]
    return json.dumps({"tasks": tasks})


def repository(place):
    for folder in range(FOLDERS):
        os.makedirs(f"{place}/d{folder}")
        for file in range(FILES):
            with open(f"{place}/d{folder}/f{file}.py", "w", encoding="utf-8") as text:
                text.write(f"x = {file}\n")
    subprocess.run(["git", "init", "-q", place], check=True)
    subprocess.run(["git", "-C", place, "add", "-A"], check=True)


def explored(scratch):
    """A session in execution, with a thousand tasks."""
    small = f"{scratch.root}/small"
    os.makedirs(small)
    scratch.place = small
    path = scratch.write(f"{scratch.root}/plan.json", plan(1000))
    scratch.run("session", "new", "--session", "next", "--goal", "measure", "--auto")
    scratch.run("session", "set", "--session", "next", "--exploration-stage", "complete")
    scratch.run("task", "create", "--session", "next", "--from", path)
    scratch.run("next", "--session", "next")


def main():
    with Scratch() as scratch:
        repository(scratch.place)
        overview = Call("first step, 20,000 files", [], seconds=3)
        for number in range(3):
            scratch.run("session", "new", "--session", f"first-{number}", "--goal", "fix the login")
            overview.samples.append(scratch.run("next", "--session", f"first-{number}"))
        explored(scratch)
        calls = [bare(), Call("next (1,000 tasks)", scratch.words("next", "--session", "next", "--json"), times=4)]
        measure(calls, scratch.environ, scratch.place, rounds=ROUNDS)
        calls.append(overview)
    return 0 if report("Planned sessions", calls, calls[0]) else 1


if __name__ == "__main__":
    sys.exit(main())
