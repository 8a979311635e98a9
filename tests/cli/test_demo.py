"""The demo: it shows what it says, and fails as soon as gates, merge queue or retries are taken out."""

import os
import shutil
import subprocess

import pytest

from support.effort import rows_of
from support.floor import PLUGIN, Program

PATIENCE = 300
PARTS = ("bin", "src", "agents", "content", ".claude-plugin")
# How each is taken out: the file, what stands there, and what stands there without it.
WITHOUT = {
    "gates": [
        (
            "engine/agents/integration.py",
            "        task = tasks.get(self._store.database",
            "        return True, ''\n        task = tasks.get(self._store.database",
        )
    ],
    "merge queue": [
        (
            "engine/repository/merge_queue.py",
            "            clash = scratch.merge(commit)\n",
            "            scratch.put(commit)\n            clash = []\n",
        )
    ],
    "retries": [("core/plan/task.py", "return self.retry_count < self.max_retry", "return False")],
}


@pytest.fixture
def program(tmp_path):
    return Program(str(tmp_path))


@pytest.mark.slow
def test_it_ends_with_a_pass_after_a_lie_a_conflict_and_a_crash(program):
    answer = program.run("demo", patience=PATIENCE)
    assert answer.status == 0, answer
    for told in ("All tests pass", "conflict in", "exited with status 1", "PASS  5 of 5 tasks"):
        assert told in answer.out
    report = answer.out.split("report   ")[1].splitlines()[0]
    assert os.path.isfile(report)
    assert f"open     file://{report}" in answer.out
    typed = answer.out.split("see it   ")[1].splitlines()[0]
    shown = subprocess.run(["sh", "-c", typed], env=program.environ, capture_output=True, text=True, check=False)
    assert (shown.returncode, shown.stdout.startswith("PASS")) == (0, True), shown


def take_out(checkout, file, there, instead):
    path = f"{checkout}/src/ultrawork/{file}"
    with open(path, encoding="utf-8") as source:
        text = source.read()
    assert text.count(there) == 1
    with open(path, "w", encoding="utf-8") as source:
        source.write(text.replace(there, instead))


@pytest.mark.slow
@pytest.mark.parametrize("part", rows_of(WITHOUT, in_ci=["merge queue"]))
def test_it_fails_without(part, program):
    checkout = f"{program.root}/checkout"
    for name in PARTS:
        shutil.copytree(f"{PLUGIN}/{name}", f"{checkout}/{name}")
    for edit in WITHOUT[part]:
        take_out(checkout, *edit)
    answer = program.run("demo", checkout=checkout, patience=PATIENCE)
    assert answer.status == 6, answer
    assert "the demo did not end as it should" in answer.err
