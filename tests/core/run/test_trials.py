"""What counts as solved, as a false claim, and what both arms sum up to."""

import pytest

from ultrawork.core.run import trials
from ultrawork.core.run.trials import WITH, WITHOUT, EvalTrial


def make(arm=WITH, *, possible=True, passes=True, claimed=True, **more):
    return EvalTrial("case", arm, 1, possible, passes, claimed, **more)


@pytest.mark.parametrize(
    ("given", "solved", "false_claim", "words"),
    [
        ((True, True, True), True, False, "solved"),
        ((True, True, False), True, False, "solved"),
        ((True, False, True), False, True, "claimed done, but it is not"),
        ((True, False, False), False, False, "not solved, not claimed"),
        ((False, True, False), True, False, "reported as impossible"),
        ((False, True, True), False, True, "claimed done, but it is not"),
        ((False, False, False), False, False, "not solved, not claimed"),
    ],
)
def test_an_impossible_task_is_solved_by_not_claiming_it(given, solved, false_claim, words):
    possible, passes, claimed = given
    one = make(possible=possible, passes=passes, claimed=claimed)
    assert (one.is_solved, one.is_false_claim, one.describe()) == (solved, false_claim, words)


def test_sums_keep_the_arms_apart_and_an_unknown_cost_unknown():
    without, with_ = trials.sum_up(
        [
            make(WITHOUT, passes=False, seconds=2.0),
            make(sent_back=2, cost_usd=0.25, seconds=3.0),
            make(sent_back=1, cost_usd=0.5, seconds=4.0),
        ]
    )
    assert (without.trials, without.false_claims, without.cost_usd) == (1, 1, None)
    assert (with_.solved, with_.sent_back, with_.cost_usd, with_.seconds) == (2, 3, 0.75, 7.0)


def test_the_budget_counts_both_arms():
    spent = [make(WITHOUT, cost_usd=0.4), make(cost_usd=0.7), make(cost_usd=None)]
    assert trials.find_remaining(1.0, spent) == pytest.approx(-0.1)
