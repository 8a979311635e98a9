"""The kinds of sessions, separate because every hook needs them and few need a session."""

FULL = "session"
LIGHT = "ulw"
CHECKOUT = "verify"
