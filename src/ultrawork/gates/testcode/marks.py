"""How a test can be put away: always, or on a condition."""

ALWAYS = "always"
SOMETIMES = "sometimes"
NEVER = ""


def strongest(*marks: str) -> str:
    for mark in (ALWAYS, SOMETIMES):
        if mark in marks:
            return mark
    return NEVER
