"""A bucket of starts: never more than the rate allows, never less than it promises."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ultrawork.core.run.rate_limits import Bucket, Rate, find_start_wait, take_start


def starts(rate, moments):
    """Which of these moments a start was allowed at."""
    bucket, allowed = Bucket(float(rate.burst), moments[0]), []
    for now in moments:
        if not find_start_wait(bucket, rate, now):
            bucket = take_start(bucket, rate, now)
            allowed.append(now)
    return allowed


def test_a_burst_starts_at_once_and_then_the_rate_holds():
    assert starts(Rate(60, burst=3), [0, 0, 0, 0, 0.5, 1.0, 1.0, 2.0]) == [0, 0, 0, 1.0, 2.0]


def test_what_is_missing_is_told_in_seconds():
    assert find_start_wait(Bucket(0.0, 100.0), Rate(30), 100.5) == pytest.approx(1.5)


def test_without_a_rate_only_the_providers_word_counts():
    assert find_start_wait(Bucket(0.0, 0.0), Rate(), 5.0) == 0
    assert find_start_wait(Bucket(0.0, 0.0, blocked_until=9.0), Rate(), 5.0) == 4.0


def test_a_block_outlasts_a_full_bucket():
    assert find_start_wait(Bucket(5.0, 0.0, blocked_until=30.0), Rate(60, burst=5), 10.0) == 20.0


def test_a_clock_that_was_set_back_gives_nothing_and_takes_nothing():
    assert find_start_wait(Bucket(1.0, 100.0), Rate(60), 10.0) == 0


@given(st.lists(st.floats(0, 20), min_size=1, max_size=60), st.integers(1, 5), st.sampled_from([20.0, 60.0, 240.0]))
def test_no_stretch_of_time_has_more_starts_than_burst_and_rate(moments, burst, per_minute):
    allowed = starts(Rate(per_minute, burst=burst), sorted(moments))
    for first, begin in enumerate(allowed):
        for last in range(first, len(allowed)):
            most = burst + (allowed[last] - begin) * per_minute / 60 + 1e-6
            assert last - first + 1 <= most


@given(st.integers(1, 5), st.sampled_from([20.0, 60.0, 240.0]))
def test_whoever_waits_as_long_as_told_may_start(burst, per_minute):
    rate, bucket, now = Rate(per_minute, burst=burst), Bucket(0.3, 0.0), 0.0
    for _ in range(10):
        now += find_start_wait(bucket, rate, now)
        assert find_start_wait(bucket, rate, now) < 1e-6
        bucket = take_start(bucket, rate, now)
