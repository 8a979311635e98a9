"""Failures that are well known, and how to go on after them."""

# (kind, what such a failure says, what helps); the first row that fits is told. Plain words: this runs often.
_TOOLS = (
    ("edit-not-found",
     ("string to replace not found", "oldstring not found", "old_string not found", "no match found for"),
     "the text to replace is not in the file as given: read the file again and copy it letter by letter"),
    ("edit-many", ("found multiple times", "matches of the string", "multiple matches", "is not unique"),
     "the text to replace occurs more than once: give more lines around it, or ask for all of them"),
    ("edit-same", ("new_string are exactly the same", "newstring are exactly the same", "must be different", "no changes to make"),
     "the new text is the same as the old one: nothing has to be changed there"),
    ("edit-unread", ("has not been read yet", "must read the file", "read it first"),
     "read the file first, then edit it"),
    ("edit-stale", ("modified since read", "modified since it was read", "has been unexpectedly modified", "changed on disk"),
     "the file changed meanwhile: read it again before editing"),
    ("no-file", ("enoent", "no such file or directory", "file does not exist"),
     "the path does not exist: list its folder before guessing another one"),
    ("no-permission", ("eacces", "eperm", "permission denied", "operation not permitted"),
     "it is not permitted: do not try to get around it; say what is needed"),
    ("no-command", ("command not found", "is not recognized as an internal"),
     "the program is not installed here: look for the project's own way to run it"),
    ("time-out", ("timed out", "deadline exceeded"),
     "it took too long: run a smaller part, or run it in the background"),
    ("no-space", ("enospc", "no space left on device"), "the disk is full: say so, nothing else will help"),
    ("too-large", ("exceeds maximum allowed", "too large to read", "output too large"),
     "it is too large at once: read a range of lines, or search in it"),
)  # fmt: skip
_LONG = 4_000


def find_advice(error: str) -> tuple[str, str]:
    """(kind, what helps); both empty when nothing is known about it."""
    text = error[:_LONG].lower()
    return next(
        ((kind, helps) for kind, said, helps in _TOOLS if any(one in text for one in said)),
        ("", ""),
    )
