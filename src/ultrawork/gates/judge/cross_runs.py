"""
Tests and code of different moments, run together: the original tests on the new code, the new tests on
the old code.

A file of tests as it was may not load any more, because it asks for a name that was removed or renamed.
Then its tests are put one by one into the file as it is now, and judged there.
"""

from collections.abc import Callable, Iterable, Sequence

from ...core.verdict import test_names
from ...core.verdict.gate import Gate, has_service
from ...core.verdict.gate_run import BROKEN, FAILED, GREEN, PASSED, RED
from ...core.verdict.testcases import GONE, REMOVED
from ..run.narrow import is_narrow, narrow, narrow_to_files
from ..run.receipt import NEW_TESTS, OLD_TESTS, PLANTED, RunReceipt
from ..testcode import faults
from ..testcode import files as testfiles
from ..testcode.case import TestCase
from ..testcode.cases import TestChange, list_cases, read_case
from .comparison import GateComparison, GateMeasurement
from .test_change import ChangedTests

Name = tuple[str, ...]


class CrossRuns:
    """One gate's tests with one gate's code; each run is made once, when it is asked for."""

    __slots__ = (
        "_comparison", "_grafts", "_made", "_measured", "_planted", "_shared", "_tests",
        "_with_shared", "old",
    )  # fmt: skip

    def __init__(
        self, comparison: GateComparison, measured: GateMeasurement, tests: ChangedTests
    ) -> None:
        self._comparison = comparison
        self._measured = measured
        self._tests = tests
        self._grafts: dict[str, RunReceipt | None] = {}
        self._planted: dict[tuple[str, str, str], RunReceipt | None] = {}
        self._made: dict[tuple[str, bool], RunReceipt] = {}
        self._shared: list[str] | None = None
        self._with_shared: RunReceipt | None = None
        self.old: RunReceipt | None = None

    def old_on_new(self) -> RunReceipt:
        """The tests as they were, with all they stood on, on the code as it is."""
        self.old = self._run(OLD_TESTS)
        return self.old

    def list_red_as_they_were(self, names: Sequence[str]) -> list[str]:
        """Which of these are red on the code as it is, with the tests as they were; alone, then in company."""
        whole = self._gate(OLD_TESTS)
        some = narrow(whole, names)
        for gate in (some, whole) if is_narrow(some, whole) else (whole,):
            report = self._run(OLD_TESTS, gate).result.report
            names = [name for name in names if report and report.has_failed(name)]
            if not names:
                break
        return list(names)

    def new_on_base(self, *, together: bool = False) -> RunReceipt | None:
        """
        The tests as they are on the code as it was; None where a service keeps that code from being run. Only those
        that changed or were red there, where nothing else did, unless they are asked for `together` with their files.
        """
        if has_service(self._measured.pair.gate):
            return None
        if not self._tests.paths and not self._tests.inline and not self._measured.rules:
            return self._comparison.base(self._measured)
        tree = self._comparison.tree
        if not together and (tree, False) not in self._made and (alone := self._run_alone()):
            self._made[tree, False] = alone
        if (tree, together) not in self._made:
            self._made[tree, False] = self._made[tree, True] = self._run(NEW_TESTS)
        return self._made[tree, together]

    def _run_alone(self) -> RunReceipt | None:
        """The tests whose own text changed, and nothing else did; None where a run of them alone cannot tell."""
        fresh = [one for one in self._tests.changed if one.kind != REMOVED]
        if not fresh or self._stands_on_more() or not all(one.parts for one in fresh):
            return None
        base = self._comparison.base(self._measured)
        report = base.result.report if base else None
        whole = self._gate(NEW_TESTS)
        gate = narrow(whole, [*(one.name for one in fresh), *(report.failed if report else ())])
        run = self._run(NEW_TESTS, gate) if is_narrow(gate, whole) else None
        return run if run and all(_is_told(run, one) for one in fresh) else None

    def _stands_on_more(self) -> bool:
        return bool(self._tests.stands_on or self._tests.inline or self._measured.rules)

    def outcome_on_new(self, change: TestChange, feature: str) -> str | None:
        """What became of the original; where it does not even load for want of a name, it is red."""
        found = self._read_old(self.old, change, feature)
        if found == PASSED and self._has_shared():
            return self._read_old(self._old_with_shared(), change, feature)
        return found

    def _read_old(self, run: RunReceipt | None, change: TestChange, feature: str) -> str | None:
        found = find_test_outcome(run, change)
        if found is None and run is self.old:
            found = find_test_outcome(self._grafted(OLD_TESTS, run), change)
        failed = run is not None and run.result.colour in (RED, BROKEN)
        return FAILED if found is None and failed and feature else found

    def _has_shared(self) -> bool:
        if self._shared is None:
            self._shared = self._tests.shared_paths
        return bool(self._shared)

    def _old_with_shared(self) -> RunReceipt:
        """The tests as they were, and what the product may stand on too as it is: a fault may lie just there."""
        if self._with_shared is None:
            shared = set(self._shared or ())
            own = [path for path in self._tests.paths if path not in shared]
            self._with_shared = self._run(OLD_TESTS, paths=own)
        return self._with_shared

    def outcome_on_base(self, change: TestChange) -> str | None:
        """What the changed test says about the code as it was; None if it cannot be run there."""
        new = self.new_on_base()
        if new is None:
            return None
        return find_test_outcome(new, change) or find_test_outcome(
            self._grafted(NEW_TESTS, new), change
        )

    def notices_fault(
        self, read: Callable[[RunReceipt], str | None], *, on_base: bool
    ) -> bool | None:
        """
        Whether a test as it is now is red over planted faults; `read` finds it in a run. On base, those are faults
        that the original notices. None if there is no place for any, or the original notices none either.
        """
        now, base = self._comparison.tree, self._comparison.base_tree
        if not on_base:
            told = self._over_faults(faults.EMPTIED, now, now)
            outcome = read(told) if told else None
            return None if outcome is None else outcome == FAILED
        old, new = (self._over_faults(faults.BENT, base, tests) for tests in (base, now))
        if old is None or new is None or read(old) != FAILED:
            return None
        outcome = read(new)
        return None if outcome is None else outcome == FAILED

    def _over_faults(self, fault: str, code: str, tests: str) -> RunReceipt | None:
        key = (fault, code, tests)
        if key not in self._planted:
            texts = self._faulty_texts(fault, code)
            self._planted[key] = self._run_planted(code, tests, texts) if texts else None
        return self._planted[key]

    def _run_planted(self, code: str, tests: str, texts: dict[str, str]) -> RunReceipt:
        whole = self._gate(OLD_TESTS if tests != self._comparison.tree else NEW_TESTS)
        gate = narrow(whole, [one.name for one in self._tests.changed]) if self._is_own() else whole
        overlay = (tests, [*self._tests.paths, *self._measured.rules]) if tests != code else None
        return self._comparison.scratch_run(gate, PLANTED, code, overlay=overlay, texts=texts)

    def _is_own(self) -> bool:
        """Whether only tests whose own text changed are asked about."""
        return bool(self._tests.changed) and not self._tests.stands_on

    def _faulty_texts(self, fault: str, code: str) -> dict[str, str]:
        now, base = self._comparison.tree, self._comparison.base_tree
        other = base if code == now else now
        source, found = self._comparison.source, {}
        for path in self._tests.others:
            text = source.read(code, path)
            lines = {number for number, _ in source.list_added_lines(other, code, path)}
            bad = faults.plant(path, text or "", lines, fault) if lines else None
            if bad is not None:
                found[path] = bad
        return found

    def _run(
        self, on: str, some: Gate | None = None, paths: Sequence[str] | None = None
    ) -> RunReceipt:
        """Of the files of tests that changed, or only `some` of their tests; `paths` are those of the tests' tree."""
        code, tests = self._trees(on)
        more = self._tests.support_paths or self._tests.inline or self._tests.patching
        own = not more and not self._measured.rules
        gate = self._gate(on)
        return self._comparison.scratch_run(
            some or (narrow_to_files(gate, self._tests.test_paths) if own else gate),
            on,
            code,
            overlay=(
                tests,
                [*(self._tests.paths if paths is None else paths), *self._measured.rules],
            ),
            texts=self._tests.texts(tests=tests, code=code),
        )

    def _grafted(self, on: str, run: RunReceipt | None) -> RunReceipt | None:
        """Only for tests that the run could not tell about, in files that have a place for them."""
        if on not in self._grafts:
            code, tests = self._trees(on)
            texts = self._texts(run, tests, code)
            self._grafts[on] = self._run_grafted(on, texts) if texts else None
        return self._grafts[on]

    def _run_grafted(self, on: str, texts: dict[str, str]) -> RunReceipt:
        code, tests = self._trees(on)
        paths = [path for path in self._tests.paths if path not in texts]
        return self._comparison.scratch_run(
            self._gate(on),
            on,
            code,
            overlay=(tests, [*paths, *self._measured.rules]),
            texts={**self._tests.texts(tests=tests, code=code), **texts},
        )

    def _texts(self, run: RunReceipt | None, tests: str, into: str) -> dict[str, str]:
        read = self._comparison.source.read
        lost = [
            one for one in self._tests.judged if one.parts and find_test_outcome(run, one) is None
        ]
        texts = {}
        for path in dict.fromkeys(one.path for one in lost):
            theirs, own = read(tests, path), read(into, path)
            names = [one.parts for one in lost if one.path == path]
            text = restore_tests(theirs, own, path, names) if theirs and own else None
            if text is not None:
                texts[path] = text
        return texts

    def _trees(self, on: str) -> tuple[str, str]:
        """The code and the tests."""
        now, base = self._comparison.tree, self._comparison.base_tree
        return (now, base) if on == OLD_TESTS else (base, now)

    def _gate(self, on: str) -> Gate:
        pair = self._measured.pair
        return (pair.pinned or pair.gate) if on == OLD_TESTS else pair.gate


