"""What a goal says about itself, in several languages."""

import os
import tomllib

import pytest

from ultrawork.core.verdict import goals

EXPECTED = {"w": goals.WORK, "a": goals.ANSWER, "e": goals.EITHER}
with open(f"{os.path.dirname(__file__)}/goal_sentences.toml", "rb") as file:
    SENTENCES = {
        goal: label for told in tomllib.load(file).values() for goal, label in told.items()
    }


@pytest.mark.parametrize("goal", SENTENCES)
def test_a_goal_is_read_as_a_fair_reader_would(goal):
    label, _, fix = SENTENCES[goal].partition(" ")
    assert goals.find_expectation(goal) == EXPECTED[label]
    assert goals.is_read_only(goal) == (label == "a")
    assert goals.is_fix(goal) == bool(fix)


@pytest.mark.parametrize(
    "goal",
    [
        "fix paging. do not run the tests, I will",
        "don't run anything, just rename total",
        "rename total without running the tests",
        "Fix it, but please don\u2019t run the test suite",
        "mend the pager; I'll run the tests myself",
        "never run the tests here",
        "behebe den Fehler, führe die Tests nicht aus",
        "corrige le bug, ne lance pas les tests",
        "arregla el error, no ejecutes las pruebas",
        "corrija o erro, não rode os testes",
        "correggi l'errore senza eseguire i test",
        "repareer de fout, draai de tests niet",
        "исправь ошибку, не запускай тесты",
        "修复错误。不要运行测试",
        "バグを直して。テストは実行しないで",
        "버그를 고쳐줘. 테스트를 실행하지 마",
    ],
)
def test_the_word_of_a_person_that_nothing_runs_is_heard(goal):
    assert goals.forbids_running(goal)


@pytest.mark.parametrize(
    "goal",
    [
        "the tests do not run on Windows",
        "do not run migrations at import",
        "do not run the tests twice in CI",
        "don't run the tests in parallel",
        "make sure the tests don't run the migrations",
        "run the tests",
        "fix the bug that lets pytest not run tests",
        "",
    ],
)
def test_other_goals_forbid_nothing(goal):
    assert not goals.forbids_running(goal)


@pytest.mark.parametrize(
    "goal",
    [
        "add an abstract Shelf",
        "füge eine abstrakte Klasse hinzu",
        "写一个抽象类",
        "add an interface for it",
    ],
)
def test_abstract_code_is_asked_for(goal):
    assert goals.asks_for_abstract(goal)
    assert not goals.asks_for_abstract("fix the login bug")


@pytest.mark.parametrize(
    "goal",
    [
        "make the tests green",
        "the suite is red",
        "repair the build",
        "ci is red",
        "fix the failing tests",
        "look at the failing test, it must pass",
        "find the bug. Fix it, all tests must pass",
        "arregla las pruebas",
        "修复测试",
    ],
)
def test_a_goal_speaks_of_the_suite_as_such(goal):
    assert goals.speaks_of_suite(goal)


@pytest.mark.parametrize(
    "goal",
    [
        "add tests for the parser",
        "write a regression test for the crash",
        "fix the login bug and add a test",
        "move the test data",
        "the test page shows 3",
        "fix the tests of the parser",
        "build a login page",
        "format the tests",
        "test more discounts",
        "make the five tests one with parameters",
        "say in the readme how the tests are run",
        "fix paging. do not run the tests, I will",
    ],
)
def test_tests_to_write_or_of_one_thing_are_not_the_suite(goal):
    assert not goals.speaks_of_suite(goal)


CALLS = [
    "make links",
    "make tests",
    "make install",
    "just check-all",
    "npm run lint:css",
    "npm test",
    "yarn lint",
]


