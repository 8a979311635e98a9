"""Which notifications are due: changes only, each once, bundled, and never at night."""

import pytest

from ultrawork.core import notices
from ultrawork.core.errors import UsageError
from ultrawork.core.notices import choose_due, is_quiet, make_sequence, parse_quiet, render_notice


def due(items, states, *, last_sent=0.0, now=1000.0, quiet=False):
    return choose_due(items, states, last_sent=last_sent, now=now, quiet=quiet)


def test_nothing_is_sent_at_the_first_look():
    assert due(["a", "b"], None) == notices.DueNotices(learn=["a", "b"])


def test_the_first_change_after_an_empty_look_is_sent():
    assert due(["a"], {}).send == ["a"]


def test_each_change_is_sent_once_and_one_that_failed_again():
    states = {"a": "known", "b": "sent", "c": "failed"}
    assert due(["a", "b", "c", "d"], states).send == ["c", "d"]


def test_what_comes_within_a_minute_or_at_night_waits_and_goes_out_together():
    assert due(["a"], {"b": "sent"}, last_sent=990.0) == notices.DueNotices(wait=50.0)
    assert due(["a"], {"b": "sent"}, quiet=True) == notices.DueNotices()
    assert due(["a", "c"], {"b": "sent"}, last_sent=900.0).send == ["a", "c"]


def test_quiet_hours_go_over_midnight():
    hours = parse_quiet("22:00-07:00")
    assert [is_quiet(hours, hour * 60) for hour in (21, 22, 0, 6, 7)] == [False, True, True, True, False]
    assert not is_quiet(parse_quiet(""), 0)
    for wrong in ("22-7", "25:00-07:00", "22:00", "a:b-c:d"):
        with pytest.raises(UsageError, match="22:00-07:00"):
            parse_quiet(wrong)


def test_a_bundle_names_five_and_counts_the_rest():
    title, text = render_notice([f"line {number}" for number in range(7)])
    assert title == "ultrawork: 7 sessions"
    assert text.splitlines()[-2:] == ["line 4", "and 2 more"]


@pytest.mark.parametrize("kind", notices.TERMINALS)
def test_no_text_breaks_out_of_its_sequence(kind):
    made = make_sequence(kind, "a\x07b\x1b]0;c\x9cd;e")
    assert made.count("\a") == (1 if kind else 0)
    assert made[1:].count("\x1b") == 0
    assert "\x9c" not in made
