import pytest

from ultrawork.core.patience import Expected, too_slow, usual, why

QUICK, LONG, NEW = Expected("quick", 5.0), Expected("long", 300.0), Expected("new", None)
HUNG = Expected("hung", 60.0, cut_off=True)


@pytest.mark.parametrize(
    ("gates", "waited", "expected"),
    [
        ([QUICK], 0, []),
        ([LONG], 0, ["long"]),
        ([NEW], 0, []),
        ([HUNG], 0, ["hung"]),
        ([QUICK, LONG, NEW], 0, ["long"]),
        ([Expected("a", 70.0), Expected("b", 70.0)], 0, ["b"]),
        ([Expected("a", 70.0), Expected("b", 70.0), QUICK], 0, ["b"]),
        ([QUICK], 598, ["quick"]),
        ([NEW], 600, ["new"]),
        ([QUICK], 700, ["quick"]),
    ],
)
def test_a_stop_waits_for_what_fits_its_budget_and_the_sessions_allowance(gates, waited, expected):
    assert too_slow(gates, budget=120, waited=waited) == expected


def test_a_gate_that_nobody_timed_is_tried_even_with_a_small_budget():
    assert too_slow([NEW], budget=10, waited=0) == []


def test_the_usual_time_is_the_longest_of_the_last_three_runs():
    assert usual([(3, 4.0), (1, 90.0), (2, 5.0), (4, 2.0)]) == 5.0
    assert usual([]) is None


def test_why_names_the_time_or_that_it_never_ended():
    assert why(LONG) == "takes about 5 min, longer than a stop may wait"
    assert why(HUNG) == "did not end in 60 s, longer than a stop may wait"
