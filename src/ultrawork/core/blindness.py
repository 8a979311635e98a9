"""A gate that lets a test pass which must fail: whatever it says about other tests is worth nothing."""

from .findings import NOTE, STRONG, Finding
from .results import PASSED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from .results import TestReport

# Code that speaks of these may reach into the runner: then it is worth a run to see whether it does.
WORDS = (
    "pytest", "unittest", "TestCase", "AssertionError", "exit(", "exitCode", "os.Exit", "execv",
    "atexit", "builtins", "sys.modules", "settrace", "jest", "vitest", "mocha", "node:test",
    "node:assert", 'require("assert")', "require('assert')", "globalThis", "testing.",
)  # fmt: skip


def reaches_into_runner(lines: "Iterable[str]") -> bool:
    return any(word in line for line in lines for word in WORDS)


def passed(
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


def unseen(gate: str, *, receipt: int | None) -> Finding:
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


def blind(gate: str, *, receipt: int | None) -> Finding:
    return Finding(
        rule="gate-blind",
        level=STRONG,
        gate=gate,
        what=f"{gate} lets a planted test pass that must fail",
        receipt=receipt,
        clears=f"take out what makes the tests of {gate} pass by themselves",
    )
