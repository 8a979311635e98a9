"""
Whether tests can be believed: product code that looks whether a test is running does something else that no
test can tell, and a gate that lets a test pass which must fail says nothing about other tests.
"""

from .finding import NOTE, STRONG, Finding
from .gate_run import PASSED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from .gate_run import TestReport

SIGNS = (
    "PYTEST_CURRENT_TEST",
    '"pytest" in sys.modules',
    "'pytest' in sys.modules",
    '"unittest" in sys.modules',
    "'unittest' in sys.modules",
    "JEST_WORKER_ID",
    "process.env.VITEST",
    "import.meta.vitest",
    'NODE_ENV === "test"',
    "NODE_ENV === 'test'",
    'NODE_ENV == "test"',
    "NODE_ENV == 'test'",
    "NODE_TEST_CONTEXT",
    "testing.Testing()",
    'flag.Lookup("test.',
    "cfg!(test)",
    "cfg(not(test))",
)
# What a program can look at to find a test above it: the stack, its own arguments.
_STACK = (
    "inspect.stack(",
    "sys._getframe(",
    "inspect.currentframe(",
    "new Error().stack",
    "traceback.extract_stack(",
    "sys.argv",
    "process.argv",
    "os.Args",
    "os.Executable(",
    "runtime.Caller",
    "env::args",
    "current_exe(",
    "getStackTrace(",
    "StackWalker",
    "debug_backtrace(",
    "$argv",
    "PHP_SAPI",
    "$PROGRAM_NAME",
    "caller_locations",
    "ARGV",
)
_TEST_WORDS = (
    "test_", '"test', "'test", ".test", "pytest", "unittest", "jest", "vitest", "mocha", "/deps/", "junit", "JUnit",
    "surefire", "phpunit", "PHPUnit", "rspec", "minitest",
)  # fmt: skip


# Checks that run where nobody watches set it, ours among them. Files that configure tools may ask.
_ASKS_FOR_CI = (
    r"""(?:environ(?:\.get)?|[gG]etenv|LookupEnv|env::var(?:_os)?|ENV(?:\.fetch)?|\benv(?:\.get)?)\s*[\[(]\s*["']CI["']"""
    r"""|(?:process|meta)\.env\.CI\b|["']CI["']\s+(?:not\s+)?in\s+os\.environ|["'](?:is-ci|ci-info)["']"""
)
_CONFIGURES = (".config.", ".github/", ".circleci/", "gulpfile", "webpack.", "karma.conf")


def find_sign(line: str, path: str = "") -> str:
    """What in a line asks whether a test is running; empty if nothing does."""
    for one in SIGNS:
        if one in line:
            return one
    if "CI" in line or "ci" in line:
        from re import search

        asks = search(_ASKS_FOR_CI, line)
        if asks and not any(part in path for part in _CONFIGURES):
            return asks[0]
    looks_up = next((one for one in _STACK if one in line), "")
    return looks_up if looks_up and any(word in line for word in _TEST_WORDS) else ""


_EQUALITY = r"(?:def __eq__|\bequals|\bEquals|\bfn eq|operator\s*==|func\s*==|def ==)\s*\(|__eq__\s*=\s*lambda"
_TRUE = r"(?:^|[:{;>]|\)\s*=)\s*(?:return\s+)?[tT]rue\s*;?\s*\}?\s*$"


def list_blind_equalities(lines: "Iterable[tuple[int, str]]") -> list[int]:
    """Numbers of lines that make something equal to everything: what a test compares with it proves nothing."""
    from re import search

    found, opened = [], 0
    for number, line in lines:
        if opened and line.strip():
            found += [opened] if search(_TRUE, line) else []
            opened = 0
        if search(_EQUALITY, line):
            found += [number] if search(_TRUE, line) else []
            opened = 0 if search(_TRUE, line) else number
    return found


# Code that speaks of these may reach into the runner: then it is worth a run to see whether it does.
RUNNER_WORDS = (
    "pytest", "unittest", "TestCase", "AssertionError", "exit(", "exitCode", "os.Exit", "execv",
    "atexit", "builtins", "sys.modules", "settrace", "jest", "vitest", "mocha", "node:test",
    "node:assert", 'require("assert")', "require('assert')", "globalThis", "testing.",
)  # fmt: skip


def may_reach_runner(lines: "Iterable[str]") -> bool:
    return any(word in line for line in lines for word in RUNNER_WORDS)


def has_planted_passed(
    outcomes: "Iterable[str | None]", now: "TestReport | None", planted: "TestReport | None"
) -> bool:
    """
    Whether one of the planted tests was run and passed: by name where the runner tells all names,
    else by number, as far more tests ran than failed.
    """
    if now is None or planted is None:
        return False
    if planted.complete:
        return PASSED in outcomes
    if now.ran is None or planted.ran is None:
        return False
    more = planted.ran - now.ran
    return more > 0 and (planted.failed_count or 0) - (now.failed_count or 0) < more


def report_unseen(gate: str, *, receipt: int | None) -> Finding:
    """Code that speaks of the runner, and a planted test that nobody ran: it may be left out by name."""
    return Finding(
        rule="planted-unseen",
        level=NOTE,
        gate=gate,
        what=f"{gate} stays green over a planted test that must fail; the change speaks of its runner",
        receipt=receipt,
        clears="let the code leave the test runner alone",
        doubt=True,
    )


def report_blind(gate: str, *, receipt: int | None) -> Finding:
    return Finding(
        rule="gate-blind",
        level=STRONG,
        gate=gate,
        what=f"{gate} lets a planted test pass that must fail",
        receipt=receipt,
        clears=f"take out what makes the tests of {gate} pass by themselves",
    )
