"""`ultrawork run --executor temporal`: agents on other machines, checks and merges here."""

import os
import subprocess

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
        "PYTHONPATH": f"{SOURCE}:{require_packages()}",
    }
    return project


def go(project, *words):
    """As a package of Python, which finds the extra; the launcher of the plugin has none."""
    argv = [*ENTRY, "run", "--auto", "--backend", "script", "--executor", "temporal", *words, GOAL]
    done = subprocess.run(
        argv, env=project.environ, cwd=project.place, capture_output=True, timeout=120, check=False,
    )  # fmt: skip
    return Answer(done.returncode, done.stdout.decode(), done.stderr.decode())


@pytest.fixture
def machine(tmp_path, server, remote, project):
    """Runs agent programs only, as a real one does; its agents follow the project's script."""
    machine = WorkerProcess(str(tmp_path / "machines"), "two", server, remote, drain="1s")
    del machine.environ["ULTRAWORK_WORKER_ANY_COMMAND"]
    machine.environ["ULTRAWORK_SCRIPT"] = project.environ["ULTRAWORK_SCRIPT"]
    machine.environ["ULTRAWORK_RUN_BACKEND"] = "script"
    project.cast([task("fix")], worker("fix", FIX, SHOW))
    yield machine.start().wait_ready()
    machine.end()


def test_a_goal_is_carried_out_on_another_machine_and_proved_here(project, machine):
    answer = go(project)
    assert answer.status == 0, answer
    assert "PASS  1 of 1 task" in answer.out
    assert project.read("calc.py") == FIXED
    folder = f"{machine.home}/state/cluster/two/attempts"
    assert any(name.endswith(".fix.1") for name in os.listdir(folder)), "it ran there"
