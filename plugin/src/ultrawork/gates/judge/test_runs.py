"""Run one test check with tests and code from different moments: old tests on new code, new tests on old code, and new
tests with functions undone.

Each run is a cell of the matrix, made on first use and narrowed to the relevant tests. Changes in the tests decide
what to run; only the results are read."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence

from ...core.patterns import compile_late
from ...core.value import Value, fresh
from ...core.verdict import missing
from ...core.verdict.gate import Gate, has_service
from ...core.verdict.gate_run import BROKEN, FAILED, FLAKY, GREEN, PASSED, RED, SKIPPED, SOME_TESTS
from ...core.verdict.old_tests import COULD_NOT_RUN, GONE, REMOVED, is_unloaded, list_names_of
from ..run.narrow import is_narrow, narrow, narrow_to_files
from ..run.receipt import AGAIN, OLD_CODE, OLD_TESTS, UNDONE, RunReceipt
from ..testcode.case import TestCase
from ..testcode.cases import TestChange, find_case
from ..testcode.code import is_about, list_lost_blocks
from ..testcode.graft import drop_names, rename_words, restore_tests
from ..undone.undo import undo
from .change import ChangedFiles
from .matrix import Cell, Matrix
from .standing import CheckState

_MOST_NAMES = 40
# What node prints of a file that it cannot parse: nothing of it ran.
_UNPARSED = compile_late(r"(?m)^(/\S+):\d+\n(?:.*\n){1,4}SyntaxError: ")


class TestOutcome(Value):
    """The result of one test in a run. `names` are the runner's names for it, `failing` those that failed."""

    status: str
    message: str = ""
    missing: str = ""
    names: Sequence[str] = fresh(list)
    failing: Sequence[str] = fresh(list)


