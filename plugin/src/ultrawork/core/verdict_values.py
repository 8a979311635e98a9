"""Verdict values, separate because every stop needs them and few need a verdict."""

from .errors import EXIT_DONE, EXIT_FAIL, EXIT_UNVERIFIED

PASS = "PASS"  # noqa: S105 (a verdict)
FAIL = "FAIL"
UNVERIFIED = "UNVERIFIED"
# The exit status of each verdict.
EXITS = {PASS: EXIT_DONE, FAIL: EXIT_FAIL, UNVERIFIED: EXIT_UNVERIFIED}
