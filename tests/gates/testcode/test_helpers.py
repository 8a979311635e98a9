"""What a test believes: a module's yes or no about what other code gave."""

import pytest

from ultrawork.gates.testcode.helpers import is_believed, is_helper

PYTHON = "import checks\nfrom shop import total\n\n\ndef test_x(self):\n    {}\n"
SCRIPT = 'const {{ total }} = require("./shop");\nconst checks = require("./checks");\n\ntest("x", () => {{\n  {}\n}});\n'


@pytest.mark.parametrize(
    ("line", "judges"),
    [
        ("assert checks.same(total([1]), 1)", True),
        ("assert not checks.differs(total([1]), 1)", True),
        ("assert checks.same(total([1]), 1) is True", True),
        ("self.assertTrue(checks.same(total([1]), 1))", True),
        ("got = total([1])\n    assert checks.same(got, 1)", True),
        ("assert checks.is_even(2)", False),  # nothing of other code is in it
        ("assert checks.add(total([1]), 1) == 2", False),
        ("checks.note(total([1]))", False),
    ],
)
def test_a_module_judges_python_where_its_answer_alone_decides(line, judges):
    assert is_believed("test_a.py", PYTHON.format(line), "checks", {"shop"}) is judges


@pytest.mark.parametrize(
    ("line", "judges"),
    [
        ("assert.ok(checks.same(total([1]), 1));", True),
        ("assert(checks.same(total([1]), 1));", True),
        ("expect(checks.same(total([1]), 1)).toBe(true);", True),
        ("expect(checks.same(total([1]), 1)).toBeTruthy();", True),
        ("expect(checks.add(total([1]), 1)).toBe(2);", False),
        ("assert.equal(checks.add(total([1]), 1), 2);", False),
        ("assert(checks.add(total([1]), 1) === 2);", False),
        ("assert.ok(checks.isEven(2));", False),
    ],
)
def test_a_module_judges_a_script_where_its_answer_alone_decides(line, judges):
    assert is_believed("a.test.js", SCRIPT.format(line), "checks", {"shop"}) is judges


def test_code_that_asserts_what_it_is_given_is_no_helper():
    assert not is_helper(
        "shop.py", "def total(prices):\n    assert prices\n    return sum(prices)\n"
    )
    assert is_helper("checks.py", "def check(a, b):\n    assert a == b\n")
    assert is_helper("expected.py", "MOST = 6\n")