class TestRuns:
    """The runs of one check. The check's `rules` are changed files that define it; `builds` run in each copy to make
    what tests load."""

    __test__ = False  # not a test class, whatever its name says to a test runner

    def __init__(self, matrix: Matrix, change: ChangedFiles, check: CheckState, builds: Sequence[Gate] = ()) -> None:
        self.matrix = matrix
        self.change = change
        self.check = check
        self.builds = builds
        # Whether all old tests run, because tests in unchanged files matter too.
        self.whole = False
        self._old: RunReceipt | None = None
        self._grafted: RunReceipt | None = None
        self._dropped: dict[str, str] = {}
        self._tried_graft = False
        self._old_code: dict[tuple[tuple[str, ...], bool], RunReceipt] = {}

    def old_tests(self) -> RunReceipt:
        """Run the old tests, with everything that belongs to them, on the current code."""
        if self._old is None:
            change, gate = self.change, self.check.pair.pinned or self.check.pair.gate
            own = not (change.around or change.inline or self.check.rules or self.whole)
            chosen = narrow_to_files(gate, change.test_paths) if own else gate
            self._old = self._run_old(chosen, self._mix_old())
        return self._old

    def _mix_old(self) -> dict[str, str]:
        return self.change.mix(tests=self.matrix.base, code=self.matrix.tree)

    def _run_old(self, gate: Gate, texts: Mapping[str, str]) -> RunReceipt:
        """Run old tests and the old definition on the new code, except for `texts`."""
        paths = [path for path in (*self.change.test_paths, *self.check.rules) if path not in texts]
        matrix = self.matrix
        return matrix.run(Cell(OLD_TESTS, gate, matrix.tree, matrix.base, paths, texts, builds=self.builds))

    def old_tests_renamed(self) -> RunReceipt | None:
        """Run the old tests with the names that the product renamed; None if it renamed none."""
        change, gate = self.change, self.check.pair.pinned or self.check.pair.gate
        texts = {path: text for path in change.test_paths if (text := change.before(path)) is not None}
        renamed = {path: rename_words(text, change.renames) for path, text in texts.items()}
        return self._run_old(gate, {**self._mix_old(), **renamed}) if change.renames else None

    def old_tests_of(self, names: Sequence[str]) -> RunReceipt:
        """Run some of the old tests on the current code."""
        return self._run_old(narrow(self.check.pair.pinned or self.check.pair.gate, names), {})

    def old_code(self, names: Sequence[str] = (), *, data: bool = True) -> RunReceipt | None:
        """Run the current tests on the old code; None if a service prevents that. `data` that programs read stays if
        the question is what the code did."""
        gate, change = self.check.pair.gate, self.change
        if has_service(gate):
            return None
        if not change.test_paths and not self.check.rules and not change.inline:
            return self.check.baseline(self.matrix)
        chosen = narrow(gate, names) if names else gate
        kept = change.data_paths if data else []
        key = tuple(names) if is_narrow(chosen, gate) else (), bool(kept)
        if key not in self._old_code:
            self._old_code[key] = self.matrix.run(self._make_old_code(chosen, OLD_CODE, kept, {}))
        return self._old_code[key]

    def old_code_renamed(self) -> RunReceipt | None:
        """Run the current tests on the old code with the names that it has; None if the product renamed none."""
        if not self.change.renames or has_service(self.check.pair.gate):
            return None
        former = {new: old for old, new in self.change.renames.items()}
        texts = {path: text for path in self.change.test_paths if (text := self.change.after(path)) is not None}
        renamed = {path: rename_words(text, former) for path, text in texts.items()}
        return self.matrix.run(self._make_old_code(self.check.pair.gate, OLD_CODE, (), renamed))

    def _make_old_code(self, gate: Gate, on: str, data: Sequence[str], renamed: Mapping[str, str]) -> Cell:
        change, matrix = self.change, self.matrix
        paths = [path for path in (*change.test_paths, *self.check.rules, *data) if path not in renamed]
        texts = {**change.mix(tests=matrix.tree, code=matrix.base), **renamed}
        return Cell(on, gate, matrix.base, matrix.tree, paths, texts, builds=self.builds)

    def old_code_again(self, names: Sequence[str]) -> RunReceipt | None:
        """Repeat that run in the same copy: a proof needs two runs."""
        gate = narrow(self.check.pair.gate, names)
        if not self.change.test_paths and not self.check.rules and not self.change.inline:
            return self.matrix.run(Cell(AGAIN, gate, self.matrix.base))
        return self.matrix.run(self._make_old_code(gate, AGAIN, self.change.data_paths, {}))

    def undone(self, texts: Mapping[str, str], names: Sequence[str] = ()) -> RunReceipt:
        """Run the current code with functions undone."""
        gate = self.check.pair.gate
        chosen = narrow(gate, names) if names else gate
        return self.matrix.run(Cell(UNDONE, chosen, self.matrix.tree, texts=dict(texts), builds=self.builds))

    def undo_texts(self, how: str) -> dict[str, str]:
        """Product files with their changed functions undone."""
        texts = {}
        for path in self.change.code_paths:
            after = self.change.after(path)
            functions = self.change.functions(path) or []
            names = [function.name for function in functions]
            undone = undo(path, self.change.before(path), after, names, how) if after else None
            if undone is not None:
                texts[path] = undone
        return texts

    def read(self, run: RunReceipt | None, test: TestChange | str) -> TestOutcome:
        """Return the result of a test, by source item or by the runner's name."""
        if run is None:
            return TestOutcome(COULD_NOT_RUN)
        report = run.result.report
        if report is None:
            return self._read_unreported(run)
        if isinstance(test, str):
            names = [test] if test in report.outcomes else []
        else:
            names = list_names_of(report, test.path, test.parts)
        return self._read_names(run, names) if names else self._read_absent(run, test)

    def read_check(self, run: RunReceipt | None) -> TestOutcome:
        """A check that names no test counts as one."""
        if run is None:
            return TestOutcome(COULD_NOT_RUN)
        status = {GREEN: PASSED, FLAKY: PASSED, RED: FAILED}.get(run.result.colour, COULD_NOT_RUN)
        unparsed = _UNPARSED.findall(run.result.output) if status == FAILED else ()
        if any(path.endswith(f"/{name}") for path in unparsed for name in self.change.test_paths):
            status = COULD_NOT_RUN
        lacking = missing.find_missing(run.result.output) if status == COULD_NOT_RUN else None
        return TestOutcome(status, run.result.reason, lacking or "")

    def find_lost_name(self) -> str:
        """Return the name for want of which the old tests cannot run, if the tests only lost what uses it. The others
        are as they were and run now."""
        change = self.change
        if not change.test_paths or change.inline or self.check.rules:
            return ""
        names = missing.list_missing_names(self.old_tests().result.output)
        lost = []
        for path in change.test_paths:
            blocks = list_lost_blocks(change.before(path) or "", change.after(path) or "")
            if blocks is None:
                return ""
            lost += blocks
        return names[0] if is_about(lost, names, "\n".join(change.texts.values())) else ""

    def _read_unreported(self, run: RunReceipt) -> TestOutcome:
        """A run that fails before its first test, for want of a name, says nothing of the tests it names elsewhere."""
        now, read = self.check.now, self.read_check(run)
        lacking = missing.find_missing(run.result.output) if now and now.result.report else None
        if read.status == FAILED and lacking:
            return TestOutcome(COULD_NOT_RUN, read.message, lacking)
        return read

    def _read_names(self, run: RunReceipt, names: Sequence[str]) -> TestOutcome:
        report = run.result.report
        assert report is not None
        failing, lacking, messages = [], "", {}
        unrun = False
        for name in names:
            if report.outcomes[name] != FAILED:
                continue
            message = report.messages.get(name, "")
            messages[name] = message
            if name in report.errored or missing.is_unrunnable(message, self.change.is_test):
                unrun, lacking = True, lacking or missing.find_missing(message) or ""
            else:
                failing.append(name)
        if failing:
            return TestOutcome(FAILED, messages[failing[0]], names=names, failing=failing)
        if unrun:
            return TestOutcome(COULD_NOT_RUN, next(iter(messages.values()), ""), lacking, names)
        statuses = {report.outcomes[name] for name in names}
        return TestOutcome(PASSED if PASSED in statuses else SKIPPED, names=names)

    def _read_absent(self, run: RunReceipt, test: TestChange | str) -> TestOutcome:
        report = run.result.report
        assert report is not None
        path = test.path if isinstance(test, TestChange) else _find_path(test)
        if path and is_unloaded(report, path):
            text = " ".join(report.messages.get(name, "") for name in report.errored)
            return TestOutcome(COULD_NOT_RUN, text, missing.find_missing(text) or "")
        if run.result.colour == BROKEN:
            return TestOutcome(COULD_NOT_RUN, run.result.reason)
        if report.complete:
            return TestOutcome(GONE)
        has_passed = report.failed_count == len(report.failed) and report.ran and not report.skipped_count
        return TestOutcome(PASSED if has_passed else COULD_NOT_RUN)

    def read_old(self, test: TestChange | str) -> TestOutcome:
        """Return the result of a test's old version on the new code. If its file does not load because a name is
        missing, its tests are put one by one into the current file, under the new names."""
        outcome = self.read(self.old_tests(), test)
        if outcome.status != COULD_NOT_RUN or isinstance(test, str):
            return outcome
        self._graft()
        if test.name in self._dropped:
            return TestOutcome(COULD_NOT_RUN, outcome.message, self._dropped[test.name])
        if self._grafted is None:
            return TestOutcome(COULD_NOT_RUN, outcome.message, self._find_own_missing(test))
        again = self.read(self._grafted, test)
        if again.status in (GONE, COULD_NOT_RUN) and not again.missing:
            return TestOutcome(COULD_NOT_RUN, outcome.message, self._find_own_missing(test))
        return again

    def _find_own_missing(self, test: TestChange) -> str:
        """Return the missing name if this test uses it; a name that another test misses does not matter."""
        gone = self._list_gone()
        own = sorted(name for name in gone if name in test.names)
        return own[0] if own else ""

    def _list_gone(self) -> set[str]:
        """Names that the old tests ask for and that are missing now."""
        old = self.old_tests()
        messages = old.result.report.messages.values() if old.result.report else ()
        missing_names = set(missing.list_missing_names("\n".join([old.result.output, *messages])))
        used = {name for test in self.change.judged for name in test.names}
        # Only words of changed product files can be gone, and each search reads the tree.
        paths = [*self.change.product_paths, *(file.path for file in self.change.others)]
        words = set(re.findall(r"\w+", "\n".join(self.change.before(path) or "" for path in paths)))
        return missing_names | {name for name in used & words if self.change.is_gone(name)}

    def _graft(self) -> None:
        if self._tried_graft:
            return
        self._tried_graft = True
        lost = [test for test in self.change.judged if self.read(self.old_tests(), test).status == COULD_NOT_RUN]
        gone = {name for name in self._list_gone() if name not in self.change.renames}
        for test in lost:
            own = sorted(test.names.intersection(gone))
            if own:
                self._dropped[test.name] = own[0]
        kept = [test for test in lost if test.name not in self._dropped]
        texts = self._make_grafts(kept, gone)
        if texts:
            gate = self.check.pair.pinned or self.check.pair.gate
            self._grafted = self._run_old(gate, {**self._mix_old(), **texts})

    def _make_grafts(self, lost: Iterable[TestChange], gone: Collection[str]) -> dict[str, str]:
        lost, texts = list(lost), {}
        for path in dict.fromkeys(test.path for test in lost):
            before, after = self.change.before(path), self.change.after(path)
            if before is None:
                continue
            renamed = rename_words(before, self.change.renames)
            own = [test for test in lost if test.path == path]
            if after is None or any(map(self._lost_import, own)):
                text = drop_names(path, renamed, gone)
            else:
                text = restore_tests(renamed, after, path, [test.parts for test in own])
            if text is not None:
                texts[path] = text
        return texts

    def _lost_import(self, test: TestChange) -> bool:
        """Return whether the file may no longer import what a test needs: it was removed and uses a renamed name."""
        return test.kind == REMOVED and not test.names.isdisjoint(self.change.renames)

    def list_fresh(self) -> list[TestChange]:
        """Tests that are new or changed and are there now."""
        return [item for item in self.change.items if self.find_case(item) is not None]

    def find_case(self, test: TestChange) -> TestCase | None:
        """Return a test as it is now."""
        return find_case(test.path, self.change.after(test.path) or "", test.parts)

    def narrow_names(self, tests: Iterable[TestChange], more: Iterable[str] = ()) -> list[str]:
        """Names to narrow a run to; none where there are too many."""
        names = [*(test.name for test in tests), *more]
        return names if len(names) <= _MOST_NAMES else []


def has_passed(now: RunReceipt, name: str, count: int = 0) -> bool:
    """Return whether these tests passed. A passing run without skips passed them all, even if it names none. A
    narrowed run may count the others as skipped, so it must have run at least `count` tests."""
    report = now.result.report
    if report is None:
        return False
    if report.complete:
        return report.outcomes.get(name) == PASSED
    some = now.gate.reason == SOME_TESTS and 0 < count <= (report.ran or 0)
    return now.result.colour == GREEN and (some or not report.skipped_count)


def _find_path(name: str) -> str:
    """Return the file that a runner's name begins with; empty if it names none."""
    first = name.replace(" > ", "::").partition("::")[0]
    return first if "." in first.rpartition("/")[2] or "/" in first else ""
