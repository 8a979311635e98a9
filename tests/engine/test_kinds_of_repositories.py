"""Whole runs in repositories of every kind: merged, the checkout intact, nothing left behind."""

import random

import pytest

from support.headless import FIX, GOAL, SHOW, Headless, worker
from support.repositories import KINDS, PLAN, Ground, list_fitting

SAMPLE = 3
PATIENCE = 1200  # for 20,000 files on a busy machine
SEED = 35  # with each change of the list another three
SMALL = [name for name in KINDS if not KINDS[name].big and not KINDS[name].needs]
PICKED = random.Random(SEED + len(KINDS)).sample(SMALL, SAMPLE)


def go(root, name):
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
@pytest.mark.parametrize("name", list_fitting())
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
