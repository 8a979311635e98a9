"""
The failing tests of a check, grouped by their story: new, wanted by the goal, or failing before and still.

Which tests that failed before run the changed code is asked only where that decides, since it costs a run.
"""

from collections.abc import Callable, Sequence
from functools import partial

from ...core.verdict import gate_findings, goals, request
from ...core.verdict.failing import FailingTests
from ...core.verdict.gate import ASKED, LINT, TYPES
from ...core.verdict.gate_run import HIDDEN, RED, GateResult
from ...core.verdict.goal_names import names_test_in_words
from ...core.wording import name_some
from ..run.receipt import RunReceipt
from .comparison import Comparison
from .standing import CheckState

Reach = Callable[[CheckState, Sequence[str]], dict[str, bool | None]]


def list_failing(
    comparison: Comparison,
    state: CheckState,
    *,
    proved: bool,
    reach: Reach,
) -> list[FailingTests]:
    """
    The failing tests of a check, grouped by their story. `reach` says of tests that failed before whether they run the
    changed code; it is asked only where that decides, since it costs a run.
    """
    now = state.now
    if now is None or now.result.colour != RED:
        return []
    base = None if comparison.context.quick else state.baseline(comparison.matrix)
    make = partial(_make_failing, comparison, state, now)
    hides = now.result.reason == HIDDEN and (base is None or base.result.reason != HIDDEN)
    # Outside a session, with nothing changed, there is no one whose failure it could have been before.
    plain = not comparison.goal and not comparison.change.own
    if base is None or base.result.colour != RED or hides or plain:
        return [make(_list_failed(now.result), False)]
    if comparison.context.strict:
        return _group_strictly(make, now.result, base.result)
    if state.pair.gate.kind in (LINT, TYPES) and gate_findings.read_complaints(now.result.output):
        return [_compare_complaints(comparison, make, now, base)]
    before = _list_named(base.result)
    failed = _list_named(now.result)
    if before and not failed:
        # Its tests have no result any more, and some of them had one at the start.
        return [make([], False)]
    if not before:
        unnamed = make([], True)
        unnamed.reason = ""
        unnamed.proved, unnamed.reaches = proved, True
        return [unnamed]
    return _group(comparison, state, make, failed, before, proved=proved, reach=reach)


def _group_strictly(
    make: Callable[..., FailingTests], now: GateResult, base: GateResult
) -> list[FailingTests]:
    """What fails is a failure, whoever made it so; what failed before is said to have."""
    before = _list_failed(base)
    new = [name for name in _list_failed(now) if name not in before]
    still = [name for name in _list_failed(now) if name in before]
    groups = [make(new, False)] if new else []
    return [*groups, make(still, True, wanted=True)] if still or not new else groups


def _group(
    comparison: Comparison,
    state: CheckState,
    make: Callable[..., FailingTests],
    failed: Sequence[str],
    before: Sequence[str],
    *,
    proved: bool,
    reach: Reach,
) -> list[FailingTests]:
    new = [name for name in failed if name not in before]
    still = [name for name in failed if name in before]
    wanted = [name for name in still if _is_wanted(comparison, state, name)]
    rest = [name for name in still if name not in wanted]
    asked = goals.is_fix(comparison.goal) and not proved and not comparison.change.has_only_docs
    reached = reach(state, rest) if rest and asked else {}
    groups = [make(new, False)] if new else []
    groups += [make(wanted, True, wanted=True)] if wanted else []
    for value in (True, None, False):
        names = [name for name in rest if reached.get(name, False) is value]
        if names:
            group = make(names, True)
            group.reaches, group.proved = value, proved
            groups.append(group)
    return groups


def _is_wanted(comparison: Comparison, state: CheckState, name: str) -> bool:
    """Whether the goal wants this test to pass: by name, or with the whole suite, build or CI."""
    goal, gate = comparison.goal, state.pair.gate
    if not goal or comparison.change.has_only_docs:
        return False
    if names_test_in_words(goal, name) and not goals.speaks_of_docs(goal):
        return True
    return request.wants_test(goal, name) or request.wants_check(goal, gate.kind, gate.command)


def _make_failing(
    comparison: Comparison,
    state: CheckState,
    now: RunReceipt,
    names: Sequence[str],
    before: bool,
    *,
    wanted: bool = False,
) -> FailingTests:
    gate = state.pair.gate
    asked = gate.source == ASKED or gate.reason == goals.NAMED_IN_GOAL
    whole = asked or (
        not names and bool(comparison.goal) and request.wants_check(comparison.goal, gate.kind, gate.command)
    )  # fmt: skip
    return FailingTests(
        state.fact.name,
        names,
        failed_on_baseline=before,
        wanted=wanted or whole,
        is_fix=goals.is_fix(comparison.goal),
        reason="" if names else now.result.reason or "it failed",
        where=_find_place(now.result, names),
        receipt=now.result.receipt,
    )


def _compare_complaints(
    comparison: Comparison,
    make: Callable[[Sequence[str], bool], FailingTests],
    now: RunReceipt,
    base: RunReceipt,
) -> FailingTests:
    """Findings of linters and type checkers, by file, rule and count; only new ones in changed files count."""
    mine = gate_findings.find_new_complaints(
        now.result.output, base.result.output, comparison.change.paths
    )
    group = make([], not mine)
    group.reason = name_some(mine, 1) if mine else "nothing new in the changed files"
    return group


def _list_failed(result: GateResult) -> list[str]:
    return result.report.failed if result.report else []


def _list_named(result: GateResult) -> list[str]:
    """All failing tests by name; none if even one of them has no name."""
    if result.report is None or not result.report.failed:
        return []
    unnamed = (result.report.failed_count or 0) > len(result.report.failed)
    return [] if unnamed else result.report.failed


def _find_place(result: GateResult, names: Sequence[str]) -> str:
    message = result.report.messages.get(names[0], "") if result.report and names else ""
    place = message.partition("  ")[0]
    return place if ":" in place and " " not in place else ""
