"""Which tier of model a piece of work deserves."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ultrawork.core.routing import routes
from ultrawork.core.routing.routes import HIGH, LOW, MEDIUM

TEXTS = st.lists(
    st.sampled_from(
        [
            "why",
            "refactor",
            "production",
            "security",
            "find",
            "the",
            "entire",
            "system",
            "and",
            "deploy",
            "urgent",
            "design",
            "get",
            "debug",
            "-",
            "1.",
            "src/a/b.py",
            "tests",
            "module",
            "across",
        ]
    ),
    max_size=60,
).map(" ".join)


@pytest.mark.parametrize(
    ("text", "tier", "rule"),
    [
        ("Find the config file", LOW, "simple-search-query"),
        ("Rename variable x to y", LOW, "short-local-change"),
        ("Why is the server not working?", HIGH, "deep-debugging"),
        ("Fix the authentication vulnerability", HIGH, "security-domain"),
        ("Deploy to production urgently", HIGH, "difficult-reversibility-risk"),
        ("Update package versions", MEDIUM, "module-level-work"),
        ("Refactor the architecture of the entire system", HIGH, "architecture-system-wide"),
        ("Investigate the root cause in the entire system", HIGH, "system-wide-debugging"),
    ],
)
def test_the_first_rule_that_fits_decides(text, tier, rule):
    route = routes.choose_route(text)
    assert (route.tier, route.rule) == (tier, rule)


@pytest.mark.parametrize("text", ["the designer page", "widget and gadget", "showroom listing"])
def test_a_part_of_a_word_is_not_that_word(text):
    found = routes.find_signals(text)
    assert not found["architecture"]
    assert not found["simple"]


def test_failures_raise_the_tier():
    tiers = [routes.choose_route("Find the config file", failures=n).tier for n in range(4)]
    assert tiers == [LOW, MEDIUM, HIGH, HIGH]


def test_a_raised_tier_is_explained():
    reasons = routes.choose_route("Find the config file", failures=2).reasons
    assert "raised from LOW after 2 failed attempts" in reasons


def test_a_given_model_always_stands():
    route = routes.choose_route("Refactor the entire architecture", model="haiku", failures=5)
    assert (route.model, route.rule) == ("haiku", routes.EXPLICIT)


def test_the_same_words_weigh_differently_for_different_agents():
    assert routes.choose_route("check the plan", agent="ultrawork:planner").rule == "planner-simple-breakdown"
    assert routes.choose_route("check the plan", agent="critic").rule == "critic-checklist-review"


@given(TEXTS, st.integers(0, 50))
def test_confidence_is_a_share_and_more_failures_never_lower_the_tier(text, failures):
    route = routes.choose_route(text, failures=failures)
    more = routes.choose_route(text, failures=failures + 1)
    assert 0 <= route.confidence <= 1
    assert routes.TIERS.index(more.tier) >= routes.TIERS.index(route.tier)


def test_lists_count_as_subtasks():
    assert routes.find_signals("- a\n- b\n- c")["subtasks"] == 4
    assert routes.find_signals("1. a\n2. b")["subtasks"] == 3
    assert routes.find_signals("do a and b")["subtasks"] == 1
