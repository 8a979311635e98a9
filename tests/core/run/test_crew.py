"""Who of a crew takes the next piece of work."""

import pytest

from ultrawork.core.errors import UsageError
from ultrawork.core.run.crew import choose_member, parse_crew

SEATS = {"claude": 2, "codex": 1}


def test_a_crew_is_read_in_its_order():
    assert parse_crew("claude:2, codex", ["claude", "codex"]) == {"claude": 2, "codex": 1}


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("claud:2", 'names "claud", which is not a backend; did you mean claude?'),
        ("claude:0", "number of claude workers"),
        ("claude:x", "number of claude workers"),
        ("claude,claude:2", "names claude twice"),
        ("", 'names "", which is not a backend'),
    ],
)
def test_a_crew_that_cannot_be_meant_is_refused(text, sentence):
    with pytest.raises(UsageError, match=sentence):
        parse_crew(text, ["claude", "codex"])


@pytest.mark.parametrize(
    ("at_work", "blocked", "wanted"),
    [
        ({}, {}, ("claude", "")),
        ({"claude": 2}, {}, ("codex", "")),
        ({"claude": 2}, {"codex": 50.0}, ("codex", "")),
        ({"claude": 2}, {"codex": 200.0}, ("claude", "codex")),
        ({"claude": 1}, {"codex": 200.0}, ("claude", "")),
        ({}, {"claude": 200.0}, ("codex", "claude")),
        ({"codex": 1}, {"claude": 200.0}, ("codex", "claude")),
        ({}, {"claude": 300.0, "codex": 200.0}, ("codex", "")),
    ],
)
def test_seats_are_filled_in_order_and_those_of_one_that_waits_by_the_others(at_work, blocked, wanted):
    found = choose_member(SEATS, at_work, blocked, 100.0)
    assert (found.name, found.instead_of) == wanted
