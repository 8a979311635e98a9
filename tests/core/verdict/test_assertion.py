"""What a failed assertion expected and what it got, as runners of many languages print it."""

import pytest

from ultrawork.core.verdict.missing import FailedAssertion, find_statement, read_failure, split_values

UNKNOWN = ("", "")


@pytest.mark.parametrize(
    ("said", "source", "values"),
    [
        ("AssertionError: 200 != 401", "self.assertEqual(answer.status, 401)", ("401", "200")),
        ("AssertionError: 401 != 200", "self.assertEqual(401, answer.status)", ("401", "200")),
        ("assert 5 == 6", "assert total() == 6", ("6", "5")),
        ("AssertionError: Lists differ: ['b'] != ['a']", 'self.assertEqual(f(), ["a"])', ("['a']", "['b']")),
        ("AssertionError: 1 != 2", "self.assertEqual(first(), second())", UNKNOWN),
        ("AssertionError: 2 != 3", "self.assertEqual(total([1, 2]), 3)", ("3", "2")),
        ("AssertionError: 1 != 1.0", "self.assertIs(1, 1.0)", UNKNOWN),
        ("expected 5, received 6", "", ("5", "6")),
        ("expected: 5 got: 6", "", ("5", "6")),
        ("AssertionError: expected 6 to equal 5", "", ("5", "6")),
        ("expected [ 1 ] to deeply equal [ 2 ]", "", ("[ 2 ]", "[ 1 ]")),
        ("expected: <5> but was: <6>", "", ("5", "6")),
        ("Sum(2, 2) = 5, want 4", "", ("4", "5")),
        ("got 5, want 4", "", ("4", "5")),
        ("assertion `left == right` failed left: 5, right: 4", "", ("4", "5")),
        ("AssertionError: the page is empty", "", UNKNOWN),
        ("", "", UNKNOWN),
    ],
)  # fmt: skip
def test_values_are_named_only_where_it_is_known_which_is_which(said, source, values):
    assert split_values(said, source) == values


def test_a_message_begins_with_its_place_if_that_is_known():
    found = read_failure("tests/test_a.py:41  AssertionError: 1 != 2")
    assert (found.path, found.line, found.said) == ("tests/test_a.py", 41, "AssertionError: 1 != 2")
    assert read_failure("it is red") == FailedAssertion("it is red")


def test_a_statement_ends_where_its_brackets_close_and_never_takes_the_file():
    text = "x = 1\nassert f(\n    1,\n) == 2\ny = 2\n"
    assert find_statement(text, 2) == "assert f( 1, ) == 2"
    assert find_statement(text, 99) == ""
    assert len(find_statement("(" + "\n1," * 50, 1).split()) == 8


def test_without_values_the_words_of_the_runner_are_shown():
    assert FailedAssertion("it is red").facts == [("failed with", "it is red")]
    known = FailedAssertion("1 != 2", "a.py", 3, "assert f() == 2", "2", "1")
    assert [label for label, _ in known.facts] == ["at", "assertion", "expected", "got"]
