"""Find the baseline tests that a change touched, and their results now.

A test is touched if its source was changed, removed or skipped; if it fails with the old test files and passes with
the new ones; if it passes only together with added tests; or if it no longer has a result."""

from collections import Counter
from collections.abc import Iterable, Sequence

from ...core.patterns import compile_late
from ...core.verdict.gate_run import FAILED, GREEN, PASSED, SKIPPED, shorten_name
from ...core.verdict.old_tests import ADDED, GONE, REMOVED, SKIP, UNSKIPPED, is_same, strip_parameters
from ...core.verdict.verdict import Finding
from ..run.receipt import RunReceipt
from ..testcode.cases import TestChange
from ..testcode.files import is_same_test
from .test_runs import TestOutcome, TestRuns

Test = TestChange | str
# Go puts the subtest after its test, and the package before both.
_SUBTEST = compile_late(r"(?<=\.)((?:Test|Example|Fuzz)\w*)/.*$")
_OWNER = compile_late(r"^.*[./](?=(?:Test|Example|Fuzz)[A-Z_])")
# Seconds: a longer baseline run is not made before it is certain to be needed.
_QUICK = 30.0


class TouchedTests:
    """The touched tests of one check: items of the source, or names that a runner gave."""

    def __init__(self, runs: TestRuns) -> None:
        self._runs = runs

    def list_all(self) -> list[Test]:
        change = self._runs.change
        items: list[Test] = list(change.judged)
        lost = self._list_lost(items)
        touches = change.touches_tests or bool(self._runs.check.rules)
        lent = [] if touches else self._list_lent(items)
        self._runs.whole = bool(lost or lent)
        if not touches:
            return [*items, *lost, *lent]
        turned = self._list_turned(items)
        return [*items, *turned, *(test for test in lost if test not in turned)]

    def _list_turned(self, items: Sequence[Test]) -> list[Test]:
        """Return tests that fail with the old test files, although their own source is unchanged."""
        old, check = self._runs.old_tests(), self._runs.check
        reports = [run.result.report for run in (check.now, check.baseline(self._runs.matrix)) if run]
        if old.result.report is None or not any(report and report.outcomes for report in reports):
            fails = self._runs.read_check(old).status == FAILED
            now = self._runs.read_check(self._runs.check.now).status
            return [self._runs.check.fact.name] if fails and now == PASSED and not items else []
        failed = [name for name in old.result.report.failed if name not in old.result.report.errored]
        return [name for name in failed if not self._is_listed(name, items) and self.read_now(name) != FAILED]

    def _list_lent(self, items: Sequence[Test]) -> list[Test]:
        """Return tests that failed at the start and pass only with added tests."""
        runs, base = self._runs, self._find_baseline()
        report = base.result.report if base else None
        if not runs.change.test_paths or report is None:
            return []
        names = [name for name in report.failed if self.read_now(name) == PASSED and not self._is_listed(name, items)]
        old = runs.old_tests_of(names) if names else None
        return [name for name in names if old and runs.read(old, name).status == FAILED]

    def _list_lost(self, items: Sequence[Test]) -> list[Test]:
        """Tests of the baseline that have no result now, though their source is still there."""
        now, base = self._runs.check.now, self._find_baseline()
        if now is None or base is None or base is now:
            return []
        before, after = base.result.report, now.result.report
        if before is None or after is None or not (before.complete and after.complete):
            return []
        counts = _count_cases(before.outcomes), _count_cases(after.outcomes)
        # A test that moved to another file, class or package keeps its own name.
        moved = {_find_own_name(name) for name in after.outcomes if name not in before.outcomes}
        known = [*items, *self._runs.change.everyones]
        return [
            name
            for name, outcome in before.outcomes.items()
            if outcome != SKIPPED
            and name not in before.errored
            and after.outcomes.get(name, SKIPPED) == SKIPPED
            and not _is_matched_by_position(name, counts)
            and _find_own_name(name) not in moved
            and not self._is_listed(name, known)
        ]

    def list_generated(self) -> list[str]:
        """Return new tests that no source shows, such as cases from a data file, if none like them went missing; and
        documentation whose examples are new or changed, which a runner runs as one test."""
        runs, change = (self._find_baseline(), self._runs.check.now), self._runs.change
        before, after = (run.result.report if run else None for run in runs)
        if not (change.test_paths or change.new_examples) or not (before and after and before.complete):
            return []
        passed = [name for name, outcome in after.outcomes.items() if outcome == PASSED]
        shown = [name for name in passed if any(is_same(name, *place) for place in change.new_examples)]
        lost = {_find_own_name(strip_parameters(name)) for name in before.outcomes if name not in after.outcomes}
        made = [
            name
            for name in (passed if change.test_paths else ())
            if name not in before.outcomes
            and _find_own_name(strip_parameters(name)) not in lost
            and not self._is_listed(name, change.everyones)
        ]
        return [*dict.fromkeys([*made, *shown])]

    def _find_baseline(self) -> RunReceipt | None:
        """Return the baseline run if it exists, is quick, or is needed because something other than code changed."""
        check, matrix = self._runs.check, self._runs.matrix
        is_needed = check.now and (check.rules or self._runs.change.touches_tests)
        return check.baseline(matrix) if is_needed else check.find_baseline(matrix, _QUICK)

    def _is_listed(self, name: str, items: Iterable[Test]) -> bool:
        whole = _SUBTEST.sub(r"\1", name)
        return any(isinstance(item, TestChange) and is_same_test(whole, item.name) for item in items)

    def count(self) -> list[Finding]:
        """Report fewer or no tests, for a runner that only counts them."""
        now, base = self._runs.check.now, self._find_baseline()
        before = base.result.report if base else None
        if now is None or base is now or before is None or not before.ran:
            return []
        if not now.result.passes:
            return []
        after, find = now.result.report, self._runs.check.find
        words = {"before": before.ran, "receipt": now.number}
        if after is None or not after.ran:
            return [find("no-test-ran", **words)]
        named = PASSED in before.outcomes.values()
        if before.complete and not after.complete and named and not before.failed_count:
            if after.ran >= before.ran and self._passes_in_old_form():
                return []
            return [find("names-lost", **words)]
        kinds = [test.kind for test in self._runs.change.everyones]
        gone = sum(kind in (REMOVED, SKIP) for kind in kinds)
        fewer = max(0, gone - sum(kind in (ADDED, UNSKIPPED) for kind in kinds))
        if (before.complete and after.complete) or after.ran >= before.ran - fewer or self._runs.find_lost_name():
            return []
        return [find("fewer-tests", now=after.ran, **words)]

    def _passes_in_old_form(self) -> bool:
        """Return whether the check as it was defined at the start names and passes the old tests."""
        if not self._runs.check.rules:
            return False
        old = self._runs.old_tests().result
        return old.colour == GREEN and old.report is not None and bool(old.report.complete)

    def read_now(self, test: Test, old: TestOutcome | None = None) -> str:
        """Return the current result. Failed cases that no longer exist count as gone, unless only their ids changed."""
        now = self._runs.check.now
        if self.is_whole(test):
            return self._runs.read_check(now).status
        if isinstance(test, TestChange) and test.kind == REMOVED:
            return GONE
        outcome = self._runs.read(now, test)
        status = outcome.status
        if isinstance(test, TestChange) and test.kind == SKIP and not outcome.names:
            # A runner that only counts does not name skipped tests.
            return SKIPPED
        report = now.result.report if now else None
        failing = old.failing if old is not None and status == PASSED else ()
        if not failing or report is None or not report.complete:
            return status
        base = self._runs.check.baseline(self._runs.matrix)
        before = base.result.report if base else None
        ran = before.outcomes if before else {}
        skipped = [name for name, outcome in report.outcomes.items() if outcome == SKIPPED != ran.get(name, SKIPPED)]
        # A case of Go is named below its test.
        if any(f"{name}/".startswith(f"{case}/") for name in skipped for case in failing):
            return SKIPPED
        if any(name in report.outcomes for name in failing):
            return status
        counts = _count_cases(before.outcomes if before else ()), _count_cases(report.outcomes)
        kept = all(_is_matched_by_position(name, counts) for name in failing)
        return status if kept else GONE

    def is_whole(self, test: Test) -> bool:
        """Return whether it stands for the check itself, which names no test."""
        return isinstance(test, str) and test == self._runs.check.fact.name


def _find_own_name(name: str) -> str:
    """Return a test's name with its case, without file, class or package."""
    return _OWNER.sub("", shorten_name(name) if "::" in name or " > " in name else name)


def _count_cases(names: Iterable[str]) -> Counter[str]:
    return Counter(map(strip_parameters, names))


def _is_matched_by_position(name: str, counts: tuple[Counter[str], Counter[str]]) -> bool:
    """Return whether the cases' ids changed while none went missing."""
    own = strip_parameters(name)
    return own != name and 0 < counts[0][own] <= counts[1][own]
