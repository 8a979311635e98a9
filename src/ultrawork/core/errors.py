"""
Every failure that a person can act on.

    UltraworkError
    ├── UsageError   the call is wrong
    ├── NotFound     what it names is not there
    ├── Conflict     not now: an illegal transition, or held by another
    └── Trouble      our own: disk, database, environment
        └── Unwritable   the state folder cannot be written from here

The message is one sentence; `code` is stable for scripts. Anything else that is raised is a bug.
"""

from . import exits


class UltraworkError(Exception):
    code = "error"
    exit = exits.TROUBLE


class UsageError(UltraworkError):
    code = "usage"
    exit = exits.USAGE


class NotFound(UltraworkError):  # noqa: N818 (short, and said often)
    code = "not-found"
    exit = exits.NOTHING


class Conflict(UltraworkError):  # noqa: N818 (short, and said often)
    code = "conflict"
    exit = exits.CONFLICT


class Trouble(UltraworkError):  # noqa: N818 (short, and said often)
    code = "trouble"
    exit = exits.TROUBLE


class Unwritable(Trouble):
    """The same for scripts; in a client's sandbox there are other ways out of it."""
