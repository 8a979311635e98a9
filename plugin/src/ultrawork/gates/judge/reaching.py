"""
Decide whether tests that failed before run the changed code.

They do if they fail differently once the changed functions return zero. Changed code outside functions is made invalid:
a test that still fails the same way has not loaded it.
"""

import re
from collections.abc import Collection, Sequence

from ...core.verdict.gate_run import BROKEN
from ..run.receipt import RunReceipt
from ..undone.undo import ZERO, list_functions
from .delivered import POISON
from .test_runs import TestRuns

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
