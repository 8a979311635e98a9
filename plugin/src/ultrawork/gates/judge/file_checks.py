"""Check the changed files themselves: conflict markers, files that do not parse, links out of the checkout, and new
suppressions of a check that the goal asks for."""

import os
import re
from collections.abc import Iterator, Sequence

from ...core.goal import request
from ...core.patterns import compile_late
from ...core.verdict import floor, gate_findings, rules
from ...core.verdict.finding import Finding
from ...core.verdict.gate import LINT, TYPES
from ...core.verdict.gate_run import GREEN, RED
from ..run.receipt import DELIVERED
from ..testcode import files as testfiles
from .comparison import Comparison
from .matrix import Cell
from .standing import CheckState
from .syntax import Parsers

_MANIFESTS = ("go.mod", "go.work", "Cargo.toml", "package.json", "pyproject.toml", "pnpm-workspace.yaml")
_TAKES_IN = compile_late(
    r"""=>\s*(\.{0,2}/\S+)|^use\s+(\.{0,2}/\S+)|\bpath\s*=\s*["'](\.\.[^"']*)["']|["'](?:file|link|portal):(?://)?([^"']+)["']"""
)


def list_file_findings(comparison: Comparison, states: Sequence[CheckState]) -> list[Finding]:
    texts = comparison.change.texts
    before = {path: comparison.change.before(path) or "" for path in texts}
    conflicts = list(_find_conflicts(comparison, texts, before))
    torn = {finding.where.rpartition(":")[0] for finding in conflicts}
    whole = {path: text for path, text in texts.items() if path not in torn}
    return [
        *conflicts,
        *_find_errors(comparison, whole, before),
        *_find_ways_out(comparison),
        *_find_suppressed(comparison, states),
    ]


def _find_conflicts(comparison: Comparison, texts: dict[str, str], before: dict[str, str]) -> Iterator[Finding]:
    """Yield conflict markers, except in strings of tests, and in files that already had them."""
    for path, text in texts.items():
        doc = gate_findings.is_doc(path)
        line = floor.find_conflict(text, is_doc=doc)
        known = floor.find_conflict(before.get(path, ""), is_doc=doc)
        if line and not known and not comparison.change.is_test(path):
            yield rules.make_finding("conflict-marker", where=f"{path}:{line}")


def _find_errors(comparison: Comparison, texts: dict[str, str], before: dict[str, str]) -> Iterator[Finding]:
    """Samples for tests may be broken on purpose; what was broken before is not this change's doing."""
    context, is_test = comparison.context, comparison.change.is_test
    judged = {
        path: text
        for path, text in texts.items()
        if not floor.is_meant_broken(path) and (testfiles.is_test_file(path) or not is_test(path))
    }
    manifest = comparison.change.after("pyproject.toml") or ""
    parsers = Parsers(context.root, context.environ, manifest)
    errors = parsers.find_errors(judged)
    old = parsers.find_errors({path: before[path] for path in errors if before.get(path)})
    for path, message in sorted(errors.items()):
        if path not in old:
            line = re.match(r"line (\d+)", message)
            where = f"{path}:{line[1]}" if line else path
            yield rules.make_finding("syntax", path=path, said=message, where=where)


def _find_ways_out(comparison: Comparison) -> Iterator[Finding]:
    """Yield files that became links, and manifests that use code, outside the checkout: no commit holds that."""
    root, change = comparison.context.root, comparison.change
    for file in change.own:
        if file.status == "D":
            continue
        for where, target in (*_read_link(root, file.path), *_read_manifest(comparison, file.path)):
            whole = os.path.normpath(os.path.join(root, os.path.dirname(file.path), target))
            if whole != root and not whole.startswith(root + "/"):
                yield rules.make_finding("leads-outside", where=where, target=target)


def _read_link(root: str, path: str) -> list[tuple[str, str]]:
    try:
        return [(path, os.readlink(f"{root}/{path}"))]
    except OSError:
        return []


def _read_manifest(comparison: Comparison, path: str) -> Iterator[tuple[str, str]]:
    if path.rpartition("/")[2] not in _MANIFESTS:
        return
    matrix = comparison.matrix
    for number, line in comparison.source.list_added_lines(matrix.base, matrix.tree, path):
        match = _TAKES_IN.search(line)
        target = next(filter(None, match.groups()), "") if match else ""
        if target:
            yield f"{path}:{number}", target


def _find_suppressed(comparison: Comparison, states: Sequence[CheckState]) -> Iterator[Finding]:
    """Run the check again without new suppressions, if the goal asks for this check."""
    texts, suppressions = comparison.change.texts, comparison.change.new_suppressions
    new = [suppression for suppression in suppressions if not floor.is_for_coverage(suppression)]
    for state in states if new else ():
        gate, now = state.pair.gate, state.now
        wanted = bool(comparison.goal) and request.wants_check(comparison.goal, gate.kind, gate.command)
        if gate.kind not in (LINT, TYPES) or not wanted or now is None or not gate.required:
            continue
        if now.result.colour != GREEN or not comparison.matrix.fits(now.seconds):
            continue
        bare = {
            path: floor.remove_suppressions(
                texts[path], [suppression for suppression in new if suppression.path == path]
            )
            for path in {suppression.path for suppression in new}
        }
        run = comparison.matrix.run(Cell(DELIVERED, gate, comparison.matrix.tree, texts=bare))
        if run.result.colour == RED:
            mark = next((suppression for suppression in new if floor.is_named(suppression, run.result.output)), new[0])
            words = {"mark": floor.shorten_mark(mark.mark), "where": f"{mark.path}:{mark.line}"}
            yield state.find("suppressed", receipt=run.number, **words)
