"""Whole runs in repositories of every kind: merged, the checkout intact, nothing left behind."""

import random
import resource

import pytest

from support import histories, lfs
from support.headless import FIX, GOAL, SHOW, Headless, task, worker
from support.histories import PIECE, measure
from support.repositories import KINDS, PLAN, Ground, list_leftovers

SAMPLE = 3
PATIENCE = 1200  # for 20,000 files on a busy machine
SEED = 35  # with each change of the list another three
SMALL = [name for name in KINDS if not KINDS[name].big and not KINDS[name].needs]
PICKED = random.Random(SEED + len(KINDS)).sample(SMALL, SAMPLE)


def go(root, name):
    lfs.require(KINDS[name].needs)
    project = Headless(root)
    ground = Ground(project, name)
    step = {"run": ["sh", "-c", ground.kind.work]}
    project.cast(PLAN, worker("sum", step, {"say": "DONE"}))
    words = ["run", "--auto", "--backend", "script", GOAL]
    answer = project.run(*words, patience=PATIENCE)
    assert answer.status == 0, answer
    ground.check(answer.out)


@pytest.mark.slow
@pytest.mark.parametrize("name", PICKED)
def test_a_sample_of_repositories_gets_its_results_and_nothing_else(tmp_path, name):
    go(str(tmp_path), name)


@pytest.mark.release
@pytest.mark.parametrize("name", KINDS)
def test_a_repository_of_every_kind_gets_its_results_and_nothing_else(tmp_path, name):
    go(str(tmp_path), name)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["autocrlf", "line ends", "filter"])
def test_line_ends_and_filters_keep_the_strength_of_proof(tmp_path, name):
    project = Headless(str(tmp_path))
    Ground(project, name)
    project.cast(PLAN, worker("sum", FIX, SHOW))
    answer = project.run("run", "--auto", "--backend", "script", GOAL, patience=PATIENCE)
    assert answer.status == 0, answer
    assert "; proved\n" in answer.out, answer.out


CHOOSY = "sh -c 'x=$(cat); test \"$x\" = open && echo bcra && exit; echo no key >&2; exit 1'"


@pytest.mark.slow
def test_a_file_whose_filter_cannot_run_ends_its_task_at_the_first_attempt_with_the_cause(tmp_path):
    project = Headless(str(tmp_path))
    Ground(project, "filter")
    project.git("config", "filter.rot.clean", CHOOSY)
    project.cast(PLAN, worker("sum", FIX, {"write": "key.secret", "text": "shut\n"}))
    answer = project.run("run", "--auto", "--backend", "script", GOAL, patience=PATIENCE)
    assert answer.status != 0
    assert "key.secret needs the filter rot, which fails: no key" in answer.out, answer.out
    attempts = project.run("logs", "sum", "--json").data["attempts"]
    assert [one["epoch"] for one in attempts] == [1]


@pytest.mark.slow
def test_lfs_keeps_the_strength_of_proof_without_running_in_copies(tmp_path):
    lfs.require(lfs.PROGRAM)
    project = Headless(str(tmp_path))
    lfs.lay(project)
    project.git("config", "filter.lfs.smudge", "false")
    project.git("config", "filter.lfs.process", "false")
    project.write("calc.py", FIX["text"])
    project.write("test_sum.py", f"{SHOW['text']}\n    def test_data(self):\n        {IS_WHOLE}\n")
    answer = project.run("verify", patience=PATIENCE)
    assert "PASS, proved by test_sum" in answer.out, answer


IS_WHOLE = "self.assertEqual(len(open('data/a.bin').read()), 5000)"


@pytest.mark.slow
def test_files_of_lfs_that_cannot_be_fetched_end_a_run_at_the_first_attempt_with_the_cause(tmp_path):
    lfs.require(lfs.PROGRAM)
    project = Headless(str(tmp_path))
    lfs.clone_without_contents(project)
    project.cast(PLAN, worker("sum", FIX, SHOW))
    answer = project.run("run", "--auto", "--backend", "script", GOAL, patience=PATIENCE)
    assert answer.status != 0
    assert "data/a.bin: smudge filter lfs failed: Error downloading object" in answer.out, answer
    assert "in a row" not in answer.out
    assert project.git("worktree", "list").count("\n") == 0


def limit_files():
    """No file as large as a piece of the history can be written."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (PIECE // 2, PIECE // 2))


TWO = [task("sum"), task("other", criteria=["test -f other.py"])]


@pytest.mark.slow
@pytest.mark.parametrize("is_there", [True, False])
def test_a_run_neither_copies_nor_reads_what_only_the_history_holds(tmp_path, is_there):
    """16 MB; a git that reads a content that is not there fails."""
    project = Headless(str(tmp_path))
    histories.lay(project, 2)
    if not is_there:
        histories.drop(project)
    before = measure(f"{project.place}/.git")
    project.cast(TWO, worker("sum", FIX, SHOW), worker("other", {"write": "other.py", "text": "x = 1\n"}))
    words = ["run", "--auto", "--backend", "script", GOAL]
    answer = project.run(*words, patience=PATIENCE, preexec=limit_files)
    assert answer.status == 0, answer
    assert "; proved\n" in answer.out, answer.out
    assert measure(f"{project.place}/.git") - before < 1 << 20
    assert measure(project.home) < PIECE
    assert project.git("status", "--porcelain") == ""
    assert list_leftovers(project.root) == []


@pytest.mark.slow
def test_a_worktree_that_stays_is_named_with_the_reason_and_the_command_that_removes_it(tmp_path):
    """Its agent left it on a branch of its own that shares no commit with ours."""
    project = Headless(str(tmp_path))
    stray = {"run": ["sh", "-c", "git switch -q --orphan x && git commit -q --allow-empty -m y"]}
    project.cast(PLAN, worker("sum", stray, attempt=1), worker("sum", FIX, SHOW))
    answer = project.go()
    assert answer.status == 0, answer
    (kept,) = [line for line in answer.out.splitlines() if line.startswith("kept ")]
    reason, _, command = kept.partition(". Remove it: ")
    assert "sum.1/project: the worker switched from its branch" in reason
    assert project.git("worktree", "list").count("\n") == 1
    project.git(*command.split()[1:])
    assert project.git("worktree", "list").count("\n") == 0
