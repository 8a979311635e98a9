"""The eight modes, and no other name."""

import pytest

from ultrawork.core import modes
from ultrawork.core.errors import UsageError


def test_there_are_eight_modes():
    assert sorted(modes.ALL) == [
        "autopilot",
        "pipeline",
        "ralph",
        "swarm",
        "team",
        "ultrapilot",
        "ultraqa",
        "ultrawork",
    ]


@pytest.mark.parametrize("mode", modes.ALL)
def test_a_mode_is_taken_by_its_name(mode):
    assert modes.parse(mode) == mode


@pytest.mark.parametrize("word", ["", "RALPH", "../ralph", "ralph-state", "ralph\0"])
def test_nothing_else_is_a_mode(word):
    with pytest.raises(UsageError, match="known: autopilot"):
        modes.parse(word)


@pytest.mark.parametrize(
    ("mode", "on", "rival"),
    [
        ("ultraqa", ["ultrawork", "ralph"], "ralph"),
        ("ultrapilot", ["swarm"], "swarm"),
        ("pipeline", ["team"], "team"),
        ("team", ["autopilot"], ""),
        ("autopilot", ["team"], "team"),
        ("ralph", ["team", "ultrawork"], ""),
        ("swarm", ["swarm", "team", "ralph"], ""),
    ],
)
def test_in_one_session_only_what_goes_together_is_on(mode, on, rival):
    assert modes.beside(mode, on) == rival
