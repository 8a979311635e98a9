"""`ultrawork uninstall --state` after runs: every byte of the home and of the project is as it was, but for delivered work."""

import os
import signal
import subprocess
import time

import pytest

from support.headless import ADDS, FIX, PATIENCE, SHOW, Headless, task, worker

pytestmark = pytest.mark.slow

# Objects that nothing leads to are git's own to remove; what leads to objects is compared beside the bytes.
OBJECTS = "/.git/objects"
# What a branch that moved forward changes.
MOVED = ("/.git/index", "/.git/logs/HEAD", "/.git/logs/refs/heads/main", "/.git/refs/heads/main", "/.git/ORIG_HEAD")


def read(path):
    if not os.path.isfile(path):
        return b"no file"  # an agent's pipe, which would wait for a writer
    with open(path, "rb") as file:
        return file.read()


def read_all(headless):
    found = {}
    for folder, folders, files in os.walk(headless.root):
        found |= dict.fromkeys((f"{folder}/{name}" for name in folders), b"")
        for name in files:
            found[f"{folder}/{name}"] = read(f"{folder}/{name}")
    return {path: data for path, data in found.items() if OBJECTS not in path}


def list_reachable(headless):
    return set(headless.git("rev-list", "--all", "--objects").splitlines())


def list_differences(before, after):
    return {path for path in {*before, *after} if before.get(path) != after.get(path)}


@pytest.fixture
def headless(tmp_path):
    made = Headless(str(tmp_path))
    made.git("status")  # it refreshes the index, which is then as it stays
    made.cast([task("sum")], worker("sum", {"say": "Done, all tests pass."}))
    return made


def uninstall(headless):
    answer = headless.run("uninstall", "--state", "--yes", "--json", patience=PATIENCE)
    assert answer.status == 0, answer
    assert answer.data["by_hand"] == []


def test_after_a_run_that_failed_nothing_is_left(headless):
    before, reachable = read_all(headless), list_reachable(headless)
    assert headless.go().status in (1, 3)
    assert list_differences(before, read_all(headless))
    uninstall(headless)
    assert list_differences(before, read_all(headless)) == set()
    assert list_reachable(headless) == reachable


def test_after_a_run_that_was_killed_nothing_is_left(headless):
    """Its worktree, its branch and its agents are there when the engine dies."""
    headless.cast([task("sum")], worker("sum", FIX, {"hang": True}))
    before, reachable = read_all(headless), list_reachable(headless)
    engine = headless.start("run", "--auto", "--backend", "script", "Fix it")
    deadline = time.monotonic() + PATIENCE
    while headless.git("worktree", "list").count("\n") < 1 and time.monotonic() < deadline:
        time.sleep(0.1)
    assert headless.git("worktree", "list").count("\n") >= 1
    engine.send_signal(signal.SIGKILL)
    engine.communicate(timeout=PATIENCE)
    assert headless.run("cancel", "--session", headless.session).status == 0
    uninstall(headless)
    assert list_differences(before, read_all(headless)) == set()
    assert list_reachable(headless) == reachable


def test_after_a_pass_only_the_delivered_work_and_its_commits_are_left(headless):
    headless.cast([task("sum", criteria=(ADDS,))], worker("sum", FIX, SHOW))
    before = read_all(headless)
    assert headless.go().status == 0
    assert headless.run("evidence", "publish").status == 0
    assert "refs/notes/ultrawork" in headless.git("for-each-ref")
    uninstall(headless)
    left = list_differences(before, read_all(headless))
    delivered = {f"{headless.place}/{name}" for name in ("calc.py", "test_sum.py")}
    assert left - delivered <= {f"{headless.place}{name}" for name in MOVED}
    assert delivered <= left
    listed = subprocess.run(
        ["git", "for-each-ref", "--format=%(refname)"], cwd=headless.place, capture_output=True, text=True, check=True
    )  # fmt: skip
    assert listed.stdout == "refs/heads/main\n"
