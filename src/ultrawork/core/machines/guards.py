"""What a step of a mode needs. A guard gives the sentence that says what is missing; empty if nothing is."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from .machine import Progress

APPROVED = "APPROVED"
VERDICTS = ("functional", "security", "quality")


def proved(progress: "Progress") -> str:
    """The gates' verdict, put there by the program; no word of an agent stands for it."""
    if progress.facts.get("proved") is True:
        return ""
    return "it needs a PASS verdict for the files as they are (ultrawork verify)"


def has(*keys: str) -> "Callable[[Progress], str]":
    """One of these facts is there."""

    def guard(progress: "Progress") -> str:
        there = any(progress.facts.get(key) for key in keys)
        return "" if there else f"{' or '.join(keys)} is missing"

    return guard


def is_count(value: object) -> bool:
    """A whole number from 0 on; yes and no are none, though Python takes them for 1 and 0."""
    return type(value) is int and value >= 0


def tasks_done(progress: "Progress") -> str:
    total, done = progress.facts.get("tasks_total"), progress.facts.get("tasks_completed")
    if not is_count(total) or not is_count(done) or not total:
        return "it has no tasks yet, or tasks_total and tasks_completed are no whole numbers"
    return "" if done >= total else f"{done} of {total} tasks are done"


def approved(progress: "Progress") -> str:
    """Three reviewers' verdicts, one a kind, and then the gates'."""
    given = progress.facts.get("verdicts")
    verdicts = given if isinstance(given, dict) else {}
    lacking = [kind for kind in VERDICTS if verdicts.get(kind) != APPROVED]
    if lacking:
        return f"not approved yet: {', '.join(lacking)}"
    return proved(progress)
