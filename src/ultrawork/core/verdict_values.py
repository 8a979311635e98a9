"""What a check of a whole tree comes to, in a module of its own: every stop asks, few need a verdict."""

PASS = "PASS"  # noqa: S105 (a verdict)
FAIL = "FAIL"
UNVERIFIED = "UNVERIFIED"
