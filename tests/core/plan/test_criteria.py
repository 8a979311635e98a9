"""Criteria: what they are, and when they are met."""

import pytest

from ultrawork.core.plan import criteria


@pytest.mark.parametrize(
    ("text", "command", "expected"),
    [
        ("make test", "make test", ""),
        ("make test => 3 passed", "make test", "3 passed"),
        ("`npm test` => exit 0", "npm test", "exit 0"),
        ("./run.sh", "./run.sh", ""),
        ("judged: reads well", "", "reads well"),
        ("The form is shown", "", "The form is shown"),
    ],
)
def test_a_criterion_is_a_command_or_judged(text, command, expected):
    found = criteria.parse(text)
    assert (found.command, found.expected) == (command, expected)
    assert found.judged == (not command)


@pytest.mark.parametrize(
    ("text", "status", "output", "met"),
    [
        ("make test", 0, "", True),
        ("make test", 1, "", False),
        ("make test", None, "", False),
        ("make test => 3 passed", 0, "3 PASSED in 1s", True),
        ("make test => 3 passed", 0, "2 passed", False),
        ("make test => 3 passed", 1, "3 passed", False),
        ("grep x y => exit 1", 1, "", True),
        ("grep x y => exit 1", 0, "", False),
    ],
)
def test_a_command_shows_what_it_should(text, status, output, met):
    assert criteria.is_met(criteria.parse(text), exit=status, output=output) is met
