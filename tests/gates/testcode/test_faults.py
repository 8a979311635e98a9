"""Faults that are planted into functions: the text stays valid, and only those functions change."""

import ast

import pytest

from ultrawork.gates.testcode.code import has_other_code
from ultrawork.gates.testcode.expectations import (
    find_renames,
    may_expect,
    read_expectations,
    rename,
)
from ultrawork.gates.testcode.faults import BENT, EMPTIED, plant

PYTHON = '''\
def first(x):
    """Says."""
    if x: return 1
    return (x +
            2)


class Second:
    def f(self): return "é" + "x"

    async def g(self):
        def inner():
            return [1]
        return inner()
'''
JAVASCRIPT = """\
function first(x) {
  if (x) { return 1; }
  return x + 2
}
export const second = (y) => { return [y].map((z) => z); };
class Third { m(a) { for (;;) { return a } } }
"""


def run(text, expression):
    space = {}
    exec(text, space)
    return eval(expression, space)


def test_an_emptied_function_returns_nothing_and_others_are_as_they_were():
    text = plant("a.py", PYTHON, [4], EMPTIED)
    assert run(text, "first(3)") is None
    assert run(text, "Second().f()") == "éx"


@pytest.mark.parametrize(
    ("lines", "expression", "value"),
    [
        ([4], "first(0)", 3),
        ([3], "first(True)", 2),
        ([9], "Second().f()", "éxé"),
    ],
)
def test_a_bent_function_returns_something_else(lines, expression, value):
    assert run(plant("a.py", PYTHON, lines, BENT), expression) == value


def test_of_functions_inside_each_other_the_innermost_is_meant():
    tree = ast.parse(plant("a.py", PYTHON, [13], EMPTIED))
    assert "inner()" in ast.unparse(tree)
    assert "return [1]" not in ast.unparse(tree)


def test_bodies_of_javascript_are_emptied_and_bent():
    assert "function first(x) {}" in plant("a.js", JAVASCRIPT, [3], EMPTIED)
    assert "{ m(a) {} }" in plant("a.js", JAVASCRIPT, [6], EMPTIED)
    bent = plant("a.mjs", JAVASCRIPT, [3, 5, 6], BENT)
    assert "return ultrawork_bent(x + 2)\n" in bent
    assert "return ultrawork_bent([y].map((z) => z));" in bent
    assert "return ultrawork_bent(a) }" in bent


@pytest.mark.parametrize(
    ("path", "text", "lines"),
    [
        ("a.py", "X = 1\n", [1]),
        ("a.py", "def broken(:\n", [1]),
        ("a.go", "func a() int { return 1 }\n", [1]),
        ("a.js", "const x = 1;\n", [1]),
    ],
)
def test_where_there_is_no_place_for_a_fault_there_is_none(path, text, lines):
    assert plant(path, text, lines, EMPTIED) is None


TEST = """\
import pytest


@pytest.mark.parametrize("price", [1, 2])
def test_total(price):
    want = 3
    shop = open_shop("main")
    assert shop.total(price) == want
"""


def expectations(text):
    return read_expectations("test_a.py", text, ("test_total",))


@pytest.mark.parametrize(
    ("before", "after", "same"),
    [
        ("[1, 2]", "[1]", False),
        ("want = 3", "want = 4", False),
        (" == want", " >= want", False),
        ('open_shop("main")', 'open_shop("main", login="a")', True),
        ("shop", "store", False),
    ],
)
def test_what_a_test_expects_is_its_assertions_parameters_and_values(before, after, same):
    assert (expectations(TEST) == expectations(TEST.replace(before, after))) is same


def test_names_that_were_renamed_are_the_same():
    other = TEST.replace("shop.total(price)", "shop.sum_of(price)")
    assert find_renames(TEST, other) == {"total": "sum_of"}
    assert rename(expectations(TEST), {"total": "sum_of"}) == expectations(other)
    assert find_renames("a + a", "b + c") is None
    assert find_renames("f(1)", "f(2)") is None
    assert find_renames("f(1)", "f(1, 2)") is None


@pytest.mark.parametrize(
    ("line", "may"),
    [
        ("CASES = [1, 2]", True),
        ('"want": 6,', True),
        ("assert left == right", True),
        ("def prices():", False),
        ("import json", False),
        ("return prices", False),
    ],
)
def test_a_line_outside_of_tests_may_hold_what_they_expect(line, may):
    assert may_expect(line) is may


@pytest.mark.parametrize(
    ("path", "before", "after", "other"),
    [
        ("a.py", "X = 1\n", "X = 2\n", True),
        ("a.py", 'X = "a"\n', 'X = "b"  # why\n', False),
        ("a.js", "f(1); // a", "f(1); // b", False),
        ("a.js", "f(1);", "f(2);", True),
        ("a.c", "int a;", "int a; /* x */", True),
        ("a.md", "a", "b", False),
        ("tests/test_a.py", "X = 1\n", "X = 2\n", False),
    ],
)
def test_words_are_no_code(path, before, after, other):
    assert has_other_code(path, before, after) is other
