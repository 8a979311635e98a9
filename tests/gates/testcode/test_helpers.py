"""What tests use a module for: a helper with which they judge other code, the subject itself, or either."""

import pytest

from ultrawork.gates.testcode.helpers import (
    is_helper,
    is_helper_of,
    is_loaded_before_tests,
    is_settings_path,
)

CHECKS = "MOST = 6\n\n\ndef same(a, b):\n    return a == b\n"
PYTHON = "import checks\nimport shop\n\n\ndef test_x(self):\n    {}\n"
JUDGED_IN_PYTHON = {
    "assert checks.same(shop.total([1]), 1)": True,
    "assert not checks.differs(shop.total([1]), 1)": True,
    "assert checks.same(shop.total([1]), 1) is True": True,
    "self.assertTrue(checks.same(shop.total([1]), 1))": True,
    "got = shop.total([1])\n    assert checks.same(got, 1)": True,
    "ok = checks.same(shop.total([1]), 1)\n    assert ok": True,
    "c = checks.Checker()\n    assert c.same(shop.total([1]), 1)": True,
    "if not checks.same(shop.total([1]), 1):\n        self.fail()": True,
    "ok = checks.same(shop.total([1]), 1) or self.fail()": True,
    "self.assertEqual(checks.faults(shop.total([1])), [])": True,
    "checks.same(shop.total([1]), 1)": True,
    "with self.subTest():\n        checks.same(shop.total([1]), 1)": True,
    # What it is judged with, and by.
    "assert shop.total([1]) == checks.MOST": True,
    "self.assertEqual(shop.total([1]), checks.most())": True,
    "for a, b in checks.CASES:\n        assert shop.total(a) == b": True,
    "assert shop.total(checks.prices()) == 6": True,
    "clock = checks.FakeClock()\n    assert shop.now(clock) == 2": True,
    # The test itself looks at what the module gives: this is what it is about.
    "assert checks.is_even(2)": False,
    "assert checks.is_even(2)\n    assert checks.is_even(shop.total([1]))": False,
    "r = checks.Repo()\n    r.save(shop.Order(1))\n    assert r.load(1) == shop.Order(1)": False,
    "s = checks.Store()\n    shop.App(s).put(1)\n    assert s.items == [1]": False,
    # Both work together: it may be about either.
    "assert checks.show(shop.parse('x')) == 'y'": None,
    "assert shop.show(checks.parse('x')) == 'y'": None,
    "s = checks.Store()\n    assert shop.App(s).get(1) == 2": None,
    "b = checks.Bus()\n    b.publish(shop.Order(1))\n    assert shop.seen() == [1]": None,
    "p = checks.make(3)\n    assert shop.total(p) == 6": None,
}
SCRIPT = 'const {{ total }} = require("./shop");\nconst checks = require("./checks");\n\ntest("x", () => {{\n  {}\n}});\n'
JUDGED_IN_SCRIPTS = {
    "assert.ok(checks.same(total([1]), 1));": True,
    "assert(checks.same(total([1]), 1));": True,
    "expect(checks.same(total([1]), 1)).toBe(true);": True,
    "expect(checks.same(total([1]), 1)).toBeTruthy();": True,
    "const ok = checks.same(total([1]), 1);\n  assert.ok(ok);": True,
    "const got = total([1]);\n  assert.ok(checks.same(got, 1));": True,
    "if (!checks.same(total([1]), 1)) throw new Error();": True,
    "assert.deepEqual(checks.faults(total([1])), []);": True,
    "checks.same(total([1]), 1);": True,
    "assert.equal(total([1]), checks.MOST);": True,
    "assert(total([1]) === checks.MOST);": True,
    "expect(total([1])).toEqual(checks.most());": True,
    "for (const [a, b] of checks.CASES) assert.equal(total(a), b);": True,
    "checks.CASES.forEach(([a, b]) => { expect(total(a)).toBe(b); });": True,
    "assert.equal(total(checks.prices()), 6);": True,
    "const clock = new checks.FakeClock();\n  expect(total(clock)).toBe(2);": True,
    "assert.ok(checks.isEven(2));": False,
    "expect(checks.show('x')).toBe('y');": False,
    "expect(checks.show(total('x'))).toBe('y');": None,
    "assert(checks.add(total([1]), 1) === 2);": None,
    "const s = new checks.Store();\n  expect(total(s)).toBe(2);": None,
    "checks.note(total([1]));\n  assert.ok(total([]) === 0);": None,
}
C = '#include "checks.h"\n#include "shop.h"\n\nint main(void) {{\n  {}\n  return 0;\n}}\n'
MACROS = "#define MOST 6\n#define CHECK(good) if (!(good)) exit(1)\n\nint same(int a, int b);\n"
JUDGED_IN_C = {
    "CHECK(total(prices, 2) == 6);": True,
    "if (!same(total(prices, 2), 6)) return 1;": True,
    "assert(total(prices, 2) == MOST);": True,
    "assert(same(2, 2));": False,
}


@pytest.mark.parametrize(("lines", "helps"), JUDGED_IN_PYTHON.items())
def test_the_use_of_a_module_in_python_tells_what_it_is_for(lines, helps):
    found = is_helper_of("test_a.py", PYTHON.format(lines), "checks", CHECKS, {"shop"})
    assert found is helps


@pytest.mark.parametrize(
    "load",
    ["from checks import *", 'exec(open("checks.py").read())', 'same = __import__("checks").same'],
)
def test_names_that_come_in_another_way_are_known(load):
    test = f"{load}\nimport shop\n\n\ndef test_x():\n    assert same(shop.total([1]), 1)\n"
    assert is_helper_of("test_a.py", test, "checks", CHECKS, {"shop"}) is True


@pytest.mark.parametrize(
    ("path", "text", "loads"),
    [
        ("conftest.py", 'pytest_plugins = ["checks"]\n', True),
        ("pyproject.toml", 'addopts = "-p checks"\n', True),
        ("package.json", '{"scripts": {"test": "node --require ./checks.js --test"}}', True),
        ("web/jest.config.js", 'module.exports = {\n  setupFiles: [\n    "./checks.js",\n  ],\n};\n', True),
        (".mocharc.yml", "require: ./support/checks.js\n", True),
        ("package.json", '{"main": "./checks.js", "scripts": {"test": "mocha"}}', False),
        ("package.json", '{"scripts": {"start": "node -r ./checks.js app.js"}}', False),
        ("Makefile", "test:\n\tmkdir -p checks\n\tpytest\n", False),
    ],
)  # fmt: skip
def test_what_a_runner_loads_before_the_tests_is_theirs(path, text, loads):
    assert is_settings_path(path)
    assert is_loaded_before_tests(text, "checks") is loads


@pytest.mark.parametrize(("lines", "helps"), JUDGED_IN_SCRIPTS.items())
def test_the_use_of_a_module_in_a_script_tells_what_it_is_for(lines, helps):
    found = is_helper_of("a.test.js", SCRIPT.format(lines), "checks", "", {"shop"})
    assert found is helps


@pytest.mark.parametrize(("lines", "helps"), JUDGED_IN_C.items())
def test_the_use_of_a_header_tells_what_it_is_for(lines, helps):
    assert is_helper_of("test_a.c", C.format(lines), "checks", MACROS, {"shop"}) is helps


def test_code_that_asserts_what_it_is_given_is_no_helper():
    assert not is_helper(
        "shop.py", "def total(prices):\n    assert prices\n    return sum(prices)\n"
    )
    assert is_helper("checks.py", "def check(a, b):\n    assert a == b\n")
    assert is_helper("expected.py", "MOST = 6\n")
