"""How strong a PASS is: whether a test shows the change, moved with it, runs it, or never meets it."""

from ..value import Value
from .finding import NOTE
from .gate_run import shorten_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

PROVED = "proved"
MOVED = "moved"
NOTHING_BROKE = "nothing broke"
NOT_RUN = "no test runs it"
ALL_STRENGTHS = (PROVED, MOVED, NOTHING_BROKE, NOT_RUN)
# Findings that say an expectation moved together with the behaviour.
MOVED_RULES = ("test-moved", "snapshot-moved")
_SHOWN = 2


class StrengthFacts(Value):
    """
    `proofs` are tests that are red on base and green now, each twice, and that did not move; None if nobody looked.
    `runs` is whether a test enters what was changed; None if that is not known.
    """

    proofs: "Sequence[str] | None" = None
    moved: bool = False
    runs: bool | None = None


def grade(facts: StrengthFacts) -> str:
    """Empty where it is not known: then the line leaves it out."""
    if facts.proofs:
        return PROVED
    if facts.moved:
        return MOVED
    if facts.runs is False:
        return NOT_RUN
    return NOTHING_BROKE if facts.proofs is not None else ""


def describe_strength(verdict: "Mapping[str, Any]") -> str:
    """`proved by test_x`, `nothing broke: no test notices this change`; empty where nobody looked."""
    strength = verdict.get("strength")
    if strength == PROVED:
        return f"proved by {render_tests(verdict['noticed_by'] or [])}"
    if strength == MOVED:
        moved = count_moved(verdict)
        return f"moved: {moved} expectation{'' if moved == 1 else 's'} changed with the code"
    if strength == NOTHING_BROKE:
        return "nothing broke: no test notices this change"
    return NOT_RUN if strength == NOT_RUN else ""


def count_moved(verdict: "Mapping[str, Any]") -> int:
    """How many expectations moved with the behaviour, by themselves or because the goal asks for it."""
    return sum(is_moved(one["rule"], one["level"]) for one in verdict["findings"])


def is_moved(rule: str, level: str) -> bool:
    return rule in MOVED_RULES or (rule == "test-changed" and level == NOTE)


def name_verdict(value: str, strength: str | None) -> str:
    """`PASS, proved`: a verdict as screens show it."""
    return f"{value}, {strength}" if strength else value


def render_tests(names: "Sequence[str]") -> str:
    more = f" and {len(names) - _SHOWN} more" if names[_SHOWN:] else ""
    return ", ".join(map(shorten_name, names[:_SHOWN])) + more
