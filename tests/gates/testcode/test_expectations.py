"""Which functions of a file judge, and whether a test lets them."""

import pytest

from ultrawork.gates.testcode.expectations import is_checked_by, list_asserting

HELPER = """\
def check_total(got, want):
    assert got == want


def total(prices):
    return sum(prices)
"""


def test_a_function_that_asserts_is_known_by_its_own_lines():
    assert list_asserting(HELPER) == {"check_total"}
    assert list_asserting("const same = (a, b) => {\n  assert.equal(a, b);\n};\n") == {"same"}
    assert list_asserting("def total(prices):\n    return sum(prices)\n") == set()


@pytest.mark.parametrize(
    ("line", "judges"),
    [
        ("    check_total(total([1]), 1)", True),
        ("    await checks.check_total(1, 1)", True),
        ("    with check_total(1, 1):", True),
        ("    assert check_total(1, 1) is None", False),
        ("    found = check_total(1, 1)", False),
    ],
)
def test_a_helper_judges_where_a_test_only_calls_it(line, judges):
    assert is_checked_by(f"def test_x():\n{line}\n", {"check_total"}) is judges
