"""Find out what became of the baseline's tests: the facts about each test that the change touched."""

from collections.abc import Callable, Collection, Sequence

from ...core.goal import request
from ...core.patterns import compile_late
from ...core.verdict import missing, rules
from ...core.verdict.gate_run import FAILED, PASSED, SKIPPED, shorten_name
from ...core.verdict.old_tests import COULD_NOT_RUN, GONE, REMOVED, SKIP, OldTest, strip_parameters
from ...core.verdict.verdict import NOTE, STRONG, WEAK, Finding
from ..testcode.assertions import has_same_assertion, may_expect
from ..testcode.cases import TestChange, find_case, list_cases, list_lines_around
from ..testcode.files import is_same_test, is_source_path
from ..undone.undo import OLD
from .test_runs import TestOutcome, TestRuns
from .touched import Test, TouchedTests


class OldTests:
    """The touched tests of one check. `bent` names tests whose old version does not pass: they prove nothing."""

    def __init__(self, runs: TestRuns, goal: str, accepted: Sequence[str]) -> None:
        self._runs = runs
        self.touched = TouchedTests(runs)
        self._goal = goal
        self._accepted = accepted
        # New and changed tests that fail without the change; finding them asks for the tests that prove nothing.
        self.list_noticing: Callable[[], list[TestChange]] = list
        self.bent: list[str] = []

    def findings(self) -> list[Finding]:
        """Return a finding per touched test. Tests that are gone but still pass become one finding."""
        findings: list[Finding] = []
        gathered = [(old_test, self._gather(old_test)) for old_test in self.touched.list_all()]
        # What fails now is read as a failure, not as a test that was changed.
        now = self._runs.check.now
        passes = now is not None and now.result.passes
        failing = (FAILED,) if passes else (FAILED, COULD_NOT_RUN)
        judged = [(test, facts) for test, facts in gathered if facts.now not in failing]
        self.bent = [facts.name for _, facts in judged if facts.old_on_new != PASSED]
        for test, facts in judged:
            facts.moved_case = facts.new_on_old == PASSED and self._has_moved_case(test)
        self._mark_replaced(judged)
        for _, facts in judged:
            findings += map(self._apply_setting, rules.judge(rules.OLD_TESTS, facts))
        return _merge([*findings, *self.touched.count()])

    def _apply_setting(self, finding: Finding) -> Finding:
        """Apply `[tests] changed`, which may ask for more than a note when an expectation changed."""
        level = _LEVELS[self._runs.matrix.context.settings["tests.changed"]]
        if finding.rule == "expectation-changed" and level != NOTE:
            finding.level = level
            finding.clears = "explain why the expectation had to change, or restore it"
        return finding

    def is_bent(self, name: str) -> bool:
        return name in self.bent or any(is_same_test(name, other) for other in self.bent)

    def _gather(self, test: Test) -> OldTest:
        runs = self._runs
        old = self._read_old(test)
        base = self._read_baseline(test, old)
        now = self.touched.read_now(test, old)
        facts = OldTest(
            test if isinstance(test, str) else test.name,
            gate=runs.check.fact.name,
            baseline=base.status,
            old_on_new=old.status,
            now=now,
            missing=old.missing,
            detail=_shorten(old.message),
            covered=self._is_covered(test),
            where=test.where if isinstance(test, TestChange) else next(iter(runs.change.around), ""),
            receipt=runs.old_tests().number if old.status != PASSED else None,
            check=runs.check.pair.gate.label if self.touched.is_whole(test) else "",
        )
        if isinstance(test, TestChange):
            facts.before, facts.after = test.before, test.after
            facts.conditional = test.conditional
            facts.kept_elsewhere = test.kind not in (REMOVED, SKIP) or self._lives_on(test)
        else:
            facts.kept_elsewhere = now == PASSED
            facts.before, facts.after = self._find_lines()
        # The new tests on old code cost a run: only if that decides.
        failing = facts.baseline == PASSED and facts.old_on_new == FAILED
        if failing and not facts.is_absent and not facts.covered:
            facts.new_on_old = self._read_new_on_old(test)
            facts.same_assertion = self._has_same_assertion(test, old)
        return facts

    def _read_old(self, test: Test) -> TestOutcome:
        if self.touched.is_whole(test):
            return self._read_whole()
        if self._runs.change.test_paths or self._runs.change.inline or self._runs.check.rules:
            outcome = self._runs.read_old(test)
        else:
            # Nothing of the tests changed, so the old tests on the new code are the run now.
            outcome = self._runs.read(self._runs.check.now, test)
        if outcome.status == GONE and isinstance(test, str) and not self._is_case(test):
            # It had a result at the start, in the same place, and has none.
            return TestOutcome(FAILED, "it has no result")
        return outcome

    def _read_whole(self) -> TestOutcome:
        """Return the result of the old tests as one, under the new names if they fail under the old ones."""
        runs = self._runs
        outcome = runs.read_check(runs.old_tests())
        if outcome.status == FAILED and (lost := runs.find_lost_name()):
            return TestOutcome(COULD_NOT_RUN, outcome.message, lost)
        renamed = runs.old_tests_renamed() if outcome.status != PASSED else None
        again = runs.read_check(renamed)
        return again if again.status == PASSED else outcome

    def _is_case(self, name: str) -> bool:
        """Return whether product data or product files generate this case: of a test that still runs, or a doctest."""
        now = self._runs.check.now
        report = now.result.report if now else None
        path = name.replace(" > ", "::").partition("::")[0]
        if " - " in name:  # cargo: `shop::src/lib.rs - total`
            path = name.partition(" - ")[0].rpartition("::")[2]
        if path.endswith((".py", ".rs")) and not self._runs.change.is_test(path):
            return True
        own = strip_parameters(name) if "[" in name else name.rpartition("/")[0]
        return bool(own) and report is not None and any(outcome.startswith(own) for outcome in report.outcomes)

    def _read_baseline(self, test: Test, old: TestOutcome) -> TestOutcome:
        """Return the baseline result. With several cases, read the ones that fail now; others may have failed before."""
        base = self._runs.check.baseline(self._runs.matrix)
        if self.touched.is_whole(test):
            return self._runs.read_check(base)
        report = base.result.report if base else None
        if old.failing and report is not None:
            statuses = [self._runs.read(base, name).status for name in old.failing if name in report.outcomes]
            for status in (FAILED, COULD_NOT_RUN, PASSED):
                if status in statuses:
                    return TestOutcome(status)
        return self._runs.read(base, test)

    def _read_new_on_old(self, test: Test) -> str:
        runs = self._runs
        if self.touched.is_whole(test):
            status = runs.read_check(runs.old_code(data=False)).status
            renamed = runs.old_code_renamed() if status != PASSED else None
            return PASSED if runs.read_check(renamed).status == PASSED else status
        names = runs.narrow_names((), [test.name if isinstance(test, TestChange) else test])
        status = runs.read(runs.old_code(names, data=False), test).status
        if status != COULD_NOT_RUN:
            return status
        # It does not fit the old code: run it with the old bodies under the new names instead.
        texts = runs.undo_texts(OLD)
        undone = runs.read(runs.undone(texts, names), test).status if texts else COULD_NOT_RUN
        return PASSED if undone == PASSED else COULD_NOT_RUN

    def _is_covered(self, test: Test) -> bool:
        name = test if isinstance(test, str) else test.name
        if any(is_same_test(name, accepted) or shorten_name(name) == accepted for accepted in self._accepted):
            return True
        if not self._goal:
            return False
        names = test.names if isinstance(test, TestChange) else frozenset()
        gone = isinstance(test, TestChange) and test.kind in (REMOVED, SKIP)
        if request.covers_test(self._goal, name, names):
            return True
        lost = gone or self.touched.read_now(test) in (GONE, SKIPPED)
        if not lost or not request.covers_vanished(self._goal, name, names):
            return False
        return self._is_removed(names)

    def _is_removed(self, names: Collection[str]) -> bool:
        """Return whether what the goal wants removed is also gone from the product: its name, or lines that mention
        it."""
        change, removed = self._runs.change, request.name_removed(self._goal)
        named = [name for name in names if request.covers_vanished(self._goal, "", [name])]
        defines = change.source.search.defines
        is_gone = bool(named) and not any(defines(change.tree, name) for name in named)
        return not removed or is_gone or change.drops(removed)

    def _lives_on(self, test: TestChange) -> bool:
        """Return whether a test with the same name or body exists now."""
        change = self._runs.change
        was = find_case(test.path, change.before(test.path) or "", test.parts)
        for path in change.test_paths:
            for case in list_cases(path, change.after(path) or "") or ():
                if case.skipped:
                    continue
                if case.parts[-1:] == test.parts[-1:] or (was and case.body == was.body):
                    return True
        return False

    def _find_lines(self) -> tuple[str, str]:
        """Return the first lines that differ in what the test depends on."""
        change = self._runs.change
        for path in change.around:
            before = (change.before(path) or "").splitlines()
            after = (change.after(path) or "").splitlines()
            gone = next((line.strip() for line in before if line not in after), "")
            new = next((line.strip() for line in after if line not in before), "")
            if gone or new:
                return gone, new
        return "", ""

    def _has_same_assertion(self, test: Test, old: TestOutcome) -> bool:
        change = self._runs.change
        if not isinstance(test, TestChange):
            return not any(map(self._may_expect, change.around))
        texts = change.text_of(change.base, test), change.text_of(change.tree, test)
        place = missing.find_failing_line(old.message)
        line = place[1] - test.lines[0] if place and test.lines[0] else None
        return has_same_assertion(test.path, *texts, line=line, renames=change.renames)

    def _has_moved_case(self, test: Test) -> bool:
        """Return whether constants that left a test are in a new test that notices the change."""
        change = self._runs.change
        if not isinstance(test, TestChange):
            return False
        gone = self._find_values(change.base, test) - self._find_values(change.tree, test)
        return bool(gone) and any(gone <= self._find_values(change.tree, other) for other in self.list_noticing())

    def _find_values(self, tree: str, test: TestChange) -> set[str]:
        """Return the constants that a test contains."""
        return set(_LITERAL.findall(self._runs.change.text_of(tree, test)))

    def _may_expect(self, path: str) -> bool:
        """Return whether a changed file beside the tests may contain expected values; data files always may."""
        if not is_source_path(path):
            return True
        change = self._runs.change
        texts = (change.before(path) or "", change.after(path) or "")
        # Lines inside tests belong to these tests, which are read by themselves.
        before, after = (set(list_lines_around(path, text)) for text in texts)
        return any(map(may_expect, before ^ after))

    def _mark_replaced(self, judged: Sequence[tuple[Test, OldTest]]) -> None:
        """Mark tests that were put away as replaced if at least as many new or changed tests notice the change, and
        these repeat half of its constants: others test something else. The replacements expect something else than the
        old tests, so they prove nothing; any tests beyond them may."""
        away = [
            (test, facts)
            for test, facts in judged
            if facts.baseline == PASSED and facts.old_on_new == FAILED and facts.is_absent and not facts.covered
        ]
        replacing = self.list_noticing() if away else []
        if not away or len(replacing) < len(away):
            return
        change = self._runs.change
        repeated = {value for test in replacing for value in self._find_values(change.tree, test)}
        self.bent += [test.name for test in replacing[: len(away)]]
        for test, facts in away:
            values = self._find_values(change.base, test) if isinstance(test, TestChange) else set()
            facts.replaced = 2 * len(values & repeated) >= len(values)


_LITERAL = compile_late(r"\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|\b\d[\d_.]*")
_LEVELS = {"note": NOTE, "ask": WEAK, "refuse": STRONG}
_DETAIL = 60


def _shorten(message: str) -> str:
    text = message.partition("  ")[2] or message
    return text if len(text) <= _DETAIL else text[: _DETAIL - 1] + "…"


def _merge(findings: list[Finding]) -> list[Finding]:
    """Count, instead of list, tests that are gone but still pass."""
    dropped = [finding for finding in findings if finding.rule == "test-dropped"]
    if len(dropped) < 2:
        return findings
    rest = [finding for finding in findings if finding.rule != "test-dropped"]
    first, count = dropped[0], len(dropped)
    first.what = f"{count} tests were removed or skipped, and their old versions still pass"
    return [*rest, first]
