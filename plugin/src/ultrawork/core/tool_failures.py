"""What an agent's tool calls show: well-known failures, with how to continue after them, and an agent that goes in
circles, with the same call over and over or a short round of calls."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

# (kind, texts of such a failure, advice); the first matching row is used. Plain substrings, because this runs often.
_TOOLS = (
    ("edit-not-found",
     ("string to replace not found", "oldstring not found", "old_string not found", "no match found for"),
     "the text to replace is not in the file exactly as given: read the file again and copy it verbatim"),
    ("edit-many", ("found multiple times", "matches of the string", "multiple matches", "is not unique"),
     "the text to replace occurs more than once: include more surrounding lines, or replace all occurrences"),
    ("edit-same", ("new_string are exactly the same", "newstring are exactly the same", "must be different", "no changes to make"),
     "the new text equals the old text: no edit is needed"),
    ("edit-unread", ("has not been read yet", "must read the file", "read it first"),
     "read the file first, then edit it"),
    ("edit-stale", ("modified since read", "modified since it was read", "has been unexpectedly modified", "changed on disk"),
     "the file changed after you read it: read it again before editing"),
    ("no-file", ("enoent", "no such file or directory", "file does not exist"),
     "the path does not exist: list its folder before guessing another one"),
    ("no-permission", ("eacces", "eperm", "permission denied", "operation not permitted"),
     "permission denied: do not work around it; say which permission is needed"),
    ("no-command", ("command not found", "is not recognized as an internal"),
     "the program is not installed here: find out how the project runs it"),
    ("time-out", ("timed out", "deadline exceeded"),
     "the call timed out: run a smaller part, or run it in the background"),
    ("no-space", ("enospc", "no space left on device"), "the disk is full: tell the user; retrying does not help"),
    ("too-large", ("exceeds maximum allowed", "too large to read", "output too large"),
     "the content is too large: read a range of lines, or search it"),
)  # fmt: skip
_LONG = 4_000


def find_advice(error: str) -> tuple[str, str]:
    """Return (kind, advice); both empty for an unknown failure."""
    text = error[:_LONG].lower()
    return next(
        ((kind, helps) for kind, phrases, helps in _TOOLS if any(phrase in text for phrase in phrases)), ("", "")
    )


IN_A_ROW = 5
ROUNDS = 4
LONGEST_ROUND = 4
FEWEST = min(IN_A_ROW, ROUNDS)  # a call that came less often is in no round


def find_round(calls: "Sequence[str]", factor: int = 1) -> int:
    """Return the length of the cycle that the newest calls repeat: 1 for the same call five times in a row, up to 4
    for a cycle repeated four times, `factor` times that; 0 if they do not repeat."""
    for length in range(1, LONGEST_ROUND + 1):
        times = factor * (IN_A_ROW if length == 1 else ROUNDS)
        newest = calls[-length * times :]
        if len(newest) == length * times and _turns(newest, length):
            return length
    return 0


def _turns(calls: "Sequence[str]", length: int) -> bool:
    return all(calls[place] == calls[place % length] for place in range(len(calls)))