def _is_told(run: RunReceipt, change: TestChange) -> bool:
    """Whether a run of some tests speaks of this one: by what became of it, or by not loading its file."""
    report = run.result.report
    if report is None or (report.errored and test_names.is_unloaded(report, change.path)):
        return report is not None
    if any(testfiles.is_same_test(name, change.name) for name in report.errored):
        return True
    return bool(report.ran) and find_test_outcome(run, change) not in (None, GONE)


def find_test_outcome(receipt: RunReceipt | None, change: TestChange) -> str | None:
    """What a run says about a test of the source; `gone` if it ran others and not this one."""
    if receipt is None:
        return None
    if not change.parts:
        return {GREEN: PASSED, RED: FAILED}.get(receipt.result.colour)
    if receipt.result.report is None:
        return None
    return test_names.read_outcome(receipt.result.report, change.path, change.parts)


def restore_tests(before: str, after: str, path: str, names: Iterable[Name]) -> str | None:
    """`after` with these tests as they are in `before`; None if none of them has a place there."""
    old = {case.parts: case for case in list_cases(path, before) or []}
    new = {case.parts: case for case in list_cases(path, after) or []}
    places = []
    for parts in names:
        place = _place(parts, old, new) if parts in old else None
        if place is not None:
            places.append((*place, read_case(path, before, parts) or []))
    if not places:
        return None
    lines = after.splitlines()
    for start, end, text in sorted(places, key=lambda one: one[0], reverse=True):
        lines[start:end] = text if start < end else ["", *text, ""]
    return "\n".join(lines) + "\n"


def _place(
    parts: Name, old: dict[Name, TestCase], new: dict[Name, TestCase]
) -> tuple[int, int] | None:
    """The lines to replace; an empty range beside a neighbour of old for a test that is gone."""
    if parts in new:
        return new[parts].lines[0] - 1, new[parts].lines[1]
    siblings = [name for name in old if name[:-1] == parts[:-1]]
    place = siblings.index(parts)
    for name in reversed(siblings[:place]):
        if name in new:
            return new[name].lines[1], new[name].lines[1]
    for name in siblings[place:]:
        if name in new:
            before = new[name].lines[0] - 1
            return before, before
    return _beside_others(parts, new)


def _beside_others(parts: Name, new: dict[Name, TestCase]) -> tuple[int, int] | None:
    """Without neighbours: after the last test of the same suite, or of the file."""
    ends = [case.lines[1] for name, case in new.items() if name[:-1] == parts[:-1]]
    return (max(ends), max(ends)) if ends else None
