"""A provider's limit: when it ends, and how long to wait when nobody says."""

import pytest

from ultrawork.core.run import rate_limits

NOW = 1_795_435_200.0  # 2026-11-23, noon in UTC
HOUR = 3_600.0


@pytest.mark.parametrize(
    ("message", "after"),
    [
        ("Claude AI usage limit reached|1795438800", HOUR),
        ("try again in 2h 5m", 2 * HOUR + 300),
        ("Please try again in 90 seconds.", 90),
        ("retry-after: 30", 30),
        ("Your limit resets 3pm (UTC)", 3 * HOUR),
        ("limit reached; resets at 15:30", 3.5 * HOUR),
        ("resets 11am", 23 * HOUR),
        ("resets 12am", 12 * HOUR),
        ("It resets in 40 minutes", 2_400),
    ],
)
def test_the_message_tells_when_it_ends(message, after):
    assert rate_limits.find_reset(message, NOW) == NOW + after


@pytest.mark.parametrize("message", ["", "rate limited", "resets 99:99", "error 1234567890 1", "resets 5"])
def test_a_message_that_does_not_tell_is_not_guessed_at(message):
    assert rate_limits.find_reset(message, NOW) is None


def test_a_time_of_the_day_is_local_time():
    assert rate_limits.find_reset("resets 3pm", NOW, offset=2 * HOUR) == NOW + HOUR


def test_waiting_doubles_up_to_an_hour_when_nobody_says():
    assert [rate_limits.find_retry_wait("?", NOW, tries=n) for n in range(7)] == [60, 120, 240, 480, 960, 1920, 3600]
    assert rate_limits.find_retry_wait("?", NOW, tries=500) == 3600


def test_a_known_end_is_waited_for_with_a_margin():
    assert rate_limits.find_retry_wait("try again in 60s", NOW, tries=5) == 60 + rate_limits.MARGIN


def test_the_clients_own_word_for_it_counts():
    assert rate_limits.is_limit("rate_limit", "")
    assert rate_limits.is_limit("unknown", "You've hit your usage limit")
    assert not rate_limits.is_limit("server_error", "the words rate limit occur here")
    assert not rate_limits.is_limit("unknown", "unlimited")
