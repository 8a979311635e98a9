"""The floor under every change, looked at: what changed parses, merges are settled, new suppressions cover nothing red."""

import os
from collections.abc import Sequence

from ...core.patterns import compile_late
from ...core.verdict import floor, gate_findings
from ...core.verdict.finding import NOTE, Finding
from ...core.verdict.floor import Suppression
from ...core.verdict.gate import LINT, TEST, TYPES
from ...core.verdict.gate_run import GREEN, RED
from ..run.receipt import UNSUPPRESSED
from ..testcode import files as testfiles
from .comparison import GateComparison, GateMeasurement
from .syntax import Parsers


def list_floor_findings(
    comparison: GateComparison, found: Sequence[GateMeasurement]
) -> list[Finding]:
    texts = _list_texts(comparison)
    before = {
        one.path: comparison.source.read(comparison.base_tree, one.path) or ""
        for one in comparison.changes
        if not one.binary
    }
    conflicts = _find_conflicts(texts, before)
    torn = {finding.where.rpartition(":")[0] for finding in conflicts}
    whole = {path: text for path, text in texts.items() if path not in torn}
    return [
        *_find_links_out(comparison),
        *_find_sources_out(comparison),
        *conflicts,
        *_find_errors(comparison, whole, before),
        *_find_suppressions(comparison, found, texts, before),
    ]


def _list_texts(comparison: GateComparison) -> dict[str, str]:
    """What a link holds is the name of its target, in no language."""
    read, tree, root = comparison.source.read, comparison.tree, comparison.context.root
    told = {
        one.path: read(tree, one.path)
        for one in comparison.changes
        if one.status != "D" and not one.binary and not one.submodule
        if not os.path.islink(f"{root}/{one.path}")
    }
    return {path: text for path, text in told.items() if text is not None}


def _find_errors(
    comparison: GateComparison, texts: dict[str, str], before: dict[str, str]
) -> list[Finding]:
    """Samples for tests may be broken on purpose; what was broken before is nobody's doing."""
    judged = {path: text for path, text in texts.items() if not _is_sample(path)}
    context = comparison.context
    manifest = comparison.source.read(comparison.tree, "pyproject.toml") or ""
    parsers = Parsers(context.root, context.environ, manifest)
    errors = parsers.find_errors(judged)
    old = parsers.find_errors({path: before[path] for path in errors if before.get(path)})
    return [
        floor.report_syntax(path, said) for path, said in sorted(errors.items()) if path not in old
    ]


def _is_sample(path: str) -> bool:
    support = testfiles.is_support_path(path) and not path.endswith("conftest.py")
    return support or floor.is_meant_broken(path)


def _find_conflicts(texts: dict[str, str], before: dict[str, str]) -> list[Finding]:
    found = []
    for path, text in texts.items():
        doc = gate_findings.is_doc(path)
        line = floor.find_conflict(text, is_doc=doc)
        if line and not _shows_merges(path, before.get(path, ""), is_doc=doc):
            found.append(floor.report_conflict(path, line, is_doc=doc))
    return found


def _shows_merges(path: str, before: str, *, is_doc: bool) -> bool:
    """Tests of merges hold such marks in their strings, and some files held them before."""
    tests = testfiles.is_test_path(path) or testfiles.is_support_path(path)
    return tests or bool(floor.find_conflict(before, is_doc=is_doc))


def _find_links_out(comparison: GateComparison) -> list[Finding]:
    """A file that became a link to something beside the tree: what was checked is in no commit."""
    found = [one.path for one in comparison.changes if one.status != "D"]
    return [
        Finding(
            rule="link-out",
            level=NOTE,
            what=f"{path} became a link to {target}, which is no part of these files",
            where=path,
            clears=f"put the file itself at {path}",
            doubt=True,
        )
        for path in found
        if (target := _find_target_outside(comparison.context.root, path))
    ]


_MANIFESTS = (
    "go.mod",
    "go.work",
    "Cargo.toml",
    "package.json",
    "pyproject.toml",
    "pnpm-workspace.yaml",
)
_TAKES_IN = compile_late(
    r"""=>\s*(\.{0,2}/\S+)|^use\s+(\.{0,2}/\S+)|\bpath\s*=\s*["'](\.\.[^"']*)["']|["'](?:file|link|portal):(?://)?([^"']+)["']"""
)


def _find_sources_out(comparison: GateComparison) -> list[Finding]:
    """A manifest that takes its code from beside the tree: what was checked is in no commit."""
    root, found = comparison.context.root, []
    for one in comparison.changes:
        if one.status == "D" or one.path.rpartition("/")[2] not in _MANIFESTS:
            continue
        for number, line in comparison.source.list_added_lines(
            comparison.base_tree, comparison.tree, one.path
        ):
            told = _TAKES_IN.search(line)
            target = next(filter(None, told.groups()), "") if told else ""
            whole = os.path.normpath(os.path.join(root, os.path.dirname(one.path), target))
            if target and whole != root and not whole.startswith(root + "/"):
                found.append(
                    Finding(
                        rule="link-out",
                        level=NOTE,
                        what=f"{one.path} takes in {target}, which is no part of these files",
                        where=f"{one.path}:{number}",
                        clears=f"take in what lies in this checkout, or a version of {target}",
                        doubt=True,
                    )
                )
    return found


def _find_target_outside(root: str, path: str) -> str:
    """Where a link leads that leaves the checkout; "" if it is none, or stays inside."""
    try:
        target = os.readlink(f"{root}/{path}")
    except OSError:
        return ""
    whole = os.path.normpath(os.path.join(root, os.path.dirname(path), target))
    return "" if whole == root or whole.startswith(root + "/") else target


def _find_suppressions(
    comparison: GateComparison,
    found: Sequence[GateMeasurement],
    texts: dict[str, str],
    before: dict[str, str],
) -> list[Finding]:
    own = {path: text for path, text in texts.items() if not testfiles.is_generated(path)}
    new = floor.find_new_suppressions(before, own)
    if not new:
        return []
    covered = [one for measured in found for one in _find_covered(comparison, measured, own, new)]
    told = {one.where for one in covered}
    return covered + [one for one in floor.report_suppressions(new) if one.where not in told]


def _find_covered(
    comparison: GateComparison,
    measured: GateMeasurement,
    texts: dict[str, str],
    new: list[Suppression],
) -> list[Finding]:
    """The gate once more without the new marks: what is red then was only switched off."""
    gate, now = measured.pair.gate, measured.now
    # Marks that leave code out of what tests have to reach are for the runner.
    new = [one for one in new if floor.is_for_coverage(one) == (gate.kind == TEST)]
    new = [one for one in new if not floor.is_usually_left_out(one, texts[one.path])]
    if gate.kind not in (LINT, TYPES, TEST) or not new or not gate.required or now is None:
        return []
    if gate.kind == TEST and "cov" not in f"{gate.command}\n{gate.definition}".lower():
        return []
    if now.result.colour not in (GREEN, RED) or now.seconds > comparison.context.left:
        return []
    bare = {
        path: floor.remove_suppressions(texts[path], [one for one in new if one.path == path])
        for path in {one.path for one in new}
    }
    run = comparison.scratch_run(gate, UNSUPPRESSED, comparison.tree, texts=bare)
    if run.result.colour != RED:
        return []
    more = gate_findings.find_new_complaints(run.result.output, now.result.output, bare)
    if now.result.colour == RED and not more:
        return []
    return floor.report_covered(new, gate.name, run.result.output, receipt=run.number)
