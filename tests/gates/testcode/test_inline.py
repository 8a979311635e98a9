"""Tests that stand in a Python module of the product are read, and put into another version of its code."""

import pytest

from ultrawork.gates.testcode.cases import transplant_tests
from ultrawork.gates.testcode.inline import has_lost_shown, list_examples, list_shown

CODE = 'def take(price):\n    """\n    >>> take(3)\n    2\n    """\n    return price - 1\n'
CASES = "\n\nclass ShopTest(unittest.TestCase):\n    def test_take(self):\n        self.assertEqual(take(3), 2)\n"


def test_examples_are_known_by_what_they_document():
    inner = 'class Shop:\n    def sell(self):\n        """>>> 1 + 1\n        2"""\n'
    assert list_examples(CODE) == {"take": [("take(3)\n", "2\n", ())]}
    assert list(list_examples(inner)) == ["Shop.sell"]
    assert list_examples("def take(:\n    '''>>> 1'''") == {}
    assert list_examples("# >>> 1") == {}


def test_an_example_that_was_bent_skipped_or_dropped_is_lost_and_one_more_is_not():
    more = CODE.replace("    2\n", "    2\n    >>> take(5)\n    4\n")
    assert not has_lost_shown("a.py", CODE, more)
    assert not has_lost_shown("a.py", CODE, CODE.replace("price - 1", "price - 2"))
    assert has_lost_shown("a.py", CODE, CODE.replace("    2\n", "    3\n"))
    assert has_lost_shown("a.py", CODE, CODE.replace("take(3)\n", "take(3)  # doctest: +SKIP\n"))
    assert has_lost_shown("a.py", CODE, "def take(price):\n    return price - 1\n")


def test_examples_come_to_their_place_in_other_code():
    other = CODE.replace("    2\n", "    3\n").replace("price - 1", "price")
    assert transplant_tests(CODE, other, "shop.py") == CODE.replace("price - 1", "price")
    bare = "def first():\n    pass\n\n\n@mark\ndef take(price):\n    return price\n"
    placed = transplant_tests(CODE, bare, "shop.py")
    assert list_examples(placed) == list_examples(CODE)
    assert placed.endswith('"""\n    return price\n')
    assert transplant_tests(CODE, "def other():\n    pass\n", "shop.py") == "def other():\n    pass\n"
    in_one_line = "def take(price): return price\n"
    assert transplant_tests(CODE, in_one_line, "shop.py") == in_one_line


def test_cases_come_to_their_place_in_other_code_and_a_class_that_is_gone_comes_back():
    code = "import unittest\n\n\ndef take(price):\n    return price\n"
    bent = code + CASES.replace(", 2)", ", 3)") + "\n\nLAST = 1\n"
    assert transplant_tests(code + CASES, bent, "shop.py") == code + CASES + "\n\nLAST = 1\n"
    assert "assertEqual(take(3), 2)" in transplant_tests(code + CASES, code, "shop.py")


RUST = """\
//! Prices.
use std::fmt;

/// Takes one off.
///
/// ```
/// assert_eq!(take(3), 2);
/// ```
#[must_use]
pub fn take(price: i64) -> i64 {
    price - 1
}
"""


def test_examples_of_rust_stand_in_its_doc_comments():
    example = "assert_eq!(take(3), 2);"
    assert list_shown("a.rs", RUST) == {"pub fn take": [("```", example)]}
    assert not has_lost_shown("a.rs", RUST, RUST.replace("price - 1", "price - 2"))
    assert not has_lost_shown("a.rs", RUST, RUST.replace("Takes one off.", "One less."))
    assert has_lost_shown("a.rs", RUST, RUST.replace("3), 2", "3), 1"))
    assert has_lost_shown("a.rs", RUST, RUST.replace("/// ```\n/// assert", "/// ```ignore\n/// assert"))


@pytest.mark.parametrize(
    "become",
    [
        lambda text: text.replace("3), 2", "3), 1"),
        lambda text: text.replace("/// ", "// "),
        lambda text: "".join(one for one in text.splitlines(True) if "///" not in one),
    ],
)
def test_examples_of_rust_go_back_to_their_place(become):
    changed = become(RUST).replace("price - 1", "price - 2")
    whole = transplant_tests(RUST, changed, "a.rs")
    assert list_shown("a.rs", whole) == list_shown("a.rs", RUST)
    assert "price - 2" in whole
