"""
What became of the baseline's tests: for each one that the change touched, the facts that the table reads.

Touched is a test whose source was changed, removed or skipped; one that fails with the old files of the tests and
passes with the new ones; and one that has no result any more.
"""

from collections.abc import Callable, Iterable, Sequence

from ...core.verdict import missing, request, rules
from ...core.verdict.finding import NOTE, STRONG, WEAK, Finding
from ...core.verdict.gate_run import FAILED, FLAKY, GREEN, PASSED, SKIPPED, shorten_name
from ...core.verdict.old_tests import (
    ADDED,
    COULD_NOT_RUN,
    GONE,
    REMOVED,
    SKIP,
    UNSKIPPED,
    OldTest,
)
from ...core.verdict.test_names import strip_parameters
from ..run.receipt import RunReceipt
from ..testcode.assertions import has_same_assertion
from ..testcode.cases import TestChange, list_cases
from ..testcode.files import is_same_test
from ..undone.undo import OLD
from .test_runs import Outcome, TestRuns

Test = TestChange | str


class OldTests:
    """The touched tests of one check. `bent` are names of tests whose old version does not pass: they prove nothing."""

    def __init__(
        self, runs: TestRuns, goal: str, accepted: Sequence[str], count_noticing: Callable[[], int]
    ) -> None:
        self._runs = runs
        self._goal = goal
        self._accepted = accepted
        self._count_noticing = count_noticing
        self.bent: list[str] = []

    def findings(self) -> list[Finding]:
        """Read every touched test; those that went away and still pass become one finding."""
        found: list[Finding] = []
        gathered = [self._gather(one) for one in self._list_touched()]
        # What fails now is read as a failure, not as a test that was changed.
        judged = [one for one in gathered if one.now not in self._failing_now]
        self.bent = [one.name for one in judged if one.old_on_new != PASSED]
        for facts in self._mark_replaced(judged):
            found += map(self._apply_setting, rules.judge(rules.OLD_TESTS, facts))
        return _merge([*found, *self._count()])

    @property
    def _failing_now(self) -> tuple[str, ...]:
        now = self._runs.check.now
        passes = now is not None and now.result.colour in (GREEN, FLAKY)
        return (FAILED,) if passes else (FAILED, COULD_NOT_RUN)

    def _apply_setting(self, finding: Finding) -> Finding:
        """`[tests] changed` may ask for more than a note where an expectation changed."""
        level = _LEVELS[self._runs.matrix.context.settings["tests.changed"]]
        if finding.rule == "expectation-changed" and level != NOTE:
            finding.level = level
            finding.clears = "say why the expectation had to change, or restore it"
        return finding

    def is_bent(self, name: str) -> bool:
        return name in self.bent or any(is_same_test(name, one) for one in self.bent)

    # --- which tests -----------------------------------------------------------------------------

    def _list_touched(self) -> list[Test]:
        change = self._runs.change
        items: list[Test] = list(change.judged)
        lost = self._list_lost(items)
        touches = change.touches_tests or bool(self._runs.check.rules)
        lent = [] if touches else self._list_lent(items)
        self._runs.whole = bool(lost or lent)
        if not touches:
            return [*items, *lost, *lent]
        turned = self._list_turned(items)
        return [*items, *turned, *(one for one in lost if one not in turned)]

    def _list_turned(self, items: Sequence[Test]) -> list[Test]:
        """Tests that fail with the tests' files as they were, though their own source is the same."""
        old = self._runs.old_tests()
        if old.result.report is None or not self._names_tests():
            fails = self._runs.read_check(old).status == FAILED
            now = self._runs.read_check(self._runs.check.now).status
            return [self._runs.check.fact.name] if fails and now == PASSED and not items else []
        failed = [
            name for name in old.result.report.failed if name not in old.result.report.errored
        ]
        return [
            name
            for name in failed
            if not self._is_listed(name, items) and self._read_now(name) != FAILED
        ]

    def _list_lent(self, items: Sequence[Test]) -> list[Test]:
        """Tests that failed at the start and pass only with the tests that were added."""
        runs, base = self._runs, self._find_baseline()
        report = base.result.report if base else None
        if not runs.change.test_paths or report is None:
            return []
        names = [
            name
            for name in report.failed
            if self._read_now(name) == PASSED and not self._is_listed(name, items)
        ]
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
        known = [*items, *self._runs.change.everyones]
        return [
            name
            for name, outcome in before.outcomes.items()
            if outcome != SKIPPED
            and name not in before.errored
            and after.outcomes.get(name, SKIPPED) == SKIPPED
            and not _is_matched_by_position(name, counts)
            and not self._is_listed(name, known)
        ]

    def _find_baseline(self) -> RunReceipt | None:
        """The baseline where it is known, was quick to make, or is needed: something other than code changed."""
        check, matrix = self._runs.check, self._runs.matrix
        if check.base is not None or check.now is None:
            return check.base
        asked = check.now.seconds <= _QUICK or check.rules or self._runs.change.touches_tests
        return check.baseline(matrix) if asked else matrix.find_baseline(check.pair.pinned)

    def _is_listed(self, name: str, items: Iterable[Test]) -> bool:
        return any(isinstance(one, TestChange) and is_same_test(name, one.name) for one in items)

    def _names_tests(self) -> bool:
        runs = (self._runs.check.now, self._runs.check.baseline(self._runs.matrix))
        return any(run and run.result.report and run.result.report.outcomes for run in runs)

    def _count(self) -> list[Finding]:
        """Of a runner that only counts its tests: fewer than at the start, or none."""
        now, base = self._runs.check.now, self._find_baseline()
        before = base.result.report if base else None
        if now is None or base is now or before is None or not before.ran:
            return []
        if now.result.colour not in (GREEN, FLAKY):
            return []
        after, words = now.result.report, {"gate": self._runs.check.fact.name, "before": before.ran}
        if after is None or not after.ran:
            return [rules.report("no-test-ran", receipt=now.number, **words)]
        named = PASSED in before.outcomes.values()
        if before.complete and not after.complete and named and not before.failed_count:
            return [rules.report("names-lost", receipt=now.number, **words)]
        kinds = [one.kind for one in self._runs.change.everyones]
        fewer = sum(one in (REMOVED, SKIP) for one in kinds) - sum(one in (ADDED, UNSKIPPED) for one in kinds)  # fmt: skip
        counted = not (before.complete and after.complete) and after.ran < before.ran - max(
            0, fewer
        )
        words["now"] = after.ran
        return [rules.report("fewer-tests", receipt=now.number, **words)] if counted else []

    # --- the facts -------------------------------------------------------------------------------

    def _gather(self, test: Test) -> OldTest:
        runs = self._runs
        old = self._read_old(test)
        base = self._read_baseline(test, old)
        now = self._read_now(test, old)
        facts = OldTest(
            test if isinstance(test, str) else test.name,
            gate=runs.check.fact.name,
            baseline=base.status,
            old_on_new=old.status,
            now=now,
            missing=old.missing,
            detail=_shorten(old.message),
            covered=self._is_covered(test),
            where=self._find_where(test),
            receipt=runs.old_tests().number if old.status != PASSED else None,
        )
        if isinstance(test, TestChange):
            facts.before, facts.after = test.before, test.after
            facts.conditional = test.conditional
            facts.kept_elsewhere = test.kind not in (REMOVED, SKIP) or self._lives_on(test)
        else:
            facts.kept_elsewhere = now == PASSED
            facts.before, facts.after = self._find_lines()
        if self._needs_new_on_old(facts):
            facts.new_on_old = self._read_new_on_old(test)
            facts.same_assertion = self._has_same_assertion(test, old)
        return facts

    @staticmethod
    def _needs_new_on_old(facts: OldTest) -> bool:
        """Asked only where it decides: it costs a run."""
        return (
            facts.baseline == PASSED and facts.old_on_new == FAILED and not facts.is_absent
        ) and not facts.covered

    def _read_old(self, test: Test) -> Outcome:
        if self._is_whole(test):
            return self._runs.read_check(self._runs.old_tests())
        if self._runs.change.test_paths or self._runs.change.inline or self._runs.check.rules:
            found = self._runs.read_old(test)
        else:
            # Nothing of the tests changed, so the old tests on the new code are the run now.
            found = self._runs.read(self._runs.check.now, test)
        if found.status == GONE and isinstance(test, str) and not self._is_case(test):
            # It had a result at the start, in the same place, and has none.
            return Outcome(FAILED, "it has no result")
        return found

    def _is_case(self, name: str) -> bool:
        """Whether it is a case that product data or product files make: of a test that still runs, or a doctest."""
        now = self._runs.check.now
        report = now.result.report if now else None
        path = name.replace(" > ", "::").partition("::")[0]
        if path.endswith(".py") and not self._runs.change.is_test(path):
            return True
        own = strip_parameters(name) if "[" in name else name.rpartition("/")[0]
        return (
            bool(own) and report is not None and any(one.startswith(own) for one in report.outcomes)
        )

    def _read_baseline(self, test: Test, old: Outcome) -> Outcome:
        """By the cases that fail now where there are several: others may have failed before."""
        base = self._runs.check.baseline(self._runs.matrix)
        if self._is_whole(test):
            return self._runs.read_check(base)
        report = base.result.report if base else None
        if old.failing and report is not None:
            told = [
                self._runs.read(base, name).status
                for name in old.failing
                if name in report.outcomes
            ]
            for status in (FAILED, COULD_NOT_RUN, PASSED):
                if status in told:
                    return Outcome(status)
        return self._runs.read(base, test)

    def _read_now(self, test: Test, old: Outcome | None = None) -> str:
        """Cases that failed and are not among the test's cases any more are gone, unless only their ids changed."""
        now = self._runs.check.now
        if self._is_whole(test):
            return self._runs.read_check(now).status
        if isinstance(test, TestChange) and test.kind == REMOVED:
            return GONE
        outcome = self._runs.read(now, test)
        found = outcome.status
        if isinstance(test, TestChange) and test.kind == SKIP and not outcome.names:
            # A runner that only counts does not say which ones it skipped.
            return SKIPPED
        report = now.result.report if now else None
        if (
            found != PASSED
            or old is None
            or not old.failing
            or report is None
            or not report.complete
        ):
            return found
        if any(name in report.outcomes for name in old.failing):
            return found
        base = self._runs.check.baseline(self._runs.matrix)
        before = base.result.report if base else None
        counts = _count_cases(before.outcomes if before else ()), _count_cases(report.outcomes)
        kept = all(_is_matched_by_position(name, counts) for name in old.failing)
        return found if kept else GONE

    def _is_whole(self, test: Test) -> bool:
        """Whether it stands for the check itself, which names no test."""
        return isinstance(test, str) and test == self._runs.check.fact.name

    def _read_new_on_old(self, test: Test) -> str:
        runs = self._runs
        if self._is_whole(test):
            return runs.read_check(runs.old_code()).status
        names = runs.narrow_names((), [test.name if isinstance(test, TestChange) else test])
        found = runs.read(runs.old_code(names), test).status
        if found != COULD_NOT_RUN:
            return found
        # It does not fit the old code: what it tells apart is seen with the old bodies under the new names.
        texts = runs.undo_texts(OLD)
        told = runs.read(runs.undone(texts, names), test).status if texts else COULD_NOT_RUN
        return PASSED if told == PASSED else COULD_NOT_RUN

    def _is_covered(self, test: Test) -> bool:
        name = test if isinstance(test, str) else test.name
        if any(is_same_test(name, one) or shorten_name(name) == one for one in self._accepted):
            return True
        if not self._goal:
            return False
        names = test.names if isinstance(test, TestChange) else frozenset()
        gone = isinstance(test, TestChange) and test.kind in (REMOVED, SKIP)
        if request.covers_test(self._goal, name, names):
            return True
        lost = gone or self._read_now(test) in (GONE, SKIPPED)
        if not lost or not request.covers_vanished(self._goal, name, names):
            return False
        # What the goal wants removed must be gone from the product too.
        named = [one for one in names if request.covers_vanished(self._goal, "", [one])]
        return not any(self._runs.change.still_defines(one) for one in named)

    def _lives_on(self, test: TestChange) -> bool:
        """Whether a test of the same name or body is there now."""
        change = self._runs.change
        was = next(
            (
                case
                for case in list_cases(test.path, change.before(test.path) or "") or ()
                if case.parts == test.parts
            ),
            None,
        )
        for path in change.test_paths:
            for case in list_cases(path, change.after(path) or "") or ():
                if case.skipped:
                    continue
                if case.parts[-1:] == test.parts[-1:] or (was and case.body == was.body):
                    return True
        return False

    def _find_where(self, test: Test) -> str:
        if isinstance(test, TestChange):
            return test.where
        return next(iter(self._runs.change.around), "")

    def _find_lines(self) -> tuple[str, str]:
        """The first lines that differ in what the test stands on."""
        change = self._runs.change
        for path in change.around:
            before = (change.before(path) or "").splitlines()
            after = (change.after(path) or "").splitlines()
            gone = next((line.strip() for line in before if line not in after), "")
            new = next((line.strip() for line in after if line not in before), "")
            if gone or new:
                return gone[:_LINE], new[:_LINE]
        return "", ""

    def _has_same_assertion(self, test: Test, old: Outcome) -> bool:
        change = self._runs.change
        if not isinstance(test, TestChange):
            return not any(map(self._may_expect, change.around))
        texts = change.text_of(change.base, test), change.text_of(change.tree, test)
        place = missing.find_place(old.message)
        line = place[1] - test.lines[0] if place and test.lines[0] else None
        return has_same_assertion(test.path, *texts, line=line, renames=change.renames)

    def _may_expect(self, path: str) -> bool:
        """Whether a changed file beside the tests may hold what they expect: data always does."""
        from ..testcode.expectations import may_expect
        from ..testcode.files import is_source_path

        if not is_source_path(path):
            return True
        change = self._runs.change
        texts = (change.before(path) or "", change.after(path) or "")
        before, after = ({line.strip() for line in text.splitlines()} for text in texts)
        return any(map(may_expect, before ^ after))

    def _mark_replaced(self, found: list[OldTest]) -> list[OldTest]:
        """Tests that were put away are replaced if at least as many new or changed ones notice the change."""
        away = [
            one
            for one in found
            if one.baseline == PASSED
            and one.old_on_new == FAILED
            and one.is_absent
            and not one.covered
        ]
        if away and self._count_noticing() >= len(away):
            for one in away:
                one.replaced = True
        return found


_LEVELS = {"note": NOTE, "ask": WEAK, "refuse": STRONG}
_QUICK = 30.0
_LINE = 60
_DETAIL = 60


def _shorten(message: str) -> str:
    said = message.partition("  ")[2] or message
    return said if len(said) <= _DETAIL else said[: _DETAIL - 1] + "…"


def _count_cases(names: Iterable[str]) -> dict[str, int]:
    found: dict[str, int] = {}
    for name in map(strip_parameters, names):
        found[name] = found.get(name, 0) + 1
    return found


def _is_matched_by_position(name: str, counts: tuple[dict[str, int], dict[str, int]]) -> bool:
    """Cases whose ids changed while none went missing."""
    own = strip_parameters(name)
    return own != name and 0 < counts[0][own] <= counts[1].get(own, 0)


def _merge(found: list[Finding]) -> list[Finding]:
    """Tests that went away and still pass are counted, not listed."""
    dropped = [one for one in found if one.rule == "test-dropped"]
    if len(dropped) < 2:
        return found
    rest = [one for one in found if one.rule != "test-dropped"]
    dropped[0].what = f"{len(dropped)} tests were removed or skipped; their old versions still pass"
    return [*rest, dropped[0]]
