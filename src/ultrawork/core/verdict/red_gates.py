"""
A red gate: red because of this change, red before and still, or nobody can tell.

A test that was red before is this change's business if it enters what was changed, during its own call, or if the
goal names it, by its name or with every word of it. Some shared words say nothing.
"""

from ..value import Value
from . import goals
from .finding import NOTE, RED_RELATED, STRONG, WEAK, Finding, render_names
from .gate import LINT, TYPES
from .gate_findings import ChangeFacts, find_new_complaints, has_only_docs, read_complaints
from .gate_run import HIDDEN, RED, GateResult, shorten_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    Relate = Callable[[Sequence[str]], Mapping[str, str]]

RELATED = "related"
UNRELATED = "unrelated"
UNDECIDED = "undecided"
BEFORE = "red-as-before"


def _leave_undecided(_names: "Sequence[str]") -> "Mapping[str, str]":
    return {}


class RedGate(Value):
    """
    `relate` says of tests that were red before whether they enter what was changed; it is asked only where that
    decides, since it costs a run. A test that it leaves out is undecided. `strict`: red is red, whoever made it so.
    """

    gate: str
    kind: str
    now: GateResult
    base: GateResult | None
    change: ChangeFacts
    relate: "Relate" = _leave_undecided
    strict: bool = False


def judge_red(red: RedGate) -> list[Finding]:
    now, base = red.now, red.base
    if now.colour != RED:
        return []
    if base is None or base.colour != RED or red.strict:
        return [_red(red, _failing(now))]
    if now.reason == HIDDEN != base.reason:
        # It ended red at the start: this change hides what fails.
        return [_red(red, _failing(now))]
    if red.kind in (LINT, TYPES):
        return _judge_complaints(red, base)
    failed, before = _named_failures(now), _named_failures(base)
    if not failed or not before:
        return [_judge_unnamed(red)]
    still = [name for name in failed if name in before]
    relations = _relate(red, still)
    new = [name for name in failed if name not in before]
    return _sort(red, new, relations)


def _relate(red: RedGate, names: "Sequence[str]") -> "Mapping[str, str]":
    known = {name: RELATED for name in names if explain_relation(name, red.change)}
    asked = [name for name in names if name not in known]
    told = red.relate(asked) if asked else {}
    # Words relate nothing, but where a test sounds like the goal itself, nobody can say that it is not its business.
    alike = {
        name: UNDECIDED
        for name in asked
        if told.get(name) == UNRELATED and goals.speaks_of_same(red.change.goal, name)
    }
    return {**dict.fromkeys(names, UNDECIDED), **told, **alike, **known}


def explain_relation(test: str, change: ChangeFacts) -> str:
    """Why a test that was red before is this change's business without a run; empty if that is not known."""
    if not change.changed:
        return "nothing was changed" if goals.find_expectation(change.goal) == goals.WORK else ""
    if goals.names_test(change.goal, test):
        return "the goal names it"
    # Words about a thing may share all words of its test, and want nothing of the thing itself.
    if goals.names_test_in_words(change.goal, test) and not goals.speaks_of_docs(change.goal):
        return "the goal names it"
    if goals.speaks_of_suite(change.goal) and not has_only_docs(change.changed):
        return "the goal speaks of tests"
    return ""


def _sort(red: RedGate, new: "Sequence[str]", relations: "Mapping[str, str]") -> list[Finding]:
    """Strong where the goal is a fix, nothing was done or the failure is another one; else what is related is weak."""
    by_relation = {
        kind: [name for name, relation in relations.items() if relation == kind]
        for kind in (RELATED, UNRELATED, UNDECIDED)
    }
    related = by_relation[RELATED]
    sure = goals.is_fix(red.change.goal) or not red.change.changed
    strong = [name for name in related if sure or has_other_failure(name, red.now, red.base)]
    weak = [name for name in related if name not in strong]
    found = [_red(red, [*new, *strong])] if new or strong else []
    found += [_related(red, weak)] if weak else []
    found += [_undecided(red, by_relation[UNDECIDED])] if by_relation[UNDECIDED] else []
    found += [_as_before(red, by_relation[UNRELATED])] if by_relation[UNRELATED] else []
    return found


def has_other_failure(name: str, now: GateResult, base: GateResult | None) -> bool:
    """Whether a test fails with other words than at the start; places and addresses move by themselves."""
    said, before = _said(name, now), _said(name, base)
    return bool(said and before) and said != before


