"""`ultrawork run --executor temporal`: agents on other machines, checks and merges here."""

import os
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from glob import glob

import pytest

from support.cluster import ENTRY, SOURCE, WorkerProcess, require_packages
from support.floor import Answer
from support.headless import FIX, GOAL, SHOW, Headless, task, worker

pytestmark = pytest.mark.slow
FIXED = "def add(a, b):\n    return a + b\n"


@pytest.fixture
def project(tmp_path, server, remote):
    project = Headless(str(tmp_path))
    project.environ |= {
        "ULTRAWORK_CLUSTER_TEMPORAL": server.address,
        "ULTRAWORK_CLUSTER_REMOTE": remote,
        "ULTRAWORK_CLUSTER_LEASE": "4s",
        "ULTRAWORK_CLUSTER_LABEL": "run",
        "PYTHONPATH": f"{SOURCE}:{require_packages()}",
    }
    return project


def wait(holds):
    end = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.05)


def go(project, *words):
    """As a package of Python, which finds the extra; the launcher of the plugin has none."""
    argv = [*ENTRY, "run", "--auto", "--backend", "script", "--executor", "temporal", *words, GOAL]
    done = subprocess.run(
        argv, env=project.environ, cwd=project.place, capture_output=True, timeout=120, check=False,
    )  # fmt: skip
    return Answer(done.returncode, done.stdout.decode(), done.stderr.decode())


@pytest.fixture
def add_machine(tmp_path, server, remote, project):
    """Each runs agent programs only, as a real one does; its agents follow the project's script."""
    added = []

    def add(name):
        machine = WorkerProcess(
            str(tmp_path / "machines"), name, server, remote, drain="0s", labels="run"
        )
        del machine.environ["ULTRAWORK_WORKER_ANY_COMMAND"]
        machine.environ["ULTRAWORK_SCRIPT"] = project.environ["ULTRAWORK_SCRIPT"]
        machine.environ["ULTRAWORK_RUN_BACKEND"] = "script"
        added.append(machine.start().wait_ready())
        return machine

    yield add
    for machine in added:
        machine.end()


def test_work_of_a_machine_that_shut_down_is_shown_to_the_next_one(project, add_machine):
    """The first machine leaves while its agent is at work; what it had done so far is not lost."""
    project.cast(
        [task("fix")],
        worker("fix", SHOW, {"write": "begun", "text": "x"}, {"sleep": 60}, attempt=1),
        worker("fix", FIX, SHOW, told="WHAT THE LAST ATTEMPT LEFT"),
    )
    first = add_machine("two")
    with ThreadPoolExecutor() as pool:
        answer = pool.submit(go, project)
        place = f"{first.home}/state/cluster/two/worktrees/*/fix.1/*/begun"
        wait(lambda: glob(place))
        add_machine("three")
        assert first.end() == 0
        answer = answer.result()
    assert answer.status == 0, answer
    assert project.read("calc.py") == FIXED


def test_a_goal_is_carried_out_on_another_machine_and_proved_here(project, add_machine):
    project.cast([task("fix")], worker("fix", FIX, SHOW))
    machine = add_machine("two")
    answer = go(project)
    assert answer.status == 0, answer
    assert "PASS  1 of 1 task" in answer.out
    assert project.read("calc.py") == FIXED
    folder = f"{machine.home}/state/cluster/two/attempts"
    assert any(name.endswith(".fix.1") for name in os.listdir(folder)), "it ran there"
