"""What the runs of the gates say about a change: decisions over executed facts."""

from . import complaints, goals
from .colours import REWRITES, RUN_AGAIN, after_moving, after_writing
from .definitions import collected, definition, new_gate, shadow, shadows, swallowed
from .docs import docs_only, is_doc, not_needed
from .findings import NOTE, STRONG, WEAK, Finding, named
from .gate import LINT, TYPES
from .results import RED, short
from .words import shared

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from .results import TestReport


__all__ = [
    "REWRITES",
    "RUN_AGAIN",
    "Change",
    "Side",
    "after_moving",
    "after_writing",
    "collected",
    "definition",
    "docs_only",
    "is_doc",
    "new_gate",
    "not_needed",
    "red",
    "red_as_before",
    "related",
    "shadow",
    "shadows",
    "swallowed",
    "unchanged",
]


class Change:
    """What was asked for and what moved: `changed` are the paths of this session alone."""

    __slots__ = ("changed", "goal", "outside")

    def __init__(self, *, goal: str, changed: "Iterable[str]" = (), outside: str = "") -> None:
        self.goal = goal
        self.changed = tuple(changed)
        self.outside = outside


class Side:
    """One gate on one tree: its colour, its tests, its output, the receipt that proves it."""

    __slots__ = ("colour", "output", "reason", "receipt", "report")

    def __init__(
        self,
        colour: str,
        *,
        report: "TestReport | None" = None,
        output: str = "",
        reason: str = "",
        receipt: int | None = None,
    ) -> None:
        self.colour = colour
        self.report = report
        self.output = output
        self.reason = reason
        self.receipt = receipt


def red(gate: str, kind: str, now: Side, base: Side | None, change: Change) -> list[Finding]:
    """What a red gate means: red because of this change, or red as before."""
    if now.colour != RED:
        return []
    if base is None or base.colour != RED:
        return [_red(gate, now, _failing(now))]
    if kind in (LINT, TYPES):
        return _red_lint(gate, now, base, change)
    failed, before = _named_failures(now), _named_failures(base)
    if not failed or not before:
        return [_names_unknown(gate, now)]
    mine = [name for name in failed if name not in before or related(name, now, change)]
    if mine:
        return [_red(gate, now, mine)]
    return [_as_before(gate, now, failed)]


def related(test: str, now: Side, change: Change) -> str:
    """Why a test that was red before is this change's business all the same; empty if it is not."""
    if not change.changed:
        return "nothing was changed"
    if goals.speaks_of_tests(change.goal):
        return "the goal speaks of tests"
    message = now.report.messages.get(test, "") if now.report else ""
    return shared(test, message, change.goal, change.changed)


def red_as_before(findings: "Iterable[Finding]", gate: str) -> bool:
    """Whether all that is known about a red gate is that it was red before, elsewhere."""
    about = [finding.rule for finding in findings if finding.gate == gate]
    return "red-as-before" in about and "gate-red" not in about and "red-unnamed" not in about


def unchanged(change: Change) -> Finding | None:
    """No change at all is a weak finding, unless none was expected or the work was elsewhere."""
    if change.changed or goals.read_only(change.goal):
        return None
    if change.outside:
        return Finding(
            rule="nothing-changed",
            level=NOTE,
            what=f"No file changed; the agent {change.outside}",
            clears="look at it there",
            doubt=True,
        )
    return Finding(
        rule="nothing-changed",
        level=WEAK,
        what="No file changed since the start",
        clears="make the change, or end with BLOCKED: why",
    )


def _named_failures(side: Side) -> list[str]:
    """All failing tests by name; empty if even one of them has no name."""
    if side.report is None or not side.report.failed:
        return []
    unnamed = (side.report.failed_count or 0) > len(side.report.failed)
    return [] if unnamed else side.report.failed


def _failing(side: Side) -> list[str]:
    return side.report.failed if side.report else []


def _red(gate: str, now: Side, names: "Sequence[str]") -> Finding:
    what = (
        f"{gate} is red{named(names)}" if names else f"{gate} is red: {now.reason or 'it failed'}"
    )
    return Finding(
        rule="gate-red",
        level=STRONG,
        gate=gate,
        what=what,
        where=_place(now, names),
        receipt=now.receipt,
        clears=f"make {short(names[0]) if len(names) == 1 else gate} green",
    )


def _names_unknown(gate: str, now: Side) -> Finding:
    return Finding(
        rule="red-unnamed",
        level=WEAK,
        gate=gate,
        what=f"{gate} is red, and was at the start; which tests fail is not told",
        receipt=now.receipt,
        clears=f"make {gate} green, or end with BLOCKED: why",
    )


def _as_before(gate: str, now: Side, names: "Sequence[str]") -> Finding:
    ran = now.report.ran if now.report else None
    ok = f"{ran - len(names)} ok, " if ran is not None else ""
    return Finding(
        rule="red-as-before",
        level=NOTE,
        gate=gate,
        what=f"{gate} {ok}{len(names)} red as before{named(names)}",
        where=_place(now, names),
        receipt=now.receipt,
    )


def _red_lint(gate: str, now: Side, base: Side, change: Change) -> list[Finding]:
    """What was complained about before counts for nobody, what is new only in changed files."""
    if not complaints.read(now.output):
        return [_names_unknown(gate, now)]
    mine = complaints.new_ones(now.output, base.output, change.changed)
    if not mine:
        what = f"{gate} is red as before; nothing new in the changed files"
        return [
            Finding(rule="red-as-before", level=NOTE, gate=gate, what=what, receipt=now.receipt)
        ]
    more = f" and {len(mine) - 1} more" if mine[1:] else ""
    return [
        Finding(
            rule="gate-red",
            level=STRONG,
            gate=gate,
            what=f"{gate} is red: {mine[0]}{more}",
            receipt=now.receipt,
            clears=f"mend what {gate} says about the changed files",
        )
    ]


def _place(now: Side, names: "Sequence[str]") -> str:
    message = now.report.messages.get(names[0], "") if now.report and names else ""
    place = message.partition("  ")[0]
    return place if ":" in place and " " not in place else ""
