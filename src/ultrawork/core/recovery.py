"""Failures that are well known, and how to go on after them."""

# (kind, what the failure says, what helps); the first row that fits is told.
_TOOLS = (
    ("edit-not-found", r"string to replace not found|old_?string not found|no match(?:es)? found for",
     "the text to replace is not in the file as given: read the file again and copy it letter by letter"),
    ("edit-many", r"found multiple times|matches of the string|multiple matches|not unique",
     "the text to replace occurs more than once: give more lines around it, or ask for all of them"),
    ("edit-same", r"old_?string and new_?string (?:are|must be)|no changes to make|exactly the same",
     "the new text is the same as the old one: nothing has to be changed there"),
    ("edit-unread", r"has not been read yet|must read|read it first before writing",
     "read the file first, then edit it"),
    ("edit-stale", r"modified since (?:it was )?read|has been (?:unexpectedly )?modified|changed on disk",
     "somebody changed the file meanwhile: read it again before editing"),
    ("no-file", r"\bENOENT\b|no such file or directory|file does not exist",
     "the path does not exist: list its folder before guessing another one"),
    ("no-permission", r"\bEACCES\b|\bEPERM\b|permission denied|operation not permitted",
     "it is not permitted: do not try to get around it; say what is needed"),
    ("no-command", r"command not found|: not found$|is not recognized as",
     "the program is not installed here: look for the project's own way to run it"),
    ("time-out", r"timed out|timeout|deadline exceeded",
     "it took too long: run a smaller part, or run it in the background"),
    ("no-space", r"\bENOSPC\b|no space left on device", "the disk is full: say so, nothing else will help"),
    ("too-large", r"exceeds maximum allowed (?:tokens|size)|too large to read|output too large",
     "it is too large at once: read a range of lines, or search in it"),
)  # fmt: skip
_SESSIONS = (
    ("tool_result_missing", r"tool_use.*without tool_result|tool_result.*missing"),
    ("thinking_block_order", r"expected.{0,12}thinking.*(?:first|must start|found)"),
    ("context_window_limit",
     r"prompt is too long|context[_ ](?:window|length|limit)|maximum context|non-empty content|too many tokens"),
)  # fmt: skip
_LONG = 4_000


def guidance(error: str) -> tuple[str, str]:
    """(kind, what helps); both empty when nothing is known about it."""
    return next(((kind, helps) for kind, said, helps in _TOOLS if _says(said, error)), ("", ""))


def is_edit_error(text: str) -> bool:
    return guidance(text)[0] in ("edit-not-found", "edit-many", "edit-same")


def recoverable(error: str) -> str:
    """The kind of a failure of the whole session that it can come back from; empty if none."""
    return next((kind for kind, said in _SESSIONS if _says(said, error)), "")


def _says(pattern: str, text: str) -> bool:
    import re

    return re.search(pattern, text[:_LONG], re.IGNORECASE | re.MULTILINE) is not None
