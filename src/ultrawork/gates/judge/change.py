"""
What a change comes to beside its gates: its tests, its marks, new lines that ask whether a test is running,
and whether anything notices it: tests that fail when it is taken out.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from ...core.verdict import gate_findings, test_awareness
from ...core.verdict.finding import NOTE, Finding
from ...core.verdict.gate import TEST
from ...core.verdict.gate_run import GREEN, PASSED
from ...core.verdict.test_awareness import find_sign
from ...core.verdict.test_names import is_unloaded, name_module
from ...core.verdict.testcases import ADDED, CHANGED
from ...system.git import FileChange
from ..run.receipt import RunReceipt
from ..testcode import files as testfiles
from ..trees.source import Source
from . import canary, unfinished
from .comparison import QUICK, GateComparison, GateMeasurement
from .floor import list_floor_findings
from .retest import Retest
from .test_change import ChangedTests


@dataclass(frozen=True, slots=True)
class NoticingTests:
    """`failed` are tests that ran and failed; `unloaded` those of files that did not even load there."""

    failed: list[str]
    unloaded: list[str]

    @property
    def names(self) -> list[str]:
        return list(dict.fromkeys([*self.failed, *self.unloaded]))


def list_tests_failing_without(retest: Retest) -> NoticingTests | None:
    """None if that was not tried: the gate is slow, or does not tell its tests."""
    now = retest.measured.now
    if now is None or now.result.report is None or now.seconds > QUICK:
        return None
    without = retest.crossing.new_on_base()
    if without is None or without.result.report is None:
        return None
    changed = retest.tests.changed
    files = {spelling for one in changed for spelling in (one.path, name_module(one.path))}
    told = [name for name in without.result.report.failed if name not in files]
    # A file that asks for what base did not have fails there as a whole.
    whole = [
        one.name
        for one in changed
        if one.kind in (ADDED, CHANGED) and is_unloaded(without.result.report, one.path)
    ]
    return NoticingTests([name for name in told if _passes(now, name)], whole)


def _passes(now: RunReceipt, name: str) -> bool:
    """A green run that skipped nothing passed them all, even where it names none."""
    report = now.result.report
    assert report is not None
    if report.complete:
        return report.outcomes.get(name) == PASSED
    return now.result.colour == GREEN and not report.skipped_count


@dataclass(frozen=True, slots=True)
class ChangeJudgement:
    """`noticed` are the tests that notice the change; None if nobody looked."""

    findings: list[Finding]
    noticed: list[str] | None


def judge_change(comparison: GateComparison, found: list[GateMeasurement]) -> ChangeJudgement:
    source, base, tree, changes = (
        comparison.source,
        comparison.base_tree,
        comparison.tree,
        comparison.changes,
    )
    retests = _retests(comparison, found)
    findings = [finding for retest in retests for finding in retest.findings()]
    findings += unfinished.list_findings(source, base, tree, changes, comparison.change.goal)
    findings += list_floor_findings(comparison, found)
    findings += find_test_awareness(source, base, tree, changes)
    noticed = _noticed(comparison, retests)
    findings += _blind(comparison, retests, noticed)
    names = None if noticed is None else [name for one in noticed for name in one.names]
    return ChangeJudgement(findings, names)


def _retests(comparison: GateComparison, found: list[GateMeasurement]) -> list[Retest]:
    patterns = comparison.context.settings["tests.paths"]
    source, base, tree = comparison.source, comparison.base_tree, comparison.tree
    tests = ChangedTests(source, base, tree, comparison.changes, patterns, comparison.others)
    gates = [one for one in found if one.pair.gate.kind == TEST and one.pair.gate.required]
    return [Retest(comparison, one, tests) for one in gates if one.now is not None]


def _noticed(comparison: GateComparison, retests: list[Retest]) -> list[NoticingTests] | None:
    """Only for work that would pass: it costs one more run."""
    green = retests and all(one.measured.fact.result == GREEN for one in retests)
    if not green or gate_findings.has_only_docs(comparison.change.changed):
        return None
    found = [list_tests_failing_without(retest) for retest in retests]
    return [one for one in found if one is not None] or None


def _blind(
    comparison: GateComparison, retests: list[Retest], noticed: list[NoticingTests] | None
) -> list[Finding]:
    """
    Where no test was seen to fail without the change, or code speaks of the runner, it is worth one
    more run to see whether the tests can fail at all.
    """
    if noticed is None:
        return []
    suspicious = _reaches_into_runner(comparison)
    if any(one.failed for one in noticed) and not suspicious:
        return []
    return [
        one
        for retest in retests
        for one in canary.check(comparison, retest.measured, suspicious=suspicious)
    ]


def _reaches_into_runner(comparison: GateComparison) -> bool:
    source, base, tree = comparison.source, comparison.base_tree, comparison.tree
    lines = (
        line
        for one in comparison.changes
        if one.status != "D"
        for _, line in source.list_added_lines(base, tree, one.path)
    )
    return test_awareness.may_reach_runner(lines)


def find_test_awareness(
    source: Source, base: str, tree: str, changes: Sequence[FileChange]
) -> list[Finding]:
    """A doubt, not a refusal: it may be honest, but then nothing here proves what users will see."""
    return [
        _finding(change.path, number, said)
        for change in changes
        if change.status != "D" and not change.binary and not _is_for_tests(change.path)
        for number, line in source.list_added_lines(base, tree, change.path)
        if (said := find_sign(line, change.path))
    ]


def _is_for_tests(path: str) -> bool:
    tests = testfiles.is_test_path(path) or testfiles.is_support_path(path)
    return tests or gate_findings.is_doc(path)


def _finding(path: str, number: int, said: str) -> Finding:
    return Finding(
        rule="test-aware",
        level=NOTE,
        what=f"{path} asks whether a test is running ({said}); what it does otherwise is not checked",
        where=f"{path}:{number}",
        clears="let the code do the same with and without a test runner",
        doubt=True,
    )
