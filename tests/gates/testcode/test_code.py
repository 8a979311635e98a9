import pytest

from ultrawork.gates.testcode.code import has_other_code

PLAIN = "def total(prices):\n    return sum(prices)\n"


@pytest.mark.parametrize(
    ("after", "other"),
    [
        (PLAIN.replace("    return", '    """Add the prices."""\n    return'), False),
        ('"""Prices."""\n\n' + PLAIN, False),
        (PLAIN.replace("    return", "    # Cents.\n    return"), False),
        (PLAIN.replace("    return", "    prices = list(prices)\n    return"), True),
        (PLAIN.replace("return sum(prices)", '"""Add the prices."""'), True),
    ],
)
def test_a_docstring_is_not_code(after, other):
    assert has_other_code("shop.py", PLAIN, after) is other
