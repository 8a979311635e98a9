"""Where to look for a goal."""

import pytest

from ultrawork.core.course import search_hints


@pytest.mark.parametrize(
    ("goal", "stack", "first"),
    [
        ("add user login", ["Next"], "middleware and api/auth"),
        ("add user login", ["express"], "routes and passport set-up"),
        ("add user login", ["Django"], "how callers are authenticated"),
        ("new endpoint for orders", [], "existing routes and controllers"),
        ("change the database model", ["prisma"], "schema.prisma and migrations"),
        ("raise test coverage", [], "existing tests and their set-up"),
        ("fix the crash", [], "the code that the failure names, and its callers"),
        ("Implement OAuth", [], "how callers are authenticated"),
        ("로그인을 추가해줘", [], "how callers are authenticated"),
        ("データベースを変更する", [], "models and how they are stored"),
        ("修复登录错误", ["express"], "routes and passport set-up"),
        ("Fehler in der Anmeldung beheben", [], "how callers are authenticated"),
        ("stop the crashing import", [], "the code that the failure names, and its callers"),
    ],
)
def test_goal_and_stack_choose_the_areas(goal, stack, first):
    assert search_hints.list_areas(goal, stack)[0] == first


def test_words_are_whole_words():
    assert search_hints.list_areas("authorship of commits", []) == [
        "where the goal's words occur, and what depends on it"
    ]


def test_there_are_never_more_than_five():
    goal = "fix auth api database test ui performance refactor cli config docs"
    assert len(search_hints.list_areas(goal, [])) == search_hints.MOST


def test_a_projects_own_areas_come_first():
    own = ["invoice, billing: the ledger, tax rules"]
    assert search_hints.list_areas("fix the invoice", [], own)[:2] == ["the ledger", "tax rules"]
