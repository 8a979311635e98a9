"""How strong a PASS is: whether a test shows the change, moved with it, runs it, or never meets it."""

from ..value import Value
from ..wording import count_things
from .finding import NOTE, Finding
from .gate_run import GREEN, shorten_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from .gate_run import TestReport

PROVED = "proved"
MOVED = "moved"
NOTHING_BROKE = "nothing broke"
NOT_RUN = "no test runs it"
# Findings that say an expectation moved together with the behaviour.
MOVED_RULES = ("test-moved", "snapshot-moved")
# Findings about a gate whose green says little.
NAMES_NONE = "names-no-tests"
MISSES_FAULTS = "misses-faults"
LITTLE_RULES = (NAMES_NONE, MISSES_FAULTS)
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


def judge_little(
    gate: str, report: "TestReport | None", faults: "Sequence[str]" = ()
) -> list[Finding]:
    """
    What a green test gate owes: it tells no tests, or most of the faults that `gates try` planted (`faults` are the
    results over them) went unnoticed.
    """
    found = []
    if report is None or (report.ran is None and not report.outcomes):
        found.append(
            Finding(
                rule=NAMES_NONE,
                level=NOTE,
                gate=gate,
                what=f"{gate} names no tests",
                clears="let it print the names of its tests, or name their runner as the gate",
            )
        )
    missed = sum(result == GREEN for result in faults)
    if faults and missed * 2 > len(faults):
        what = f"{gate} missed {missed} of {len(faults)} faults planted by ultrawork gates try"
        clears = f"add tests that notice them, then ultrawork gates try {gate}"
        found.append(Finding(rule=MISSES_FAULTS, level=NOTE, gate=gate, what=what, clears=clears))
    return found


def limit_strength(value: str, rules: "Sequence[str]") -> str:
    """Where a gate proves little, nothing broke at most; a test that is red without the change still proves it."""
    limited = value in ("", MOVED) and any(rule in LITTLE_RULES for rule in rules)
    return NOTHING_BROKE if limited else value


def describe_little(verdict: "Mapping[str, Any]") -> list[str]:
    """As a PASS carries it: `this gate names no tests` where there is but one."""
    told = [one for one in verdict["findings"] if one["rule"] in LITTLE_RULES]
    if len(verdict["gates"]) != 1:
        return [one["what"] for one in told]
    return [one["what"].replace(f"{one['gate']} ", "this gate ", 1) for one in told]


def describe_strength(verdict: "Mapping[str, Any]") -> str:
    """`proved by test_x`, `nothing broke: no test notices this change`; empty where nobody looked."""
    strength = verdict.get("strength")
    if strength == PROVED:
        return f"proved by {render_tests(verdict['noticed_by'] or [])}"
    if strength == MOVED:
        moved = count_moved(verdict)
        return f"moved: {count_things(moved, 'expectation')} changed with the code"
    if strength == NOTHING_BROKE:
        looked = verdict["noticed_by"] is not None
        return "nothing broke: no test notices this change" if looked else NOTHING_BROKE
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
