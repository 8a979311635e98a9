"""Files that no worker owns, and files that two of them changed."""

import pytest

from ultrawork.core.modes import shared_files
from ultrawork.core.plan.task import FAILED, RESOLVED, Task
from ultrawork.core.session.session import Session


@pytest.mark.parametrize(
    "path",
    [
        "package.json", "web/package.json", "uv.lock", "Cargo.lock", "go.sum", "pyproject.toml", "Makefile",
        "vite.config.ts", ".eslintrc.json", "requirements-dev.txt", ".github/workflows/ci.yml", "app.csproj",
        "Dockerfile",
    ],
)  # fmt: skip
def test_manifests_locks_and_configuration_are_shared(path):
    assert shared_files.is_shared(path)


@pytest.mark.parametrize(
    "path", ["src/app.py", "package.py", "lock.py", "docs/makefile.md", "src/config.ts", "a.txt", "github/x"]
)
def test_everything_else_belongs_to_whoever_holds_it(path):
    assert not shared_files.is_shared(path)


def task(name, *needs, files=(), status=RESOLVED):
    return Task(id=name, subject=name, blocked_by=list(needs), files=list(files), status=status)


def test_a_task_that_was_planned_to_write_what_is_shared_is_the_coordinators():
    assert shared_files.is_coordinator_task(task("a", files=["src/a.py", "./package.json"]))
    assert shared_files.is_coordinator_task(task("shared-1"))
    assert not shared_files.is_coordinator_task(task("a", files=["src/a.py"]))


def clashes(plan, wrote, settled=()):
    state = {"ultrapilot": {"wrote": wrote, "settled": list(settled)}}
    session = Session(id="s1", goal="g", working_dir="/p", started_at=0.0, state=state)
    return shared_files.find_clashes(session, plan)


def test_two_finished_workers_in_one_file_are_a_conflict():
    plan = [task("a"), task("b"), task("c")]
    assert clashes(plan, {"x.py": ["a", "b"], "y.py": ["c"]}) == [["x.py", "a", "b"]]


def test_one_that_waited_for_the_other_knew_its_work():
    plan = [task("a"), task("b", "a"), task("c", "b")]
    assert clashes(plan, {"x.py": ["a", "b", "c"]}) == []


def test_unfinished_work_and_what_was_settled_are_no_conflict():
    plan = [task("a"), task("b", status=FAILED), task("c")]
    assert clashes(plan, {"x.py": ["a", "b"]}) == []
    assert clashes(plan, {"x.py": ["a", "c"]}, settled=[["x.py", "a", "c"]]) == []


def test_what_the_program_planned_afterwards_comes_after_everything():
    plan = [task("a"), task("settle-1"), task("mend-2"), task("shared-1")]
    assert clashes(plan, {"x.py": ["a", "settle-1", "mend-2", "shared-1"]}) == []
