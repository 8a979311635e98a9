"""What the program's exit status means; scripts rely on these numbers."""

DONE = 0
FAIL = 1
USAGE = 2
UNVERIFIED = 3
NOTHING = 4
CONFLICT = 5
TROUBLE = 6
INTERRUPTED = 130

MEANING = {
    DONE: "PASS or done",
    FAIL: "FAIL",
    USAGE: "used wrongly",
    UNVERIFIED: "UNVERIFIED",
    NOTHING: "nothing there (no session, no gate)",
    CONFLICT: "conflict (illegal transition, held by another)",
    TROUBLE: "our own trouble",
    INTERRUPTED: "interrupted",
}
