"""Whole runs with real agent programs in repositories of every kind."""

import os

import pytest

from support import lfs
from support.headless import Headless
from support.repositories import KINDS, PLAN, Ground
from support.troupe import CLIENTS, Troupe

pytestmark = [pytest.mark.client, pytest.mark.release]


@pytest.mark.parametrize("name", KINDS)
def test_a_repository_of_every_kind_gets_its_results_and_nothing_else(tmp_path, seat_at, name):
    lfs.require(KINDS[name].needs)
    project = Headless(str(tmp_path / "run"))
    troupe = Troupe(list(CLIENTS)[list(KINDS).index(name) % len(CLIENTS)], project, seat_at)
    ground = Ground(project, name)
    work = [troupe.does(ground.kind.work), {"text": "The sum is fixed.\nDONE"}]
    troupe.cast(PLAN, [("TASK_ID: sum\\b", work)])
    answer = troupe.run()
    assert answer.status == 0, answer.out
    ground.check(answer.out)
    talks = f"{project.environ['HOME']}/.claude/projects"
    kept = os.listdir(talks) if os.path.isdir(talks) else []
    assert [one for one in kept if "worktrees" in one] == [], "of worktrees that are gone"
