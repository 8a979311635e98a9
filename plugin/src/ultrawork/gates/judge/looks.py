"""Gather what is worth a look in a change: one short list, shown with the verdict and never a refusal."""

import re
from collections.abc import Iterator, Sequence

from ...core.patterns import compile_late
from ...core.verdict import floor, looks, rules
from ...core.verdict.finding import Finding
from ...core.verdict.gate_findings import is_doc
from ..testcode import files as testfiles
from ..undone.undo import ADDED, CHANGED, is_trivial
from .comparison import Comparison

# Per kind: a change over many files would bury the verdict.
_MOST = 3
# Lines that only hand a function on.
_EXPORT = compile_late(r"\s*(?:(?:module\.)?exports\b|export\b|__all__\b|[\w$]+,?$)")


def list_looks(comparison: Comparison) -> list[Finding]:
    """Return the findings in the order of the table."""
    findings: dict[str, list[Finding]] = {}
    for make in (_read_lines, *_KINDS):
        for finding in make(comparison):
            findings.setdefault(finding.rule, []).append(finding)
    return [finding for rule in rules.RULES for finding in findings.get(rule, ())[:_MOST]]


def _read_lines(comparison: Comparison) -> Iterator[Finding]:
    """Rows that read a line at a time."""
    change, matrix = comparison.change, comparison.matrix
    for path in filter(testfiles.is_source_path, change.texts):
        test = change.is_test(path)
        kind = {"in_test": test and change.before(path) is not None, "in_product": not test}
        for number, text in comparison.source.list_added_lines(matrix.base, matrix.tree, path):
            yield from rules.judge(rules.LOOK, looks.AddedLine(path, number, text, **kind))


def _find_emptied(comparison: Comparison) -> Iterator[Finding]:
    change = comparison.change
    for path, function in change.list_functions():
        before, after = change.before(path), change.after(path)
        if before is None or after is None or function.kind != CHANGED:
            continue
        if is_trivial(path, after, function.name) and is_trivial(path, before, function.name) is False:
            words = {"where": f"{path}:{function.lines[0]}", "function": f"{function.whole_name}()"}
            yield rules.make_finding("emptied", **words)


def _find_suppressions(comparison: Comparison) -> Iterator[Finding]:
    for suppression in comparison.change.new_suppressions:
        mark = floor.shorten_mark(suppression.mark)
        yield rules.make_finding("suppression", where=f"{suppression.path}:{suppression.line}", mark=mark)


def _find_generated(comparison: Comparison) -> Iterator[Finding]:
    change = comparison.change
    attributes = comparison.source.read(change.base, ".gitattributes") or ""
    for file in change.own:
        before = change.before(file.path)
        locked = file.path.endswith((".lock", "-lock.json", "go.sum", "-lock.yaml"))
        if file.status != "M" or before is None or locked:
            continue
        if testfiles.is_generated(file.path, before, attributes):
            yield rules.make_finding("generated-edited", where=file.path)


def _find_deleted(comparison: Comparison) -> Iterator[Finding]:
    change = comparison.change
    added = {file.path.rpartition("/")[2] for file in change.own if file.status == "A"}
    for file in change.own:
        moved = file.path.rpartition("/")[2] in added
        if file.status == "D" and not moved and not change.is_test(file.path) and not is_doc(file.path):
            yield rules.make_finding("file-deleted", where=file.path)


def _find_only_tested(comparison: Comparison) -> Iterator[Finding]:
    """Yield new functions that tests name and no other line of the product uses: private ones, and those of a new file
    that the goal does not ask for."""
    change = comparison.change
    for path, function in change.list_functions():
        own = function.own_name
        if function.kind != ADDED or len(own) < 4 or own.startswith("__"):
            continue
        naming = comparison.source.search.list_containing(change.tree, own)
        if any(map(change.is_test, naming)) and not _is_used(comparison, path, own, naming):
            yield rules.make_finding("only-tests-call", where=path, function=f"{own}()")


def _is_used(comparison: Comparison, path: str, own: str, naming: Sequence[str]) -> bool:
    change = comparison.change
    text = change.after(path) or ""
    if own.startswith("_"):
        return text.count(own) > 1
    asked = {own, path.rpartition("/")[2]}.intersection(re.findall(r"[\w.-]*\w", comparison.goal))
    if asked or change.before(path) is not None or change.is_moved(path):
        return True
    lines = [line for line in text.splitlines() if re.search(rf"\b{re.escape(own)}\b", line)]
    called = [line for line in lines[1:] if not _EXPORT.match(line)]
    return bool(called) or any(name != path and not change.is_test(name) and not is_doc(name) for name in naming)


def _find_contradictions(comparison: Comparison) -> Iterator[Finding]:
    change = comparison.change
    for path in change.test_paths:
        contradiction = looks.find_contradiction(change.after(path) or "")
        if contradiction:
            lines = f"{contradiction[0]} and {contradiction[1]}"
            yield rules.make_finding("contradiction", where=path, lines=lines)


_KINDS = (_find_emptied, _find_suppressions, _find_generated, _find_deleted, _find_only_tested, _find_contradictions)
