"""Check tests that other results of a run added meanwhile. The baseline lacks them, so without this a result could
change or remove them unnoticed where both meet."""

import re
from collections.abc import Sequence

from ...core.verdict.gate import TEST, has_service
from ...core.verdict.verdict import render_names
from ..context import GateContext
from ..judge.definitions import pair_checks
from ..judge.matrix import Cell, Comparison
from ..run.receipt import OLD_TESTS
from ..testcode.cases import TestChange
from ..testcode.files import is_same_test
from ..trees.source import Source


def find_undone(context: GateContext, before: str, beside: Sequence[str]) -> str:
    """Return which tests that others added (`beside` are their paths) fail in their version; empty if none does.
    `before` is the tree without this result."""
    source = Source(context)
    tree = source.snapshot()
    changes = [file_change for file_change in source.changes(before, tree) if file_change.path in beside]
    if not changes:
        return ""
    comparison = Comparison(
        context, source, base=before, tree=tree, goal=context.session.goal, split=lambda _tree: (changes, ())
    )
    if not comparison.change.judged:
        return ""
    try:
        failed = _list_red(comparison, comparison.change.test_paths)
    finally:
        comparison.close()
    red = [
        test_change.name
        for test_change in comparison.change.judged
        if any(_tells(name, test_change) for name in failed)
    ]
    return f"another task left it failing{render_names(red)}" if red else ""


def _tells(name: str, test: TestChange) -> bool:
    """Return whether a runner names this test; a file that does not load any more it names as a whole."""
    return is_same_test(name, test.name) or test.path.rpartition("/")[2].partition(".")[0] in re.split(r"[./:]+", name)


def _list_red(comparison: Comparison, paths: Sequence[str]) -> list[str]:
    """Return what fails when these files are restored."""
    names = []
    for pair in pair_checks(comparison):
        gate = pair.gate
        if gate.kind == TEST and gate.required and not has_service(gate):
            matrix = comparison.matrix
            cell = Cell(OLD_TESTS, gate, matrix.tree, other=matrix.base, paths=paths)
            run = matrix.run(cell)
            names += run.result.failed
    return names
