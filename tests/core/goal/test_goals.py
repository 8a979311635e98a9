"""What a goal says about itself, in several languages."""

import os
import tomllib

import pytest

from ultrawork.core.goal import goals

EXPECTED = {"w": goals.WORK, "a": goals.ANSWER, "e": goals.EITHER}
with open(f"{os.path.dirname(__file__)}/goal_sentences.toml", "rb") as file:
    SENTENCES = {goal: label for told in tomllib.load(file).values() for goal, label in told.items()}


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
    "goal", ["add an abstract Shelf", "füge eine abstrakte Klasse hinzu", "写一个抽象类", "add an interface for it"]
)
def test_abstract_code_is_asked_for(goal):
    assert goals.asks_for_abstract(goal)
    assert not goals.asks_for_abstract("fix the login bug")


CALLS = ["make links", "make tests", "make install", "just check-all", "npm run lint:css", "npm test", "yarn lint"]


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


@pytest.mark.parametrize(
    ("goal", "docs"),
    [
        ("fix the typo in the README", True),
        ("repair the broken links of the guide", True),
        ("Tippfehler in der Doku beheben", True),
        ("fix install.md", True),
        ("document from_roman with an example", True),
        ("fix the bug that customers reported", False),
        ("the login is broken", False),
    ],
)
def test_a_goal_about_words_is_known(goal, docs):
    assert goals.speaks_of_docs(goal) is docs


@pytest.mark.parametrize(
    ("goal", "found"),
    [
        ("fix `cents`: negative amounts are wrong", False),
        ("fix the login of `User.find`", False),
        ("fix the flaky `test_cents`", True),
        ("fix the fixture `user`", True),
        ("fix the deprecation warnings of `load`", True),
        ("corrige las pruebas de `load`", True),
        ("исправь тест для `load`", True),
        ("fix CI for `load`", True),
    ],
)
def test_a_goal_that_speaks_of_tests_is_known(goal, found):
    assert goals.speaks_of_tests(goal) is found


@pytest.mark.parametrize(
    ("goal", "order"),
    [
        ("let `mark` refuse 0 with ValueError, and test that", "let `mark` refuse 0 with ValueError"),
        ("add `count(days)` with a test", "add `count(days)`"),
        ("`count` should ignore 0; add tests", "`count` should ignore 0"),
        ("write tests for `count`, and fix what fails", ""),
        ("in `count()`, add a test", ""),
        ("the test of `count` fails; mock `clock`", ""),
    ],
)
def test_what_is_ordered_before_tests_is_found(goal, order):
    assert goals.find_order_before_tests(goal) == order


@pytest.mark.parametrize(
    ("goal", "beside"),
    [
        ("excerpt should trim leading blanks; with a test", True),
        ("a free price must count as well, plus tests", True),
        ("fix the rounding, with a regression test", True),
        ("der Preis muss gerundet werden, mit einem Test", True),
        ("prices must never be negative, write a property test for that", False),
        ("the refund path must be covered. Add a test.", False),
        ("make sure that total() should not regress, with tests", False),
        ("write a test that excerpt should trim", False),
        ("with a test", False),
    ],
)
def test_a_demand_beside_a_test_is_for_the_product(goal, beside):
    assert goals.wants_more_than_test(goal) is beside
