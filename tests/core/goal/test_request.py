"""What a goal asks for, over goals as people write them."""

import os
import tomllib

import pytest

from ultrawork.core.goal import request
from ultrawork.core.goal.goals import WORK, find_expectation
from ultrawork.core.goal.phrases import drop_pasted, list_code_names
from ultrawork.core.verdict.gate import BUILD, LINT, TEST, TYPES

HERE = os.path.dirname(__file__)
COMMANDS = {TEST: "python -m pytest", LINT: "ruff check .", TYPES: "mypy src", BUILD: "npm run build"}
with open(f"{HERE}/goal_requests.toml", "rb") as file:
    REQUESTS = {goal: said for told in tomllib.load(file).values() for goal, said in told.items()}
with open(f"{HERE}/goal_coverage.toml", "rb") as file:
    COVERAGE = tomllib.load(file)


def read(goal):
    """Everything that a goal asks for, without a test of its own."""
    told = {
        "work": find_expectation(goal) == WORK and not request.asks_run_only(goal),
        "run": request.asks_run_only(goal),
        "commit": request.asks_commit(goal),
        "push": request.asks_push(goal),
        "tests": request.asks_tests(goal),
        "covers": request.covers_test(goal, "tests/test_zebra.py::test_zebra", {"zebra"}),
    }
    told |= {kind: request.wants_check(goal, kind, command) for kind, command in COMMANDS.items()}
    return {name for name, holds in told.items() if holds}


@pytest.mark.parametrize("goal", REQUESTS)
def test_a_goal_asks_for_what_a_fair_reader_would_say(goal):
    assert read(goal) == set(REQUESTS[goal].split())


@pytest.mark.parametrize(
    ("goal", "shows"),
    [
        ("fix the total", True),
        ("fix the login bug, lint must pass", True),
        ("Fix the crash and the lint errors", True),
        ("fix staticcheck linting", False),
        ("fix mypy errors", False),
        ("fix the build", False),
        ("add a total", False),
    ],
)
def test_a_fix_of_lint_types_or_the_build_is_nothing_that_a_test_can_show(goal, shows):
    assert request.is_fix_for_tests(goal) is shows


@pytest.mark.parametrize(("goal", "test", "names", "covered"), COVERAGE["changed"])
def test_a_goal_allows_to_change_just_the_tests_that_it_means(goal, test, names, covered):
    assert request.covers_test(goal, test, names.split()) is covered


@pytest.mark.parametrize(("goal", "test", "names", "covered"), COVERAGE["vanished"])
def test_a_goal_to_remove_a_thing_covers_the_tests_that_go_with_it(goal, test, names, covered):
    assert request.covers_vanished(goal, test, names.split()) is covered


def test_a_goal_that_undoes_a_commit_names_nothing_that_must_be_gone():
    """What the commit brought decides, not the words of the goal."""
    assert request.name_removed("revert the last commit, it breaks the player") == set()
    assert request.name_removed("remove the discount, it breaks the player") == {"discount"}
    assert request.name_removed("take discount() out, including its tests") == {"discount"}


@pytest.mark.parametrize(("goal", "test", "_", "wanted"), COVERAGE["wanted"])
def test_a_goal_wants_a_test_that_it_names_to_pass(goal, test, _, wanted):
    assert request.wants_test(goal, test) is wanted


@pytest.mark.parametrize(("goal", "names"), COVERAGE["names"])
def test_names_in_code_form_are_found_and_plain_words_are_not(goal, names):
    assert request.list_code_names(goal) == names.split()


@pytest.mark.parametrize(
    ("goal", "names"),
    [
        ("fix `load()`:\n```\n>>> read_all()\n```\nand keep `save()`", "load save"),
        ("fix `load()`\n\n  File 'a.py', line 3, in load\n    self.send(**send_kwargs)\nit must not raise", "load"),
        ("load() ends with ParseError: bad_token at 3", "load bad_token"),
        ("raise a `ParseError` in load()", "ParseError load"),
        ("do both:\n  - add `count()`\n  2. drop `sum_up()`", "count sum_up"),
    ],
)
def test_what_a_person_pasted_into_a_goal_names_nothing_that_must_be_there(goal, names):
    assert list_code_names(drop_pasted(goal)) == names.split()


@pytest.mark.parametrize(
    ("goal", "may"),
    [
        ("feat: nil version equality", False),
        ("fix Equal for nil", False),
        ("speed up parsing", False),
        ("make the tests faster", True),
        ("drop support for Python 2", True),
        ("entferne den Cache", True),
        ('Revert "Add a cache"', True),
        ("refactor: one parser for both", True),
        ("räum den Parser auf", True),
    ],
)
def test_tests_may_go_where_the_goal_speaks_of_them_takes_out_or_puts_in_order(goal, may):
    assert request.may_cost_tests(goal) is may
