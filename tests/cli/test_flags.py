"""Flags: declared as a table, parsed strictly."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ultrawork.cli.environment import MANY, NUMBER, SWITCH, Flag, parse_flags
from ultrawork.core.errors import UsageError

FLAGS = (
    Flag("--name", "a name", aliases=("-n", "--called")),
    Flag("--count", "how many", kind=NUMBER),
    Flag("--loud", "a switch", kind=SWITCH),
    Flag("--tag", "several", kind=MANY),
    Flag("--size", "one of two", choices=("big", "small")),
)


def given_words(*words, rest="[WORD]", flags=FLAGS):
    return parse_flags(words, flags, rest=rest, verb="verb")


def test_what_is_not_given_is_nothing():
    args = given_words()
    assert args.text("--name") is None
    assert args.number("--count") is None
    assert args.many("--tag") == []
    assert args.rest == []
    assert not args.on("--loud")


def test_an_arrow_begins_a_word_and_no_flag():
    assert given_words('-> explore "t"').rest == ['-> explore "t"']


@pytest.mark.parametrize(
    "words", [["--name", "x"], ["--name=x"], ["-n", "x"], ["--called", "x"], ["-n", "y", "-n", "x"]]
)
def test_a_value_may_be_given_in_every_usual_way(words):
    assert given_words(*words).text("--name") == "x"


def test_several_values_are_all_kept_in_their_order():
    assert given_words("--tag", "a", "--tag=b", "--tag", "").many("--tag") == ["a", "b", ""]


@pytest.mark.parametrize("value", ["-1", "--loud", "-", "a=b", "=", ""])
def test_a_value_is_taken_whatever_it_looks_like(value):
    assert given_words("--name", value).text("--name") == value
    assert given_words(f"--name={value}").text("--name") == value


def test_words_may_stand_anywhere_and_after_two_dashes_nothing_is_a_flag():
    args = given_words("one", "--loud", "-", "--", "--name", "two")
    assert args.rest == ["one", "-", "--name", "two"]
    assert args.on("--loud")
    assert args.text("--name") is None


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["--nme", "x"], 'has no flag "--nme"; did you mean --name'),
        (["--zzz"], 'has no flag "--zzz"; see ultrawork verb --help'),
        (["-x"], 'has no flag "-x"'),
        (["--name"], "--name needs a value"),
        (["-n"], "--name needs a value"),
        (["--loud=yes"], "--loud takes no value"),
        (["--size", "huge"], "is not a value for --size; known: big, small"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said(words, why):
    with pytest.raises(UsageError, match=why):
        given_words(*words)


def test_a_number_is_checked_when_it_is_asked_for():
    assert given_words("--count", "7").number("--count") == 7
    with pytest.raises(UsageError, match='"seven" is not a value for --count'):
        given_words("--count", "seven").number("--count")


def test_a_word_that_nobody_wants_is_refused():
    with pytest.raises(UsageError, match='unexpected argument "one"'):
        given_words("one", rest="")


def test_a_required_flag_is_asked_for():
    with pytest.raises(UsageError, match="--id is required: ultrawork verb --id ID"):
        given_words(flags=(Flag("--id", "the id", metavar="ID", required=True),))


@given(st.lists(st.text()))
def test_any_words_are_parsed_or_refused(words):
    try:
        parse_flags(words, FLAGS, rest="[WORD]", verb="verb")
    except UsageError:
        pass
