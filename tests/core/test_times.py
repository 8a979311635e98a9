"""Times as people and files write them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ultrawork.core.times import format_duration, format_iso, parse_iso


def test_no_time_stays_no_time():
    assert format_iso(None) is None


@given(st.integers(0, 253402300799))
def test_a_written_time_is_read_back(seconds):
    assert parse_iso(str(format_iso(seconds))) == seconds


@pytest.mark.parametrize("text", ["2026-11-15T14:02:11Z", "2026-11-15T14:02:11.123Z"])
def test_times_of_the_documents_are_read(text):
    assert parse_iso(text) == 1794751331.0


@pytest.mark.parametrize("text", ["", "yesterday", "2026-13-01T00:00:00Z", "2026-11-15"])
def test_anything_else_is_no_time(text):
    assert parse_iso(text) is None


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0.26, "0.3 s"),
        (9.94, "9.9 s"),
        (9.97, "10 s"),
        (41.2, "41 s"),
        (59.7, "1 min"),
        (60, "1 min"),
        (341, "5 min 41 s"),
        (3600, "1 h 0 min"),
        (7500, "2 h 5 min"),
    ],
)
def test_durations_are_said_as_people_say_them(seconds, words):
    assert format_duration(seconds) == words
