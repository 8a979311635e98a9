"""What comes from outside is taken, or refused in one short sentence."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ultrawork.core import check
from ultrawork.core.errors import UsageError

HUGE = "x" * 10_000_000
SESSION_IDS = st.from_regex(r"\A[A-Za-z0-9][A-Za-z0-9._-]{0,127}\Z")
TASK_IDS = st.from_regex(r"\A[A-Za-z0-9][A-Za-z0-9._-]{0,63}\Z")


@given(SESSION_IDS)
def test_every_session_id_of_the_rule_is_taken(name):
    assert check.require_session_id(name) == name


@given(TASK_IDS)
def test_every_task_id_of_the_rule_is_taken(name):
    assert check.require_task_id(name) == name


@given(st.text())
def test_what_is_taken_as_an_id_can_be_a_file_name(text):
    try:
        name = check.require_session_id(text)
    except UsageError:
        return
    assert name == text
    assert name not in ("", ".", "..")
    assert not set(name) & set("/\\\0\n ")


@pytest.mark.parametrize(
    "name", ["", ".", "..", "../x", "a/b", "a\0b", "a b", "-a", "_a", "é", "a\n", "٣", "x" * 129, HUGE]
)
def test_anything_else_is_no_session_id(name):
    with pytest.raises(UsageError, match="is not a session id"):
        check.require_session_id(name)


@pytest.mark.parametrize("name", ["", "../1", "1/2", "x" * 65, "verify\0", HUGE])
def test_anything_else_is_no_task_id(name):
    with pytest.raises(UsageError, match="is not a task id"):
        check.require_task_id(name)


@pytest.mark.parametrize("name", ["{SESSION_ID}", "$SESSION_ID", "${SESSION_ID}", "<session>", "abc-${ID}"])
def test_a_placeholder_is_refused_with_the_reason(name):
    with pytest.raises(UsageError, match="is a placeholder"):
        check.require_session_id(name)


@given(st.text(alphabet=st.characters(), max_size=200))
def test_what_is_shown_is_one_short_printable_line(text):
    shown = check.quote(text)
    assert shown[0] == shown[-1] == '"'
    assert shown.isprintable()
    assert len(shown) <= check.SHOWN * 8 + 3
    assert "\n" not in shown


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("short", '"short"'),
        ("x" * 50, '"' + "x" * 50 + '"'),
        ("x" * 51, '"' + "x" * 50 + '…"'),
        ("a\x1b[31m\nb", '"a\\x1b[31m\\x0ab"'),
        ({"id": 3}, "\"{'id': 3}\""),
        (None, '"None"'),
    ],
)
def test_input_is_shortened_to_fifty_characters_and_made_harmless(value, shown):
    assert check.quote(value) == shown


def test_ten_megabytes_are_shown_as_fifty_characters():
    with pytest.raises(UsageError) as refused:
        check.require_choice(HUGE, ("a", "b"), "letter")
    assert len(str(refused.value)) < 100


def test_a_choice_is_taken_or_the_known_ones_are_named():
    assert check.require_choice("a", ("a", "b"), "letter") == "a"
    with pytest.raises(UsageError, match='"c" is not a letter; known: a, b'):
        check.require_choice("c", ("a", "b"), "letter")


@given(st.integers(0, 1_000_000))
def test_whole_numbers_are_taken(number):
    assert check.parse_number(f" {number} ", "count") == number


@pytest.mark.parametrize("text", ["", "-1", "1.5", "1e3", "0x1", "٣", "1_000", "9" * 5000, "1 2"])
def test_anything_else_is_no_whole_number(text):
    with pytest.raises(UsageError, match="give a whole number from 0 to 1000000"):
        check.parse_number(text, "count")


def test_a_whole_number_keeps_to_its_bounds():
    assert check.parse_number("3", "count", 3, 3) == 3
    for text in ("2", "4"):
        with pytest.raises(UsageError, match="from 3 to 3"):
            check.parse_number(text, "count", 3, 3)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("90", 90.0),
        (90, 90.0),
        (1.5, 1.5),
        ("90s", 90.0),
        ("2m", 120.0),
        ("1.5h", 5400.0),
        ("7d", 604800.0),
        ("250ms", 0.25),
        (" 3s ", 3.0),
        ("0", 0.0),
    ],
)
def test_durations_are_read_as_seconds(text, seconds):
    assert check.parse_duration(text, "time") == seconds


@pytest.mark.parametrize("text", ["", "s", "-1s", "soon", "5y", "5sm", "nan", "inf", "1e300d", "1h30m", True, None])
def test_anything_else_is_no_duration(text):
    with pytest.raises(UsageError, match="write it as 90s, 2m or 1h"):
        check.parse_duration(text, "time")


@given(st.text(alphabet=st.characters()))
def test_text_that_is_taken_can_be_stored(text):
    try:
        taken = check.clean_text(text, "goal")
    except UsageError:
        return
    assert taken.strip()
    assert "\0" not in taken
    taken.encode("utf-8")


@pytest.mark.parametrize(
    ("text", "why"),
    [("", "is empty"), (" \n", "is empty"), ("a\0b", "contains a NUL character"), (HUGE, "10,000,000 characters")],
)
def test_text_that_cannot_be_kept_is_refused_with_the_reason(text, why):
    with pytest.raises(UsageError, match=why):
        check.clean_text(text, "goal")


def test_a_lone_surrogate_becomes_a_question_mark():
    assert check.clean_text("a\udc80b", "goal") == "a?b"


@pytest.mark.parametrize(("word", "meant"), [("sesion", "session"), ("tsak", "task"), ("zzz", None), (HUGE, None)])
def test_the_nearest_known_word_is_suggested(word, meant):
    assert check.find_nearest(word, ["session", "task", "context"]) == meant
