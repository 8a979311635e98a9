"""What a goal says about itself, in several languages."""

import pytest

from ultrawork.core.verdict import goals

READING = [
    "review the login module",
    "Please explain how sessions expire",
    "can you find out why the report is slow",
    "why is test_login red?",
    "What does build.py do",
    "summarise the last ten commits",
    "ulw analyse the scheduler",
    "plan the migration to PostgreSQL",
    "Erkläre mir die Sitzungsverwaltung",
    "Warum schlägt der Test fehl?",
    "explique le module de paiement",
    "s'il te plaît analyse le module de paiement",
    "explica cómo funciona el inicio de sesión",
    "analise o módulo de pagamento",
    "spiega il modulo dei pagamenti",
    "объясни модуль оплаты",
    "解释一下登录模块",
    "ログイン処理を説明してください。",
    "로그인 모듈을 설명해줘",
    "explain how to add a user",
]
WORKING = [
    "fix the login bug",
    "find and fix the login bug",
    "review the module and then add tests",
    "finde und behebe den Fehler",
    "add a review page",
    "build a login page",
    "corrige el error",
    "исправь ошибку входа",
    "修复登录错误",
    "",
    "12345",
]


@pytest.mark.parametrize("goal", READING)
def test_a_goal_that_asks_expects_no_change(goal):
    assert goals.is_read_only(goal)


@pytest.mark.parametrize("goal", WORKING)
def test_a_goal_that_orders_expects_a_change(goal):
    assert not goals.is_read_only(goal)


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
