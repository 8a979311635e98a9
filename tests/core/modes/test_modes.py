"""The eight modes, and no other name."""

import pytest

from ultrawork.core.errors import UsageError
from ultrawork.core.modes import modes


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
    with pytest.raises(UsageError, match="is not a mode; "):
        modes.parse(word)


@pytest.mark.parametrize(
    ("word", "hint"),
    [
        ("pipline", "did you mean pipeline[?]"),
        ("ralf", "did you mean ralph[?]"),
        ("RALPH", "did you mean ralph[?]"),
        ("", "known: autopilot, ultrapilot"),
        ("nope", "known: autopilot, ultrapilot"),
    ],
)
def test_what_is_no_mode_is_refused_with_the_nearest_or_all_of_them(word, hint):
    with pytest.raises(UsageError, match=hint):
        modes.parse(word)


def test_a_mode_in_the_way_is_named_with_how_it_ends_in_its_client_and_in_a_terminal():
    told = modes.describe_refusal("ultrapilot", "0123456789abcdef")
    assert told == ("ultrapilot is on in session 01234567; end it there: ulw off; in a terminal: ultrawork cancel")
    assert len(told) <= 100


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
    assert modes.find_rival(mode, on) == rival
