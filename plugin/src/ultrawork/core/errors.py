"""
Every error that a user can act on, and the program's exit statuses; scripts rely on both.

    UltraworkError
    ├── UsageError   the call is wrong
    ├── NotFound     what it names does not exist
    ├── Conflict     not now: an illegal transition, or another process holds it
    └── Trouble      our own: disk, database, environment
        └── Unwritable   the state folder cannot be written from here

The message is one sentence; `code` is stable. Anything else that is raised is a bug.
"""

EXIT_DONE = 0
EXIT_FAIL = 1
EXIT_USAGE = 2
EXIT_UNVERIFIED = 3
EXIT_NOTHING = 4
EXIT_CONFLICT = 5
EXIT_TROUBLE = 6
EXIT_INTERRUPTED = 130

EXIT_MEANINGS = {
    EXIT_DONE: "PASS or done",
    EXIT_FAIL: "FAIL",
    EXIT_USAGE: "invalid usage",
    EXIT_UNVERIFIED: "UNVERIFIED",
    EXIT_NOTHING: "not found (no session, no check)",
    EXIT_CONFLICT: "conflict (not possible in this state, or held by another process)",
    EXIT_TROUBLE: "internal error",
    EXIT_INTERRUPTED: "interrupted",
}


class UltraworkError(Exception):
    code = "error"
    exit = EXIT_TROUBLE


class UsageError(UltraworkError):
    code = "usage"
    exit = EXIT_USAGE


class NotFound(UltraworkError):  # noqa: N818 (short, and said often)
    code = "not-found"
    exit = EXIT_NOTHING


class Conflict(UltraworkError):  # noqa: N818 (short, and said often)
    code = "conflict"
    exit = EXIT_CONFLICT


class Trouble(UltraworkError):  # noqa: N818 (short, and said often)
    code = "trouble"
    exit = EXIT_TROUBLE


class Unwritable(Trouble):
    """The same for scripts; in a client's sandbox there are other solutions."""
