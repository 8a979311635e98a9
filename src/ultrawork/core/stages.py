"""How far the exploration of a session has come, and what to do when it is taken up again."""

from .errors import UsageError

NOT_STARTED = "not_started"
OVERVIEW = "overview"
ANALYZING = "analyzing"
TARGETED = "targeted"
COMPLETE = "complete"
ALL = (NOT_STARTED, OVERVIEW, ANALYZING, TARGETED, COMPLETE)


def parse(word: str) -> str:
    from .check import shown

    stage = word.strip().lower()
    if stage not in ALL:
        raise UsageError(f"{shown(word)} is no exploration stage; known: {', '.join(ALL)}")
    return stage


def explored(expected: list[str], reported: list[str]) -> bool:
    """Whether every explorer that was expected has reported; more than those do no harm."""
    return bool(expected) and set(expected) <= set(reported)