@pytest.mark.parametrize(
    ("goal", "named"),
    [
        ("mend the docs; make links must pass", ["make links"]),
        ("npm run lint:css must be green", ["npm run lint:css"]),
        ("fix make links", ["make links"]),
        ("`make links` should be green, and so should `npm test`", ["make links", "npm test"]),
        ("just check-all has to pass", ["just check-all"]),
        ("yarn lint fails", ["yarn lint"]),
        ("make links is red", ["make links"]),
        ("rename make links to make check", []),
        ("make links blue", []),
        ("make install work on macOS", []),
        ("do not run npm test, it must stay red", []),
        ("make links-all must pass", []),
        ("npm run lint:css:fix must be green", []),
        ("fix the login bug", []),
    ],
)
def test_a_check_that_the_goal_wants_green_is_named(goal, named):
    assert goals.find_named_checks(goal, CALLS) == named


def test_a_goal_names_a_test_by_its_own_name_or_its_file():
    assert goals.names_test("make test_login green", "tests/test_auth.py::test_login")
    assert goals.names_test("tests/test_auth.py must pass", "tests/test_auth.py::test_login")
    assert not goals.names_test("fix the login", "tests/test_auth.py::test_login")


def test_a_goal_says_the_name_of_a_test_only_with_all_of_its_words():
    assert goals.names_test_in_words("count the last page too", "pages > counts the last page")
    assert goals.names_test_in_words("sort names by case", "test_book.BookTest.test_sorts_by_case")
    assert not goals.names_test_in_words("count the pages", "counts the last page")
    assert not goals.names_test_in_words("mend the login", "tests/test_auth.py::test_login")


@pytest.mark.parametrize(
    "goal",
    [
        "make the tests green",
        "the suite is red",
        "repair the build",
        "why does CI fail",
        "ci is red",
        "the docker build fails",
        "arregla las pruebas",
        "исправь тесты",
        "修复测试",
        "テストを直して",
    ],
)
def test_a_goal_about_tests_is_recognised(goal):
    assert goals.is_about_tests(goal)


@pytest.mark.parametrize(
    "goal",
    ["fix the login bug", "build a login page", "Build", "ora ci serve una pagina", "latest news"],
)
def test_other_goals_are_not_about_tests(goal):
    assert not goals.is_about_tests(goal)


@pytest.mark.parametrize(
    ("goal", "test"),
    [
        ("skip test_slow for now", "tests/test_a.py::test_slow"),
        ("test_old is wrong, mend the code", "tests/test_a.py::TestBox::test_old[1]"),
        ("quarantine tests/test_net.py", "tests/test_net.py::test_get"),
        ("rewrite test_net", "tests/test_net.py::test_get"),
        ("TestBox is outdated", "tests/test_a.py::TestBox::test_old"),
        ("remove the test 'adds numbers'", "math.test.js > adds numbers"),
        ("drop TestOld", "example.com/pay.TestOld"),
    ],
)
def test_a_goal_that_names_a_test_as_wrong_allows_to_change_it(goal, test):
    assert goals.may_put_away(goal, test)


@pytest.mark.parametrize(
    ("goal", "test"),
    [
        ("fix the login bug", "tests/test_login.py::test_login"),
        ("make test_login green", "tests/test_login.py::test_login"),
        ("remove the old pages", "tests/test_login.py::test_login"),
        ("skip test_slow_start", "tests/test_a.py::test_slow"),
        ("skip the test of paging", "paging.test.js > test"),
        ("remove the login page", "login.test.js > login > shows"),
    ],
)
def test_a_goal_that_does_not_name_it_so_allows_nothing(goal, test):
    assert not goals.may_put_away(goal, test)


@pytest.mark.parametrize(
    ("goal", "docs"),
    [
        ("fix the typo in the README", True),
        ("repair the broken links of the guide", True),
        ("Tippfehler in der Doku beheben", True),
        ("fix install.md", True),
        ("fix the bug that customers reported", False),
        ("the login is broken", False),
    ],
)
def test_a_goal_about_words_is_known(goal, docs):
    assert goals.speaks_of_docs(goal) is docs
