"""How many tests a running check has finished, from what it has printed so far."""

import re

# pytest ends each line of dots with a percentage.
_SHARE = re.compile(r"\[ *(\d{1,3})%\]")
# One line per test: TAP, Go, Rust, unittest and `pytest -v`, Jest and Vitest, Mocha.
_LINES = re.compile(
    r"(?m)^(?:(?:not )?ok \d+\b|[ \t]*--- (?:PASS|FAIL|SKIP): |test .{1,300} \.\.\. |.{1,300} \.\.\. (?:ok|FAIL|ERROR|skipped)"
    r"|.{1,300} (?:PASSED|FAILED|SKIPPED|XFAIL)\b|[ \t]*[✓✔√✗✘✕] )"
)


def count_finished(output: str, tests: int | None) -> int | None:
    """Return how many tests finished; None if the output does not show it. `tests` is how many ran last time, for a
    percentage."""
    shares = _SHARE.findall(output)
    if shares:
        return None if tests is None else round(tests * min(100, int(shares[-1])) / 100)
    count = sum(1 for _ in _LINES.finditer(output))
    return count or None
