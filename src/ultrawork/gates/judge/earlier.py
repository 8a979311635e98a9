"""
Tests that other results of a run have brought meanwhile: no base knows them, so a result that bends them or takes
them away where the two meet, with the work that they show, would look as if they never were.
"""

import re
from collections.abc import Sequence

from ...core.verdict.finding import render_names
from ...core.verdict.gate import TEST, has_service
from ...core.verdict.gate_findings import ChangeFacts
from ..context import GateContext
from ..run.receipt import OLD_TESTS
from ..testcode.cases import TestChange
from ..testcode.files import is_same_test, name_stem
from ..trees.source import Source
from .comparison import GateComparison
from .definitions import pair_gates
from .test_change import ChangedTests


def find_undone(context: GateContext, before: str, beside: Sequence[str]) -> str:
    """
    Which tests that others brought (`beside` are their paths) are red as they left them; empty if none is. `before`
    is the tree without this result.
    """
    source = Source(context)
    tree = source.snapshot()
    changes = [one for one in source.changes(before, tree) if one.path in beside]
    if not changes:
        return ""
    tests = ChangedTests(source, before, tree, changes, context.settings["tests.paths"])
    if not tests.judged:
        return ""
    comparison = GateComparison(
        context, source, base=before, tree=tree, change=ChangeFacts(goal=context.session.goal)
    )
    try:
        failed = _list_red(comparison, tests.paths)
    finally:
        comparison.close()
    red = [one.name for one in tests.judged if any(_tells(name, one) for name in failed)]
    return f"red as another task left it{render_names(red)}" if red else ""


def _tells(name: str, test: TestChange) -> bool:
    """Whether a runner names this test; a file that does not load any more it names as a whole."""
    return is_same_test(name, test.name) or name_stem(test.path) in re.split(r"[./:]+", name)


def _list_red(comparison: GateComparison, paths: Sequence[str]) -> list[str]:
    """What fails once these files lie there as they were before."""
    found = []
    for pair in pair_gates(comparison):
        gate = pair.gate
        if gate.kind == TEST and gate.required and not has_service(gate):
            run = comparison.scratch_run(
                gate, OLD_TESTS, comparison.tree, overlay=(comparison.base_tree, paths)
            )
            found += run.result.report.failed if run.result.report else []
    return found
