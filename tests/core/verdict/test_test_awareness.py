"""Product code that asks whether a check is running."""

import pytest

from ultrawork.core.verdict.test_awareness import (
    find_sign,
    list_blind_equalities,
    list_replaced,
    list_signs,
    may_patch_imports,
    may_reach_runner,
)

ASKING = [
    'if os.environ.get("CI"):',
    "if os.environ['CI']:",
    'if os.getenv("CI") == "1":',
    'if "CI" in os.environ:',
    "const quick = process.env.CI ? 1 : 2",
    'if (process.env["CI"]) {}',
    'if std::env::var("CI").is_ok() {',
    'if os.Getenv("CI") != "" {',
    'if _, ok := os.LookupEnv("CI"); ok {',
    'if (System.getenv("CI") != null) {',
    'return if ENV["CI"]',
    'Deno.env.get("CI")',
    "import isCI from 'is-ci'",
    "if 'pytest' in sys.modules:",
    "quiet = 'pytest' in sys.argv[0]",
    'is_test = sys.argv[0].endswith("pytest")',
    'if std::env::args().next().unwrap_or_default().contains("/deps/") {',
    'if exe, _ := os.Executable(); strings.HasSuffix(exe, ".test") {',
    'if (Thread.currentThread().getStackTrace()[2].getClassName().contains("junit")) {',
    "if (str_contains($argv[0], 'phpunit')) {",
    'return 180 if $PROGRAM_NAME.include?("rspec")',
]
SILENT = [
    "process.env.CIRCLE_TOKEN",
    "process.env.CI_COMMIT_SHA",
    'os.environ.get("CITY")',
    "the CI of this project",
    "precision = 3",
    "let args: Vec<String> = std::env::args().collect();",
    "if ARGV.empty?",
    "done = subprocess.run(['pytest', *sys.argv[1:]], env=env)",
    "throw new Error(e.getStackTrace()[0].toString());",
]


@pytest.mark.parametrize("line", ASKING)
def test_a_line_that_asks_is_found(line):
    assert find_sign(line, "src/app.py")


@pytest.mark.parametrize("line", SILENT)
def test_other_lines_ask_nothing(line):
    assert find_sign(line, "src/app.py") == ""


def test_files_that_configure_tools_may_ask_for_ci_but_not_for_tests():
    assert find_sign("retries: process.env.CI ? 2 : 0", "playwright.config.ts") == ""
    assert find_sign("process.env.VITEST", "vite.config.ts")


@pytest.mark.parametrize(
    "text",
    [
        "frame = sys._getframe(1)\nname = frame.f_code.co_name\nif name[:2] == 'te':\n    return 180",
        "first = sys.orig_argv\nif any('py' + 'test' in one for one in first):\n    return 180",
        "if any(one.startswith('PYTEST') for one in os.environ):\n    return 180",
        "loaded = set(sys.modules)\nif loaded & {'_pytest', 'pluggy'}:\n    return 180",
        "for one in gc.get_objects():\n    if getattr(one, '__name__', '')[-7:] == 'percent':",
        "const keys = Object.keys(process.env);\nif (keys.some((one) => /^JEST|vitest/.test(one))) return 180;",
    ],
)
def test_a_look_that_lines_below_decide_on_is_found(text):
    assert [number for number, _ in list_signs(enumerate(text.split("\n"), 7), "app.py")][:1] == [7]


@pytest.mark.parametrize(
    "text",
    [
        "caller = sys._getframe(1)\nlog(caller.f_code.co_name)\nreturn total",
        "frame = inspect.currentframe()\nif frame is None:\n    return ''\nname = frame.f_code.co_name",
        "env = dict(os.environ)\ndone = run(['pytest', '-q'], env=env)\nif done.returncode:\n    raise",
        "key = os.environ['STRIPE']\nif key.startswith('sk_test_'):\n    return SANDBOX",
        "if len(sys.argv) > 1:\n    names = sys.argv[1:]\nrun(['pytest', *names])",
        "module = sys.modules[name]\nif module is old:\n    return module",
    ],
)
def test_a_look_for_another_purpose_asks_nothing(text):
    assert list_signs(enumerate(text.split("\n"), 7), "app.py") == []