def _said(name: str, result: GateResult | None) -> str:
    import re

    message = result.report.messages.get(name, "") if result and result.report else ""
    return re.sub(r"0x[0-9a-f]+|^\S+:\d+\s\s", "", message)


def is_red_as_before(findings: "Iterable[Finding]", gate: str) -> bool:
    """Whether nothing that is known about a red gate says that this change made it red."""
    about = [finding.rule for finding in findings if finding.gate == gate]
    return bool(about) and "gate-red" not in about


def _named_failures(side: GateResult) -> list[str]:
    """All failing tests by name; empty if even one of them has no name."""
    if side.report is None or not side.report.failed:
        return []
    unnamed = (side.report.failed_count or 0) > len(side.report.failed)
    return [] if unnamed else side.report.failed


def _failing(side: GateResult) -> list[str]:
    return side.report.failed if side.report else []


def _red(red: RedGate, names: "Sequence[str]") -> Finding:
    gate, now = red.gate, red.now
    what = (
        f"{gate} is red{render_names(names)}"
        if names
        else f"{gate} is red: {now.reason or 'it failed'}"
    )
    before = red.base is not None and red.base.colour == RED and not _list_new(red, names)
    return Finding(
        rule="gate-red",
        level=STRONG,
        gate=gate,
        what=f"{what}, red before too" if before else what,
        where=_place(now, names),
        receipt=now.receipt,
        clears=f"make {shorten_name(names[0]) if len(names) == 1 else gate} green",
    )


def _list_new(red: RedGate, names: "Sequence[str]") -> list[str]:
    before = _failing(red.base) if red.base else []
    return [name for name in names if name not in before]


def _related(red: RedGate, names: "Sequence[str]") -> Finding:
    one = shorten_name(names[0]) if len(names) == 1 else "them"
    why = explain_relation(names[0], red.change) or "the change is in it"
    return Finding(
        rule=RED_RELATED,
        level=WEAK,
        gate=red.gate,
        what=f"{red.gate} is red, red before too{render_names(names)}; {why}",
        where=_place(red.now, names),
        receipt=red.now.receipt,
        clears=f"make {one} green, or end with BLOCKED: why",
    )


def _undecided(red: RedGate, names: "Sequence[str]") -> Finding:
    return Finding(
        rule="red-undecided",
        level=NOTE,
        gate=red.gate,
        what=f"red before and still{render_names(names)}; whether this change is in it cannot be told",
        where=_place(red.now, names),
        receipt=red.now.receipt,
        clears=f"make {red.gate} green, or ulw accept REASON",
        doubt=True,
    )


def _as_before(red: RedGate, names: "Sequence[str]") -> Finding:
    return Finding(
        rule=BEFORE,
        level=NOTE,
        gate=red.gate,
        what=f"red before and still{render_names(names)}",
        where=_place(red.now, names),
        receipt=red.now.receipt,
    )


def _judge_unnamed(red: RedGate) -> Finding:
    """Red at the start and now, and nobody tells which tests: the whole gate is what can be judged."""
    what = f"{red.gate} is red, and was at the start; which tests fail is not told"
    asked = goals.is_fix(red.change.goal) or bool(explain_relation("", red.change))
    return Finding(
        rule="gate-red" if asked else "red-undecided",
        level=STRONG if asked else NOTE,
        gate=red.gate,
        what=what,
        receipt=red.now.receipt,
        clears=f"make {red.gate} green, or end with BLOCKED: why",
        doubt=not asked,
    )


def _judge_complaints(red: RedGate, base: GateResult) -> list[Finding]:
    """What was complained about before counts for nobody, what is new only in changed files."""
    if not read_complaints(red.now.output):
        return [_judge_unnamed(red)]
    mine = find_new_complaints(red.now.output, base.output, red.change.changed)
    if not mine:
        what = f"{red.gate} is red as before; nothing new in the changed files"
        return [Finding(rule=BEFORE, level=NOTE, gate=red.gate, what=what, receipt=red.now.receipt)]
    more = f" and {len(mine) - 1} more" if mine[1:] else ""
    return [
        Finding(
            rule="gate-red",
            level=STRONG,
            gate=red.gate,
            what=f"{red.gate} is red: {mine[0]}{more}",
            receipt=red.now.receipt,
            clears=f"mend what {red.gate} says about the changed files",
        )
    ]


def _place(now: GateResult, names: "Sequence[str]") -> str:
    message = now.report.messages.get(names[0], "") if now.report and names else ""
    place = message.partition("  ")[0]
    return place if ":" in place and " " not in place else ""
