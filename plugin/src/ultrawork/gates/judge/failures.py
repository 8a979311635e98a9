"""Group the failing tests of a check: new, wanted by the goal, or already failing before the change.

Whether tests that failed before run the changed code is measured only if that decides, because it costs a run. They do
if they fail differently once the changed functions return zero. Changed code outside functions is made invalid: a test
that still fails the same way has not loaded it."""

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from ...core.goal import goals, request
from ...core.goal.phrases import names_test_in_words
from ...core.toolchains.toolchain import find_toolchains
from ...core.verdict import gate_findings
from ...core.verdict.gate import ASKED, READERS
from ...core.verdict.gate_findings import FailingTests
from ...core.verdict.gate_run import BROKEN, HIDDEN, RED, GateResult
from ...core.wording import name_some
from ..run.receipt import RunReceipt
from ..undone.undo import ZERO, list_functions
from .delivered import POISON
from .matrix import Comparison
from .standing import CheckState
from .test_runs import TestRuns

Reach = Callable[[CheckState, Sequence[str]], dict[str, bool | None]]


def list_failing(comparison: Comparison, state: CheckState, *, proved: bool, reach: Reach) -> list[FailingTests]:
    """Return the failing tests of a check, in groups. `reach` returns whether tests that failed before run the changed
    code; it is called only if that decides, because it costs a run."""
    now = state.now.result if state.now else None
    if now is None or now.colour != RED:
        return []
    failing = _Failing(comparison, state, now, proved, reach)
    base = None if comparison.context.quick else state.baseline(comparison.matrix)
    return failing.group(base.result if base else None)


@dataclass(slots=True)
class _Failing:
    """One check that fails now."""

    comparison: Comparison
    state: CheckState
    now: GateResult
    proved: bool
    reach: Reach

    def group(self, base: GateResult | None) -> list[FailingTests]:
        comparison, now = self.comparison, self.now
        hides = now.reason == HIDDEN and (base is None or base.reason != HIDDEN)
        # Outside a session, with nothing changed, no one can have caused an earlier failure.
        plain = not comparison.goal and not comparison.change.own
        if base is None or base.colour != RED or hides or plain:
            return [self._make(now.failed)]
        if comparison.context.strict:
            # No matter who caused them; those that failed before are marked.
            before, failed = base.failed, now.failed
            new = [name for name in failed if name not in before]
            still = [name for name in failed if name in before]
            groups = [self._make(new)] if new else []
            if still or not new:
                groups.append(self._make(still, before=True, wanted=True))
            return groups
        reads_files = self.state.pair.gate.kind in READERS
        if reads_files and gate_findings.read_complaints(now.output):
            return [self._compare_complaints(now.output, base.output)]
        before, failed = _list_named(base), _list_named(now)
        if before and not failed:
            # Its tests no longer have a result, and some had one at the start.
            return [self._make([])]
        if not before:
            return [self._read_unnamed(base, reads_files=reads_files)]
        return self._group_by_name(failed, before)

    def _read_unnamed(self, base: GateResult, *, reads_files: bool) -> FailingTests:
        """Group a check that names no test. A build that stops as it did at the start has run none: only new errors
        of the compiler count."""
        errors, earlier = map(gate_findings.keep_compile_errors, (self.now.output, base.output))
        unbuilt = bool(errors and earlier)
        unnamed = self._compare_complaints(errors, earlier) if unbuilt else self._make([], before=True)
        if not unnamed.failed_on_baseline:
            return unnamed
        unnamed.reason = ""
        # What a linter reads, it does not run; nor is it known what a runner meant that names its tests.
        unnamed.proved = self.proved
        unnamed.reaches = None if unbuilt or self._lacks_names() else not reads_files
        return unnamed

    def _group_by_name(self, failed: Sequence[str], before: Sequence[str]) -> list[FailingTests]:
        comparison = self.comparison
        new = [name for name in failed if name not in before]
        still = [name for name in failed if name in before]
        wanted = [name for name in still if self._is_wanted(name)]
        rest = [name for name in still if name not in wanted]
        is_fix = goals.is_fix(comparison.goal) and not comparison.change.has_only_docs
        reached = self.reach(self.state, rest) if rest and is_fix and not self.proved else {}
        groups = [self._make(new)] if new else []
        groups += [self._make(wanted, before=True, wanted=True)] if wanted else []
        for value in (True, None, False):
            names = [name for name in rest if reached.get(name, False) is value]
            if names:
                group = self._make(names, before=True)
                group.reaches, group.proved = value, self.proved
                groups.append(group)
        return groups

    def _lacks_names(self) -> bool:
        """Return whether the runner reports each of its tests, and reported none."""
        gate, report = self.state.pair.gate, self.now.report
        if not gate.runner or (report is not None and report.outcomes):
            return False
        return any(toolchain.report for toolchain in find_toolchains(gate.runner, gate.toolchain))

    def _is_wanted(self, name: str) -> bool:
        """Return whether the goal wants this test to pass: by name, or with the whole suite, build or CI."""
        goal = self.comparison.goal
        if not goal or self.comparison.change.has_only_docs:
            return False
        if names_test_in_words(goal, name) and not goals.speaks_of_docs(goal):
            return True
        return request.wants_test(goal, name) or self._is_check_wanted()

    def _is_check_wanted(self) -> bool:
        goal, gate = self.comparison.goal, self.state.pair.gate
        return bool(goal) and request.wants_check(goal, gate.kind, gate.command)

    def _make(self, names: Sequence[str], *, before: bool = False, wanted: bool = False) -> FailingTests:
        gate = self.state.pair.gate
        is_named = gate.source == ASKED or gate.reason == goals.NAMED_IN_GOAL
        return FailingTests(
            self.state.fact.name,
            names,
            failed_on_baseline=before,
            wanted=wanted or is_named or (not names and self._is_check_wanted()),
            is_fix=goals.is_fix(self.comparison.goal),
            reason="" if names else self.now.reason or "it failed",
            label=gate.label,
            where=_find_place(self.now, names),
            receipt=self.now.receipt,
        )

    def _compare_complaints(self, now: str, base: str) -> FailingTests:
        """Group findings of linters, type checkers and compilers by file, rule and count; only new ones in changed files
        count."""
        mine = gate_findings.find_new_complaints(now, base, self.comparison.change.paths)
        group = self._make([], before=not mine)
        group.reason = name_some(mine, 1) if mine else "no new findings in the changed files"
        return group


