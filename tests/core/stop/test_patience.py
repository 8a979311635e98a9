import pytest

from ultrawork.core.stop.gate_limits import GateTiming, estimate_left, explain_slow, find_usual_seconds, list_too_slow

QUICK, LONG, NEW = GateTiming("quick", 5.0), GateTiming("long", 300.0), GateTiming("new", None)
HUNG = GateTiming("hung", 60.0, cut_off=True)


@pytest.mark.parametrize(
    ("gates", "waited", "expected"),
    [
        ([QUICK], 0, []),
        ([LONG], 0, ["long"]),
        ([NEW], 0, []),
        ([HUNG], 0, ["hung"]),
        ([QUICK, LONG, NEW], 0, ["long"]),
        ([NEW, NEW, NEW, QUICK], 0, []),
        ([GateTiming("a", 70.0), GateTiming("b", 70.0)], 0, ["b"]),
        ([GateTiming("a", 70.0), GateTiming("b", 70.0), QUICK], 0, ["b"]),
        ([QUICK], 598, ["quick"]),
        ([NEW], 600, ["new"]),
        ([QUICK], 700, ["quick"]),
    ],
)
def test_a_stop_waits_for_what_fits_its_budget_and_the_sessions_allowance(gates, waited, expected):
    assert list_too_slow(gates, budget=120, waited=waited) == expected


def test_a_gate_that_nobody_timed_is_tried_even_with_a_small_budget():
    assert list_too_slow([NEW], budget=10, waited=0) == []


def test_the_usual_time_is_the_longest_of_the_last_three_runs():
    assert find_usual_seconds([(3, 4.0), (1, 90.0), (2, 5.0), (4, 2.0)]) == 5.0
    assert find_usual_seconds([]) is None


def test_why_names_the_time_or_that_it_never_ended():
    assert explain_slow(LONG) == "takes about 5 min, longer than a stop can wait"
    assert explain_slow(HUNG) == "did not finish last time, and a stop cannot wait for it"
    assert explain_slow(NEW).startswith("did not run")


def test_a_check_whose_baseline_goes_on_is_slow_and_what_is_left_is_told_as_far_as_it_is_known():
    running = GateTiming("new", None, running_for=61.0)
    assert list_too_slow([running], budget=120, waited=0) == ["new"]
    assert explain_slow(running) == "has run for 1 min 1 s on the baseline and is not done"
    assert estimate_left(LONG, runs=1) == "about 5 min left"
    assert estimate_left(LONG, runs=2) == "about 10 min left"
    assert estimate_left(LONG, runs=1, tests=300) == "300 tests, about 5 min left"
    assert estimate_left(HUNG, runs=1, tests=300) == "expected to take more than 1 min"
    assert estimate_left(running, runs=2) == "expected to take more than 1 min 1 s"
    assert estimate_left(HUNG, runs=1) == "expected to take more than 1 min"
    assert estimate_left(NEW, runs=1) == "duration not known yet"
