"""Python functions undone: what counts as changed, what each one returns instead, and which stay as they are."""

import ast
import os

import pytest

from ultrawork.gates.undone.undo import ADDED, CHANGED, OLD, ZERO, is_trivial, list_changed, list_functions, undo


def run(text, call):
    space = {}
    exec(compile(text, "shop.py", "exec"), space)
    return eval(call, space)


def zero(text, *names):
    return undo("shop.py", None, text, names, ZERO)


@pytest.mark.parametrize(
    ("head", "value"),
    [
        ("def f() -> int: return 5", 0),
        ("def f() -> str: return 'a'", ""),
        ("def f() -> 'list[int]': return [1]", []),
        ("def f() -> dict[str, int]: return {1: 2}", {}),
        ("def f() -> bool: return True", False),
        ("def f() -> float: return 1.5", 0.0),
        ("def f() -> set[int]: return {1}", set()),
        ("def f() -> int | None: return 5", None),
        ("def f() -> int | str: return 5", 0),
        ("import typing\ndef f() -> typing.Optional[int]: return 5", None),
        ("def f() -> tuple[int, str]: return 1, 'a'", (0, "")),
        ("def f() -> tuple[int, ...]: return 1, 2", ()),
        ("from typing import Literal\ndef f() -> Literal['a', 'b']: return 'a'", ""),
        ("class C: pass\ndef f() -> C: return C()", None),
        ("def f(): return 'a'", ""),
        ("def f(x=1): return f'{x}'", ""),
        ("def f(x=1):\n  if x: return 1\n  return 2", 0),
        ("def f(x=1): return [x for _ in 'ab']", []),
        ("def f(x=1): return {x: 1}", {}),
        ("def f(x=1): return x > 0", False),
        ("def f(x=1): return not x", False),
        ("def f(x=1): return '%d' % x", ""),
        ("def f(x=1):\n  if x: return 1\n  return 'a'", None),
        ("def f(x=1):\n  def g(): return 1\n  return x + g()", None),
        ("def f():\n  '''Only text.'''", None),
        ("def f():\n  '''Text.'''; return 3", 0),
        ("def f():\n\n  # why\n  return 3", 0),
    ],
)
def test_a_function_returns_the_zero_of_what_it_says_or_shows_that_it_returns(head, value):
    assert run(zero(head + "\n", "f"), "f()") == value


def test_a_generator_gives_nothing_and_stays_a_generator():
    assert run(zero("def f():\n    yield 1\n", "f"), "list(f())") == []
    text = zero("async def f():\n    yield 1\n", "f")
    assert run(text, "type(f()).__name__") == "async_generator"


def test_a_method_keeps_its_docstring_and_its_decorators():
    text = "class Cart:\n    @property\n    def total(self):\n        '''Sum: é.'''\n        return 5  # ü\n"
    undone = zero(text, "Cart.total")
    assert run(undone, "(Cart().total, Cart.total.__doc__)") == (0, "Sum: é.")


def test_a_decorated_function_inside_stays_whole():
    text = "def f(x):\n    @d\n    def g(): pass\n    return g\n"
    assert zero(text, "f.<locals>.g") == text.replace("g(): pass", "g(): return None; pass")


@pytest.mark.parametrize(
    "text",
    [
        "class A:\n    def __init__(self): self.x = 1\n",
        "class A:\n    def __new__(cls): return 1\n",
        "class A:\n    def __init_subclass__(cls): pass\n",
        "def build(): return 1\nVALUE = build()\n",
        "def deep(): return 1\ndef build(): return deep()\nVALUE = build()\n",
        "def deco(f): return f\n@deco\ndef g(x): return x\n",
        "def deco(f):\n    def inner(*a): return f(*a)\n    return inner\n",
        "class A:\n    @abstractmethod\n    def f(self): return 1\n",
        "@overload\ndef f(x: int) -> int: ...\n",
        "class P(Protocol):\n    def f(self) -> int: ...\n",
    ],
)
def test_what_makes_objects_runs_on_import_or_is_abstract_is_never_emptied(text):
    first = list_functions("shop.py", text)[0]
    assert not first.can_zero
    assert zero(text, first.name) is None


def test_a_function_called_only_when_run_as_a_program_can_be_emptied():
    text = "def main(): return 1\nif __name__ == '__main__':\n    main()\n"
    assert [one.can_zero for one in list_functions("shop.py", text)] == [True]


BEFORE = """\
import math
from decimal import Decimal

class Cart:
    def total(self, prices):
        \"\"\"The sum.\"\"\"
        for price in prices:
            if price < 0:
                raise ValueError
        return math.fsum(prices)

    def count(self): return 1
"""


def changed(before, after):
    return [(one.name, one.kind, one.has_old_body) for one in list_changed("a.py", before, after)]


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ("The sum.", "Another text.", []),
        ("return math.fsum(prices)", "return math.fsum(  # why\n            prices)", []),
        ("return 1", "return 2", [("Cart.count", CHANGED, True)]),
        ("def count(self)", "def count(self, x=1)", [("Cart.count", CHANGED, False)]),
        ("    def count", "    @property\n    def count", [("Cart.count", CHANGED, False)]),
        ("price < 0", "price <= 0", [("Cart.total", CHANGED, True)]),
        ("self): return 1", "self): return 1\n    def tax(self): return 2", [("Cart.tax", ADDED, False)]),
        ("def count(self): return 1", "def size(self): return 1", [("Cart.size", ADDED, False)]),
        ("(self, prices):", "(self, items):\n        prices = items", [("Cart.total", CHANGED, False)]),
        ("prices):", "prices, tax=0):\n        prices = prices + [tax]", [("Cart.total", CHANGED, True)]),
        ("    def total", "    async def total", [("Cart.total", CHANGED, False)]),
    ],
)  # fmt: skip
def test_functions_are_compared_by_what_they_do(old, new, found):
    assert changed(BEFORE, BEFORE.replace(old, new)) == found


