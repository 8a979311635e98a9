"""Product code that asks whether a check is running."""

import pytest

from ultrawork.core.verdict.test_awareness import find_sign, list_blind_equalities

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
