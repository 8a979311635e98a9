"""Kinds of work, by the words of a request."""

import pytest

from ultrawork.core.errors import UsageError
from ultrawork.core.routing import routes
from ultrawork.core.routing.routes import HIGH, LOW, MEDIUM


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("Make the dashboard layout responsive", "visual-engineering"),
        ("Investigate the deadlock and its root cause", "ultrabrain"),
        ("Find where is the port set", "quick"),
        ("Brainstorm some original names", "artistry"),
        ("Write a tutorial for the readme", "writing"),
        ("find find find", None),
        ("Rework the buildings", None),
        ("The designer has unformed thoughts", None),
        ("", None),
    ],
)
def test_two_words_of_a_kind_make_it_that_kind(words, name):
    found = routes.detect_category(words)
    assert (found.name if found else None) == name


@pytest.mark.parametrize(
    ("tier", "name"), [(LOW, "unspecified-low"), (MEDIUM, "unspecified-high"), (HIGH, "unspecified-high")]
)  # fmt: skip
def test_where_the_words_say_nothing_the_tier_of_the_work_does(tier, name):
    assert routes.choose_category("hello", tier).name == name


def test_what_somebody_asked_for_stands():
    assert routes.choose_category("find where is the port", LOW, "writing").name == "writing"


def test_an_unknown_kind_is_refused_and_the_known_ones_are_named():
    with pytest.raises(UsageError, match="quick"):
        routes.parse_category("quik")


def test_every_kind_has_an_effort_with_a_number():
    assert all(one.document()["thinking_tokens"] for one in routes.CATEGORIES.values())
