"""What the notepad does at a client's events (`ROWS`), and what the rest of the program asks of it (`ANSWERS`)."""

from ...hooks.table import FEATURES, Row

_AT = "ultrawork.features.notepad.hooks"

# fmt: off
ROWS = {
    "SessionStart": (
        Row("notepad", f"{_AT}:tell_notes", FEATURES,
            "the notepad's priority notes, once", features=("notepad",), before="project-memory"),
    ),
    "SubagentStop": (
        Row("remember", f"{_AT}:keep_notes", FEATURES,
            "notes what an agent asks to remember", features=("notepad",), before="plan-wisdom"),
    ),
}
# fmt: on
ANSWERS = {"read_priority": "hooks:read_priority"}
