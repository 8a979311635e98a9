"""Gather what is worth a look in a change: one short list, shown with the verdict and never a refusal."""

from collections.abc import Iterator

from ...core.verdict import floor, looks, rules
from ...core.verdict.finding import Finding
from ...core.verdict.gate_findings import is_doc
from ..testcode import files as testfiles
from ..undone.undo import ADDED, CHANGED, is_trivial
from .change import find_own_name
from .comparison import Comparison

# Per kind: a change over many files would bury the verdict.
_MOST = 3


def list_looks(comparison: Comparison) -> list[Finding]:
    """Return the findings in the order of the table."""
    found: dict[str, list[Finding]] = {}
    for make in (_read_lines, *_KINDS):
        for finding in make(comparison):
            found.setdefault(finding.rule, []).append(finding)
    return [one for rule in rules.RULES for one in found.get(rule, ())[:_MOST]]


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
    for path, changed_function in change.list_functions():
        before, after = change.before(path), change.after(path)
        if before is None or after is None or changed_function.kind != CHANGED:
            continue
        if is_trivial(path, after, changed_function.name) and is_trivial(path, before, changed_function.name) is False:
            words = {
                "where": f"{path}:{changed_function.lines[0]}",
                "function": f"{changed_function.name.partition('#')[0]}()",
            }
            yield rules.make_finding("emptied", **words)


def _find_suppressions(comparison: Comparison) -> Iterator[Finding]:
    for suppression in comparison.change.new_suppressions:
        mark = floor.shorten_mark(suppression.mark)
        yield rules.make_finding("suppression", where=f"{suppression.path}:{suppression.line}", mark=mark)


def _find_generated(comparison: Comparison) -> Iterator[Finding]:
    change = comparison.change
    attributes = comparison.source.read(change.base, ".gitattributes") or ""
    for file_change in change.own:
        before = change.before(file_change.path)
        locked = file_change.path.endswith((".lock", "-lock.json", "go.sum", "-lock.yaml"))
        if file_change.status != "M" or before is None or locked:
            continue
        if testfiles.is_generated(file_change.path, before, attributes):
            yield rules.make_finding("generated-edited", where=file_change.path)


def _find_deleted(comparison: Comparison) -> Iterator[Finding]:
    change = comparison.change
    added = {file_change.path.rpartition("/")[2] for file_change in change.own if file_change.status == "A"}
    for file_change in change.own:
        moved = file_change.path.rpartition("/")[2] in added
        if (
            file_change.status == "D"
            and not moved
            and not change.is_test(file_change.path)
            and not is_doc(file_change.path)
        ):
            yield rules.make_finding("file-deleted", where=file_change.path)


def _find_only_tested(comparison: Comparison) -> Iterator[Finding]:
    """Yield new functions whose name no other product line uses."""
    change, search = comparison.change, comparison.source.search
    for path, changed_function in change.list_functions():
        own = find_own_name(changed_function.name)
        if changed_function.kind != ADDED or len(own) < 4 or own.startswith("__"):
            continue
        named = search.find_tests_naming(change.tree, [own], change.convention.paths)
        public = not own.startswith("_") or (change.after(path) or "").count(own) > 1
        if named and not public:
            yield rules.make_finding("only-tests-call", where=path, function=f"{own}()")


def _find_contradictions(comparison: Comparison) -> Iterator[Finding]:
    change = comparison.change
    for path in change.test_paths:
        contradiction = looks.find_contradiction(change.after(path) or "")
        if contradiction:
            lines = f"{contradiction[0]} and {contradiction[1]}"
            yield rules.make_finding("contradiction", where=path, lines=lines)


_KINDS = (
    _find_emptied, _find_suppressions, _find_generated, _find_deleted, _find_only_tested, _find_contradictions,
)  # fmt: skip