def _list_named(result: GateResult) -> list[str]:
    """Return all failing tests by name; none if even one of them has no name."""
    count = result.report.failed_count if result.report else None
    return [] if (count or 0) > len(result.failed) else result.failed


def _find_place(result: GateResult, names: Sequence[str]) -> str:
    message = result.report.messages.get(names[0], "") if result.report and names else ""
    place = message.partition("  ")[0]
    return place if ":" in place and " " not in place else ""


# What differs in a message between two places or two runs.
_PLACES = r"\S*/\S*|:\d+\b|\bline \d+|0x[0-9a-f]+|\d+(?:\.\d+)?m?s\b"
# Lines that have no effect by themselves.
_QUIET = ("#", "//", "*", "/*", "@", "import ", "from ", "const {", '"""', "'''", ")", "}")


def find_reaching(runs: TestRuns, names: Sequence[str]) -> dict[str, bool | None]:
    """Return for each test whether it runs the change; None if unknown."""
    now, change = runs.check.now, runs.change
    if now is None or not change.own:
        return dict.fromkeys(names, False)
    texts = runs.undo_texts(ZERO)
    unsure = _list_unsure(runs, texts)
    fits = runs.matrix.fits(now.seconds)
    undone = runs.undone(texts, names) if texts and fits else None
    poisoned = runs.undone(dict.fromkeys(unsure, POISON), names) if unsure and fits else None
    naming = change.list_naming()

    def read(name: str) -> bool | None:
        is_naming = any(name.endswith(ending) for ending in naming)
        differs = [_fails_otherwise(now, run, name) for run in (undone, poisoned)]
        if differs[0]:
            return True
        # If no run can show it, a test that names the changed code counts as related.
        if is_naming:
            return True
        if differs[0] is None and texts:
            return None
        known = differs[1] is False if unsure else bool(texts)
        return False if known else None

    return {name: read(name) for name in names}


def _fails_otherwise(now: RunReceipt, run: RunReceipt | None, name: str) -> bool | None:
    """Return whether a run gives a test another result or message; None if it does not report the test."""
    reports = [
        run_receipt.result.report for run_receipt in (now, run) if run_receipt and run_receipt.result.colour != BROKEN
    ]
    if len(reports) < 2 or not all(report and name in report.outcomes for report in reports):
        return None
    outcomes = [
        (report.outcomes[name], re.sub(_PLACES, "", report.messages.get(name, ""))) for report in reports if report
    ]
    return outcomes[0] != outcomes[1]


def _list_unsure(runs: TestRuns, undone: Collection[str]) -> list[str]:
    """Return product files that changed outside functions, or in functions that cannot be undone."""
    change = runs.change
    return [
        path
        for path in (*change.code_paths, *change.data_paths)
        if change.after(path) is not None and (path not in undone or _differs_around(runs, path))
    ]


def _differs_around(runs: TestRuns, path: str) -> bool:
    change = runs.change
    before, after = change.before(path) or "", change.after(path) or ""
    functions = list_functions(path, after)
    if functions is None:
        return True
    inside = [function.lines for function in functions]
    known = set(before.splitlines())
    return any(
        line not in known
        and line.strip()
        and not line.strip().startswith(_QUIET)
        and not any(first - 1 <= number <= last for first, last in inside)
        for number, line in enumerate(after.splitlines(), 1)
    )
