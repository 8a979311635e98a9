"""The kinds of sessions, in a module of their own: every hook asks for them, few need a session."""

FULL = "session"
LIGHT = "ulw"
CHECKOUT = "verify"