def test_an_old_body_is_put_under_the_new_head_with_the_import_it_needs():
    after = "class Cart:\n  def total(self, prices, tax=0): return sum(prices) + tax\n"
    undone = undo("a.py", BEFORE, after, ["Cart.total"], OLD)
    assert run(undone, "Cart().total([1, 2], tax=7)") == 3.0
    with pytest.raises(ValueError):
        run(undone, "Cart().total([-1])")


def test_an_old_body_that_uses_what_is_gone_is_not_put_back():
    before = "def _round(x): return x\ndef f(x): return _round(x)\n"
    assert changed(before, "def f(x): return x + 1\n") == [("f", CHANGED, False)]
    assert undo("a.py", before, "def f(x): return x + 1\n", ["f"], OLD) is None


def test_a_new_function_is_emptied_where_others_get_their_old_body():
    after = BEFORE.replace("return 1", "return 2") + "\ndef tax() -> int: return 7\n"
    undone = undo("a.py", BEFORE, after, ["Cart.count", "tax"], OLD)
    assert run(undone, "(Cart().count(), tax())") == (1, 0)


def test_of_functions_inside_each_other_the_outermost_is_undone_once():
    before = "def f():\n    def g(): return 1\n    return g() + 1\n"
    after = "def f():\n    def g(): return 2\n    return g() + 2\n"
    names = ["f.<locals>.g", "f"]
    assert [one.name for one in list_changed("a.py", before, after)] == sorted(names)
    assert undo("a.py", before, after, names, OLD) == before
    assert changed(before, before.replace("return 1", "return 3")) == [("f.<locals>.g", CHANGED, True)]


def test_the_second_function_of_a_name_is_found_by_its_head():
    before = "class A:\n    @property\n    def x(self): return 1\n    @x.setter\n    def x(self, v): self.v = v\n"
    after = before.replace("self.v = v", "self.v = v + 1")
    assert changed(before, after) == [("A.x#2", CHANGED, True)]
    assert undo("a.py", before, after, ["A.x#2"], OLD).split() == before.split()


def test_text_that_does_not_parse_or_of_another_language_is_not_measured():
    assert list_changed("a.py", "", "def f(:\n") is None
    assert list_changed("a.c", "", "int f() { return 1; }") is None
    assert undo("a.c", "", "int f() { return 1; }", ["f"], ZERO) is None
    assert list_changed("a.py", "def f(): return 1\n", None) == []
    assert undo("a.py", "", "def f(): return 1\n", ["g"], ZERO) is None


@pytest.mark.parametrize(
    ("text", "name", "expected"),
    [
        ("def f(): pass\n", "f", True),
        ("def f():\n    '''Text.'''\n", "f", True),
        ("def f(): ...\n", "f", True),
        ("def f(x): return x\n", "f", True),
        ("def f(x): return None\n", "f", True),
        ("def f(x): return []\n", "f", True),
        ("def f(x): return 0\n", "f", True),
        ("def f(): return 0\n", "f", False),
        ("def f(x): return 1\n", "f", False),
        ("def f(): raise NotImplementedError('later')\n", "f", True),
        ("def f(): raise ValueError\n", "f", False),
        ("def f(x): return x + 1\n", "f", False),
        ("class A:\n    def f(self): return self\n", "A.f", False),
        ("class A:\n    def f(self): return None\n", "A.f", True),
        ("class A:\n    @property\n    def f(self): return None\n", "A.f", True),
        ("class A:\n    @override\n    def f(self): return None\n", "A.f", False),
        ("class A:\n    def __exit__(self, *a): pass\n", "A.__exit__", False),
        ("class A(Protocol):\n    def f(self): ...\n", "A.f", False),
        ("class A(Elsewhere):\n    def f(self): pass\n", "A.f", None),
        ("class B:\n    x = 1\nclass A(B):\n    def f(self): pass\n", "A.f", True),
        ("class A:\n    def f(self): pass\nclass B:\n    def f(self): return 1\n", "A.f", False),
        ("def f(): pass\n", "g", None),
    ],
)
def test_a_function_that_does_nothing_is_known_unless_that_may_be_meant(text, name, expected):
    assert is_trivial("shop.py", text, name) is expected


SLOW = [pytest.param(name, marks=pytest.mark.slow) for name in ("contextlib", "functools")]


@pytest.mark.parametrize("module", ["json/encoder", "textwrap", "asyncio/queues", *SLOW])
def test_every_function_of_the_standard_library_can_be_emptied_alone(module):
    with open(f"{os.path.dirname(os.__file__)}/{module}.py", encoding="utf-8") as file:
        text = file.read()
    found = list_functions("x.py", text)
    assert len(found) > 10
    for one in found:
        undone = undo("x.py", None, text, [one.name], ZERO)
        assert (undone is not None) == one.can_zero
        if undone is not None:
            ast.parse(undone)
