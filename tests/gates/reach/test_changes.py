"""Which functions a change touches, and what of it lies outside of all functions."""

import pytest

from ultrawork.core.verdict.reach import (
    ENTERED,
    NOT_ENTERED,
    UNDECIDABLE,
    CodeChange,
    FunctionSpan,
    Reach,
    TestReach,
    find_entered,
)
from ultrawork.gates.reach.changes import compare_python, list_code_changes
from ultrawork.gates.reach.javascript import compare_javascript
from ultrawork.system.git import FileChange

PYTHON = '''"""A shop."""
import re

LIMIT = 3


def total(prices):
    """The sum."""
    return sum(prices)


class Basket(dict):
    kind = "basket"

    @property
    def size(self):
        return len(self)

    def each(self):
        def inner(one):
            return one

        return map(inner, self)
'''

SCRIPT = """// A shop.
import fs from "fs";

export const LIMIT = 3;

export function total(prices) {
  return prices.length;
}

export class Basket {
  kind = "basket";

  get size() {
    return this.items.length;
  }

  each(done) {
    this.items.forEach((one) => {
      done(one);
    });
  }
}

export const tax = (price) => price * 2;
"""


def python(old, new):
    assert PYTHON.count(old) == 1
    found = compare_python("shop.py", PYTHON, PYTHON.replace(old, new))
    return {one.name for one in found.functions}, bool(found.around)


def script(old, new):
    assert SCRIPT.count(old) == 1
    found = compare_javascript("shop.ts", SCRIPT, SCRIPT.replace(old, new))
    return {one.name for one in found.functions}, bool(found.around)


@pytest.mark.parametrize(
    ("old", "new", "functions", "around"),
    [
        ("sum(prices)", "sum(prices) + 1", {"total"}, False),
        ('"""The sum."""', '"""All."""', set(), False),
        ('"""A shop."""', "# A shop.", set(), False),
        ("return sum(prices)", "\n    return sum(\n        prices\n    )", set(), False),
        ("len(self)", "0", {"Basket.size"}, False),
        ("return one", "return two", {"Basket.each.<locals>.inner"}, False),
        ("map(inner, self)", "[]", {"Basket.each"}, False),
        ("LIMIT = 3", "LIMIT = 4", set(), True),
        ('kind = "basket"', 'kind = "bag"', set(), True),
        ("class Basket(dict)", "class Basket(list)", set(), True),
        ("    @property\n", "", {"Basket.size"}, True),
        ("def total(prices)", "def total(prices=())", {"total"}, True),
        ("def total(", "def sum_up(", {"sum_up"}, True),
        ("def total(prices)", "def total(prices: list) -> int", {"total"}, False),
        ("import re\n", "import re\nimport json\n", set(), False),
        ("import re\n", "", set(), False),
        ("LIMIT = 3", "LIMIT = 3\nMORE = [1, 2]", set(), False),
        ("LIMIT = 3", "LIMIT = 3\nMORE = open('x')", set(), True),
        ("LIMIT = 3", "LIMIT = 3\nprint(LIMIT)", set(), True),
        ("LIMIT = 3", "LIMIT = 3\ndef count(n):\n    return n", {"count"}, False),
        ("LIMIT = 3", "LIMIT = 3\nclass Bag(dict):\n    x = 1\n    def f(self): ...", {"Bag.f"}, False),
        ('kind = "basket"', 'kind = "basket"\n    clear = None', set(), True),
        ("LIMIT = 3", "LIMIT = (", set(), True),
    ],
)  # fmt: skip
def test_python_is_compared_by_what_runs(old, new, functions, around):
    assert python(old, new) == (functions, around)


def test_a_module_of_the_project_that_is_no_longer_imported_may_have_done_something():
    assert compare_python("shop.py", "import registry\n", "").around
    assert compare_python("shop.py", "import re\n", "").is_empty


@pytest.mark.parametrize(
    ("old", "new", "functions", "around"),
    [
        ("return prices.length;", "return prices.length + 1;", {"total"}, False),
        ("// A shop.", "/* The shop. */", set(), False),
        ("return prices.length;", "return (\n    prices\n    .length);", {"total"}, False),
        ("return prices.length;", "return prices\n      .length;", set(), False),
        ("this.items.length", "0", {"size"}, False),
        ("done(one);", "done(two);", {""}, False),
        ("price * 2", "price * 3", {"tax"}, False),
        ("LIMIT = 3", "LIMIT = 4", set(), True),
        ('kind = "basket"', 'kind = "bag"', set(), True),
        ('from "fs";', 'from "fs";\nimport path from "path";', set(), False),
        ("export class Basket", "export const count = (n) => n;\n\nexport class Basket", {"count"}, False),
        ("export class Basket", "export function f(a: number): { b: number } {\n  return g(a);\n}\nexport class Basket", {"f"}, False),
        ("export class Basket", "start();\nexport class Basket", set(), True),
        ("  get size() {\n    return this.items.length;\n  }\n", "", set(), True),
    ],
)  # fmt: skip
def test_javascript_is_compared_by_its_tokens(old, new, functions, around):
    assert script(old, new) == (functions, around)


def test_files_are_told_apart_by_how_they_are_used():
    texts = {"a.py": ("x = 1\n", "x = 1  # one\n"), "b.json": ("1", "2"), "c.go": ("a", "b")}
    changes = [FileChange(path=path, status="M", added=1, removed=1) for path in texts]
    found = list_code_changes(changes, lambda p: texts[p][0], lambda p: texts[p][1])
    assert [(one.path, one.data, one.unseen) for one in found] == [
        ("b.json", True, False),
        ("c.go", False, True),
    ]


TOTAL = FunctionSpan("shop.py", 7, 9, "total")
INSIDE = CodeChange("shop.py", frozenset([TOTAL]))
AROUND = CodeChange("shop.py", around="line 4")
DATA = CodeChange("rates.json", data=True)


@pytest.mark.parametrize(
    ("own", "change", "entered"),
    [
        (TestReach(frozenset([TOTAL])), INSIDE, ENTERED),
        (TestReach(), INSIDE, NOT_ENTERED),
        (TestReach(children=True), INSIDE, UNDECIDABLE),
        (TestReach(frozenset([TOTAL]), children=True), INSIDE, ENTERED),
        (TestReach(trouble="switched off"), INSIDE, UNDECIDABLE),
        (TestReach(), AROUND, UNDECIDABLE),
        (TestReach(), CodeChange("never_loaded.py", around="line 4"), NOT_ENTERED),
        (TestReach(opened=frozenset(["rates.json"])), DATA, ENTERED),
        (TestReach(), DATA, NOT_ENTERED),
        (TestReach(), CodeChange("setup.cfg", data=True), UNDECIDABLE),
        (TestReach(), CodeChange("main.go", unseen=True), UNDECIDABLE),
    ],
)
def test_whether_a_test_enters_a_change(own, change, entered):
    reach = Reach(
        {"t": own}, loaded=frozenset(["shop.py"]), opened_outside=frozenset(["setup.cfg"])
    )
    assert find_entered(reach, "t", [change]) == entered


def test_what_nobody_saw_is_undecidable():
    assert find_entered(None, "t", [INSIDE]) == UNDECIDABLE
    assert find_entered(Reach(), "t", [INSIDE]) == UNDECIDABLE
    partly = Reach({"t": TestReach()}, complete=False)
    assert find_entered(partly, "t", [INSIDE]) == UNDECIDABLE
    assert find_entered(partly, "t", []) == UNDECIDABLE
