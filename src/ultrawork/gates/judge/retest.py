"""
Asking tests the right question: the original tests on the new code, the new tests on the old code.

What changed in the tests chooses what to run; only what the runs show is judged.
"""

from collections.abc import Callable
from functools import partial

from ...core.verdict import definitions, goals, test_names, testcases
from ...core.verdict.finding import Finding
from ...core.verdict.gate_run import FAILED, FLAKY, GREEN, PASSED, RED, SKIPPED, GateResult
from ...core.verdict.testcases import ADDED, GONE, REMOVED, SKIP, SUPPORT, UNSKIPPED, TestFacts
from ..run.receipt import RunReceipt
from ..testcode import files as testfiles
from ..testcode.cases import TestChange
from . import test_change
from .comparison import GateComparison, GateMeasurement
from .cross_runs import CrossRuns, find_test_outcome
from .test_change import ChangedTests


class Retest:
    """The tests of one gate, before and after; `bent` are those whose originals say something else."""

    def __init__(
        self, comparison: GateComparison, measured: GateMeasurement, tests: ChangedTests
    ) -> None:
        self.comparison = comparison
        self.measured = measured
        self.tests = tests
        self.crossing = CrossRuns(comparison, measured, tests)
        self.bent: list[str] = []

    def findings(self) -> list[Finding]:
        """What the changed tests come to; nothing when tests were only added."""
        found: list[Finding | None] = []
        if self.tests.touched:
            self.crossing.old_on_new()
            facts = [self._facts(one) for one in self.tests.judged]
            moved = self.comparison.context.settings["tests.changed"]
            self.bent = [one.name for one in facts if one.old_on_new != PASSED]
            found += testcases.judge_all(facts, moved=moved)
            found += self._support(moved)
            found.append(self._snapshots())
        found += [self._collected(), self._swallowed()]
        return [one for one in found if one is not None]

    def is_bent(self, name: str) -> bool:
        """Whether a test, or what it reads, was changed so that its original is red or cannot be run."""
        return name in self.bent or any(testfiles.is_same_test(name, one) for one in self.bent)

    def _facts(self, change: TestChange) -> TestFacts:
        feature = test_change.find_vanished_feature(self.tests, change)
        old_on_new = self.crossing.outcome_on_new(change, feature)
        broken = self._failing_cases(change)
        # Asked only where it decides: an expectation that moved, or one that was loosened.
        decides = change.kind not in (REMOVED, SKIP) and old_on_new == FAILED
        new_on_base = self.crossing.outcome_on_base(change) if decides else None
        return TestFacts(
            change.name,
            change.kind,
            old_on_base=self._on_base(change, broken),
            old_on_new=old_on_new,
            new_on_base=new_on_base,
            new_on_new=GONE if self._lost(broken) else find_test_outcome(self.measured.now, change),
            where=change.where,
            before=change.before,
            after=change.after,
            feature=feature,
            renamed=test_change.is_renamed_feature(self.tests, change, feature),
            conditional=change.conditional,
            put_away_by_goal=goals.may_put_away(self.comparison.change.goal, change.name),
            expects_else=test_change.has_other_expectations(self.tests, change),
            notices_fault=self._notices(change, new_on_base)
            if decides and new_on_base != FAILED
            else None,
            fewer_assertions=change.assertions_after < change.assertions_before,
            receipt=self.crossing.old.number if self.crossing.old else None,
        )

    def _notices(self, change: TestChange, new_on_base: str | None) -> bool | None:
        return self.crossing.notices_fault(
            lambda run: find_test_outcome(run, change), on_base=new_on_base == PASSED
        )

    def _failing_cases(self, change: TestChange) -> list[str]:
        """The cases of a test, by their parameters, whose originals are red on the new code."""
        report = self.crossing.old.result.report if self.crossing.old else None
        if report is None:
            return []
        if not change.parts:
            return [change.path] if report.outcomes.get(change.path) == FAILED else []
        told = test_names.list_names_of(report, change.path, change.parts)
        return [name for name in told if report.outcomes[name] == FAILED]

    def _on_base(self, change: TestChange, broken: list[str]) -> str | None:
        """What the original was at the start: by the cases that are red now, where they are told."""
        base = self.comparison.base(self.measured)
        report = base.result.report if base else None
        told = {report.outcomes.get(name) for name in broken} - {None} if report else set()
        if report and any(name in report.errored for name in broken):
            return None
        if FAILED in told or told == {PASSED}:
            return FAILED if FAILED in told else PASSED
        return find_test_outcome(base, change)

    def _lost(self, broken: list[str]) -> bool:
        """Whether cases that are red on the new code are no longer among the test's parameters."""
        now = self.measured.now.result.report if self.measured.now else None
        told = now.outcomes if now is not None and now.complete else broken
        return bool(broken) and not any(name in told for name in broken)

    def _support(self, moved: str) -> list[Finding | None]:
        """Tests that are red with what they read as it was, though their own text is the same."""
        old = self.crossing.old
        if not self.tests.stands_on or old is None:
            return []
        if not self.names_tests():
            return [self._support_whole(old, moved)]
        if old.result.report is None:
            return []
        found: list[Finding | None] = []
        for name in old.result.report.failed:
            now = _by_name(self.measured.now, name)
            if not self._is_judged(name) and now in (PASSED, SKIPPED, GONE):
                self.bent.append(name)
                facts = self._support_facts(name, now, old.number, partial(_by_name, name=name))
                found.append(testcases.judge(facts, moved=moved))
        return found

    def names_tests(self) -> bool:
        """Whether any run of the gate names a test."""
        runs = (self.measured.now, self.comparison.base(self.measured))
        return any(run and run.result.report and run.result.report.outcomes for run in runs)

    def _support_whole(self, old: RunReceipt, moved: str) -> Finding | None:
        """A gate that names no test is one."""
        if _by_colour(old) != FAILED or _by_colour(self.measured.now) != PASSED:
            return None
        name = self.measured.pair.gate.name
        self.bent.append(name)
        return testcases.judge(
            self._support_facts(name, PASSED, old.number, _by_colour), moved=moved
        )

    def _support_facts(
        self, name: str, now: str, receipt: int, read: Callable[[RunReceipt | None], str | None]
    ) -> TestFacts:
        """A case that is gone was taken out of the parameters; `read` finds the test in a run."""
        gone = now != PASSED
        new_on_base = None if gone else read(self.crossing.new_on_base())
        loosened = not gone and new_on_base != FAILED
        return TestFacts(
            name,
            REMOVED if gone else SUPPORT,
            old_on_base=read(self.comparison.base(self.measured)),
            old_on_new=FAILED,
            new_on_base=new_on_base,
            new_on_new=now,
            where=self.tests.stands_on[0],
            put_away_by_goal=goals.may_put_away(self.comparison.change.goal, name),
            expects_else=self.tests.holds_expectations,
            notices_fault=self.crossing.notices_fault(read, on_base=new_on_base == PASSED)
            if loosened
            else None,
            receipt=receipt,
        )

    def _is_judged(self, name: str) -> bool:
        return any(testfiles.is_same_test(name, one.name) for one in self.tests.everyones)

    def _snapshots(self) -> Finding | None:
        old, now = self.crossing.old, self.measured.now
        known = old is not None and old.result.colour in (GREEN, RED)
        if old and now and self.tests.source_changed and _is_as_red(old.result, now.result):
            return None
        passed = old is not None and old.result.colour == GREEN
        return testcases.judge_snapshots(
            self.tests.snapshots,
            source_changed=self.tests.source_changed,
            old_on_new=(PASSED if passed else FAILED) if known else None,
            receipt=old.number if old else None,
        )

    def _collected(self) -> Finding | None:
        """Tests that are still in the code but are no longer run."""
        now, base = self.measured.now, self.comparison.comparable_base(self.measured, self.tests)
        if now is None or base is None or base is now or now.result.colour not in (GREEN, FLAKY):
            return None
        if self._is_redefined() and not (now.result.report and now.result.report.complete):
            return None
        return definitions.find_uncollected(
            self.measured.fact.name,
            base=base.result.report,
            now=now.result.report,
            defined=self._defined(base),
            old_on_new=self._as_they_were(),
            fewer=self._fewer(),
            names_red_files=self.measured.pair.gate.runner == "vitest",
            receipt=now.number,
        )

    def _swallowed(self) -> Finding | None:
        now, base = self.measured.now, self.measured.base
        if now is None or base is None or base is now:
            return None
        return definitions.find_swallowed(self.measured.fact.name, now.result, base.result)

    def _is_redefined(self) -> bool:
        """Whether the gate runs another way now and is green as it was: then it may tell less."""
        pinned = self.measured.pinned
        return self.measured.pair.changed and pinned is not None and pinned.result.colour == GREEN

    def _fewer(self) -> int:
        """By how many tests the code has fewer to run, as its source tells."""
        kinds = [one.kind for one in self.tests.everyones]
        return (
            kinds.count(REMOVED) + kinds.count(SKIP) - kinds.count(ADDED) - kinds.count(UNSKIPPED)
        )

    def _as_they_were(self) -> dict[str, str]:
        found: dict[str, str] = {}
        for run in (self.measured.pinned, self.crossing.old):
            if run is not None and run.result.report is not None:
                found.update(run.result.report.outcomes)
        return found

    def _defined(self, base: RunReceipt) -> list[str]:
        """The names that base ran and whose test is still in the code; others are judged by themselves."""
        names = base.result.report.outcomes if base.result.report else {}
        files = {
            spelling
            for path in self.tests.test_paths
            for spelling in (path, test_names.name_module(path))
        }
        return [name for name in names if name not in files and not self._is_judged(name)]


def _by_colour(receipt: RunReceipt | None) -> str | None:
    return {GREEN: PASSED, RED: FAILED}.get(receipt.result.colour) if receipt else None


def _by_name(receipt: RunReceipt | None, name: str) -> str | None:
    """What a run says about a test as another run named it."""
    if receipt is None or receipt.result.report is None:
        return None
    report = receipt.result.report
    if name in report.errored:
        return None
    if name in report.outcomes:
        return report.outcomes[name]
    if report.complete:
        return GONE
    all_ran = report.failed_count == len(report.failed) and not report.skipped_count
    return PASSED if all_ran and receipt.result.colour == GREEN else None


def _is_as_red(old: GateResult, now: GateResult) -> bool:
    """Whether the same tests are red with the expectations of before: then those that changed turned nothing green."""
    if old.report is None or now.report is None or RED not in (old.colour, now.colour):
        return False
    return sorted(old.report.failed) == sorted(now.report.failed) != []