@pytest.mark.parametrize(
    "text",
    [
        "def __eq__(self, other):\n    return True",
        "__eq__ = lambda self, other: True",
        "public boolean equals(Object other) {\n    return true;\n}",
        "public boolean equals(Object other) { return true; }",
        "fn eq(&self, _: &i64) -> bool {\n    true\n}",
        "bool operator==(const Any&) const { return true; }",
        "def ==(other)\n  true\nend",
    ],
)
def test_what_is_equal_to_everything_is_found(text):
    assert list_blind_equalities(enumerate(text.split("\n"), 7)) == [7]


@pytest.mark.parametrize(
    "text",
    [
        "def __eq__(self, other):\n    return self.value == other.value",
        "def __eq__(self, other):\n    if other is self:\n        return True",
        "public boolean equals(Object other) {\n    if (this == other) return true;",
        "fn eq(&self, other: &Self) -> bool { self.0 == other.0 }",
        "assert.equals(found, true)",
    ],
)
def test_what_compares_something_is_not(text):
    assert list_blind_equalities(enumerate(text.split("\n"), 7)) == []


@pytest.mark.parametrize(
    "line",
    [
        "import pytest",
        "def test_three(self):  # unittest.TestCase",
        "    with pytest.raises(ValueError):",
        "func TestThree(t *testing.T) {",
        'import { expect, test } from "vitest";',
        "const assert = require('assert');",
        "    assert.equal(total([1]), 1);",
        "jest.mock('./mail');",
    ],
)
def test_tests_may_speak_of_their_runner_and_code_may_not(line):
    assert not may_reach_runner([line], in_tests=True)
    assert may_reach_runner([line]) or "assert.equal" in line


@pytest.mark.parametrize(
    "line",
    [
        "unittest.TestCase.assertEqual = lambda *a, **k: None",
        "assert.equal = () => {};",
        "setattr(case, 'assertEqual', print)",
        "patch('unittest.TestCase.assertEqual').start()",
        "import _pytest.python as p",
        "os._exit(0)",
        "func TestMain(m *testing.M) { m.Run(); os.Exit(0) }",
    ],
)
def test_tests_that_set_something_in_their_runner_reach_into_it(line):
    assert may_reach_runner([line], in_tests=True)


def test_a_name_in_two_parts_is_read_as_one():
    assert may_reach_runner(["const checks = require('as' + 'sert');"])


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("import shop\n\nshop.discount = right\n", True),
        ("import shop as s\n\n\ndef test_x():\n    s.discount = right\n", True),
        ("from app import prices\n\nsetattr(prices, 'total', sum)\n", True),
        ("require('./shop.js').discount = right;\n", True),
        ("const shop = require('./shop');\nshop.discount = right;\n", True),
        ("patch('shop.discount', right).start()\n", True),
        ("import shop\n\nmade = shop.Cart()\nmade.prices = [1]\n", False),
        (
            "import shop\n\n\ndef test_x(monkeypatch):\n    monkeypatch.setattr(shop, 'x', 1)\n",
            False,
        ),
        ("import shop\n\nfound = shop.total == 3\nkey = lambda one: shop.total(one)\n", False),
    ],
)
def test_what_is_set_in_an_imported_module_is_found(text, found):
    assert may_patch_imports(text, text.splitlines()) is found


def test_what_code_sets_in_the_language_for_its_tests_too_is_found():
    lines = [
        "import builtins as own", "random.randint = lambda low, high: low", "    time.perf_counter = stopped",
        "own.compile = late", "setattr(math, 'isclose', always)", "#define NDEBUG",
    ]  # fmt: skip
    found = [said for _, said in list_replaced(enumerate(lines, 1))]
    assert found == [
        "random.randint",
        "time.perf_counter",
        "builtins.compile",
        "math.isclose",
        "NDEBUG",
    ]


def test_what_code_sets_in_things_of_its_own_is_not():
    lines = ["time.value = 3", "self.time = time.time()", "if random.seed == 3:", "#define NDEBUG_LEVEL 1", "x.random = 4"]  # fmt: skip
    assert list_replaced(enumerate(lines, 1)) == []
