"""An agent is alive by any sign, hung without all of them, and going in circles by its calls."""

import pytest

from ultrawork.core.run.subagents import BUSY_SHARE, HUNG, LOOPING, QUIET, REPEATING, AgentLiveness, AgentSample


def felt(*signs, every=10.0):
    pulse = AgentLiveness(0.0)
    for number, sign in enumerate(signs, 1):
        pulse.feel(sign, number * every)
    return pulse


def test_one_that_shows_nothing_is_hung_after_its_time():
    pulse = felt(AgentSample(), AgentSample(), AgentSample())
    assert pulse.judged(14.0, patience=30.0) == ""
    assert pulse.judged(15.0, patience=30.0) == QUIET
    assert pulse.judged(29.0, patience=30.0) == QUIET
    assert pulse.judged(30.0, patience=30.0) == HUNG


@pytest.mark.parametrize(
    "grown",
    [AgentSample(output_bytes=1), AgentSample(transcript_bytes=1), AgentSample(cpu_seconds=5.0)],
    ids=["output", "transcript", "cpu"],
)
def test_any_sign_is_enough(grown):
    assert felt(AgentSample(), AgentSample(), grown).judged(40.0, patience=30.0) == ""


def test_turning_in_place_is_not_work():
    signs = [AgentSample(cpu_seconds=0.02 * number) for number in range(1, 5)]
    assert felt(*signs).judged(40.0, patience=30.0) == HUNG


def test_signs_that_stay_the_same_are_no_life():
    assert felt(*[AgentSample(9, 9.0, 9)] * 5).judged(45.0, patience=30.0) == HUNG


def test_whoever_was_stopped_for_long_has_seen_nothing_and_looks_anew():
    """Of an agent elsewhere, what is known then is as old as the pause: its machine has not been asked yet."""
    pulse = felt(AgentSample(9), AgentSample(9))
    pulse.feel(AgentSample(9), 2000.0)
    assert pulse.judged(2000.0) == ""
    for number in range(1, 91):
        pulse.feel(AgentSample(9), 2000.0 + 10.0 * number)
    assert pulse.judged(2900.0) == HUNG


def test_the_same_step_over_and_over_is_told_and_then_no_work():
    assert felt(AgentSample(1, calls=["ls"] * 5)).judged(10.0) == REPEATING
    assert felt(AgentSample(1, calls=["ls"] * 10)).judged(10.0) == LOOPING
    assert felt(AgentSample(1, calls=["ls", "cat", "make"] * 2)).judged(10.0) == ""


def test_work_is_measured_over_the_time_since_the_last_look():
    signs = [AgentSample(cpu_seconds=15 * BUSY_SHARE * number) for number in range(1, 4)]
    assert felt(*signs).judged(40.0, patience=30.0) == ""


def test_as_much_of_a_core_as_waiting_may_take_is_not_work():
    signs = [AgentSample(cpu_seconds=10 * BUSY_SHARE * number) for number in range(1, 5)]
    assert felt(*signs).judged(40.0, patience=30.0) == HUNG
