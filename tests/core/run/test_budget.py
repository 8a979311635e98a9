"""What fits into a budget, and the sentence when it does not."""

import pytest

from ultrawork.core.run.prices import Amount, find_refusal

LIMIT = Amount(10, depth=2, tokens=1000, usd=5.0, minutes=60)


def test_what_fits_is_not_refused():
    assert find_refusal(LIMIT, Amount(9, tokens=500, usd=4.0), Amount(1, tokens=500, usd=1.0)) == ""


@pytest.mark.parametrize(
    ("spent", "wanted", "sentence"),
    [
        (Amount(10), Amount(1), "the budget of 10 agents would be exceeded: 10 agents spent"),
        (Amount(tokens=900), Amount(tokens=101), "the budget of 1,000 tokens would be exceeded"),
        (Amount(usd=4.2), Amount(usd=1.0), "5.00 USD would be exceeded: 4.20 USD spent or reserved"),
        (Amount(depth=2), Amount(depth=1), "the budget of 2 levels of agents"),
        (Amount(minutes=60), Amount(minutes=0.5), "raise --deadline"),
    ],
)
def test_what_does_not_fit_is_refused_in_a_sentence(spent, wanted, sentence):
    assert sentence in find_refusal(LIMIT, spent, wanted)


def test_a_limit_of_nothing_is_no_limit():
    assert find_refusal(Amount(), Amount(999, usd=999.0), Amount(1, usd=1.0)) == ""
