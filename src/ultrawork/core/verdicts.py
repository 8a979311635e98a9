"""The three words a verification can end with."""

PASS = "PASS"  # noqa: S105 (a verdict)
FAIL = "FAIL"
UNVERIFIED = "UNVERIFIED"
ALL = (PASS, FAIL, UNVERIFIED)
