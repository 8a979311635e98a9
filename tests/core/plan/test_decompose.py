"""A goal taken apart without a model."""

import pytest

from ultrawork.core.plan import decompose


@pytest.mark.parametrize(
    ("goal", "kind"),
    [
        ("Fix the login bug", "bug-fix"),
        ("Refactor the auth module and the api server", "refactoring"),
        ("Build a fullstack todo app", "fullstack-app"),
        ("Write documentation for the project", "documentation"),
        ("Optimize performance of the query", "optimization"),
        ("Add a search box", "feature"),
        ("prefixes", "other"),
    ],
)
def test_a_goal_is_of_a_kind(goal, kind):
    assert decompose.classify_goal(goal) == kind


def test_areas_wait_for_what_they_stand_on():
    parts = decompose.decompose("Add a dashboard with a frontend page, a backend API, tests and a database table")
    found = {part.subject.partition(":")[0]: (part.id, part.blocked_by) for part in parts}
    assert list(found) == ["database", "backend", "frontend", "testing"]
    assert found["frontend"][1] == [found["backend"][0]]
    assert set(found["testing"][1]) == {found[name][0] for name in ("frontend", "backend", "database")}
    owned = [pattern for part in parts for pattern in part.owns]
    assert len(owned) == len(set(owned))


def test_a_list_is_worked_off_in_its_order():
    parts = decompose.decompose("1. Add login page\n2. Add logout button\n3. Write tests")
    assert [(part.subject, part.blocked_by) for part in parts] == [
        ("Add login page", []),
        ("Add logout button", ["t1"]),
        ("Write tests", ["t2"]),
    ]


def test_a_small_goal_is_one_task():
    assert [part.subject for part in decompose.decompose("Fix the login bug")] == ["Fix the login bug"]
