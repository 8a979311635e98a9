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


C = '#define MAX 3\nint total(void) {\n    return puts("/* not a comment */");\n}\n'


@pytest.mark.parametrize(
    ("after", "other"),
    [
        ("/* Adds all,\n   twice. */\n" + C, False),
        (C.replace("(void) {", "(void) { // adds"), False),
        (C.replace("    return", "  return"), False),
        (C.replace("not a comment", "never a comment"), True),
        (C.replace("MAX 3\n", "MAX 3 "), True),
        (C.replace("    return", "    // \\\n    return"), True),
        (C.replace("    return", "    /* return").replace(";", "; */ return 0;"), True),
    ],
)
@pytest.mark.parametrize("path", ["shop.c", "shop.h"])
def test_a_comment_in_c_is_not_code(path, after, other):
    assert has_other_code(path, C, after) is other
