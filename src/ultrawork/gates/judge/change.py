"""
What a change comes to beside its gates: its tests, its marks, new lines that ask whether a test is running,
and how strong the proof is that its tests give.
"""

import os
import sys
from collections.abc import Sequence

from ...core.value import Value
from ...core.verdict import gate_findings, test_awareness
from ...core.verdict.finding import NOTE, Finding
from ...core.verdict.gate import TEST
from ...core.verdict.test_awareness import list_blind_equalities, list_replaced, list_signs
from ...system.git import FileChange
from ..testcode import files as testfiles
from ..trees.source import Source
from . import canary, unfinished
from .comparison import GateComparison, GateMeasurement
from .error_free import list_new_errors
from .floor import list_floor_findings
from .home import list_home_findings
from .relation import TestRelations
from .retest import Retest
from .strength import ChangeStrength, measure_strength
from .support_files import may_be_read
from .test_change import ChangedTests


class ChangeJudgement(Value):
    """`proofs` are the tests that are red without the change; None if nobody looked."""

    findings: list[Finding]
    proofs: list[str] | None
    strength: str


def judge_change(
    comparison: GateComparison, found: list[GateMeasurement], relations: TestRelations
) -> ChangeJudgement:
    source, base, tree, changes = (
        comparison.source,
        comparison.base_tree,
        comparison.tree,
        comparison.changes,
    )
    retests = _retests(comparison, found, relations)
    findings = [finding for retest in retests for finding in retest.findings()]
    findings += unfinished.list_findings(source, base, tree, changes, comparison.change.goal)
    findings += list_floor_findings(comparison, found)
    findings += find_test_awareness(source, base, tree, changes)
    findings += list_home_findings(comparison, found)
    measured = ChangeStrength("", None, [])
    if not comparison.context.part:
        measured = measure_strength(comparison, found, retests, relations, findings)
    findings += measured.findings
    if not comparison.context.part:
        findings += list_new_errors(comparison, found)
    findings += _blind(comparison, retests, measured)
    return ChangeJudgement(findings, measured.proofs, measured.value)


def note_left_out(comparison: GateComparison) -> Finding:
    """What a quick look leaves out; where tests or gates changed, that is what matters."""
    patterns = comparison.context.settings["tests.paths"]
    bent = [
        one.path
        for one in comparison.changes
        if testfiles.is_test_path(one.path, patterns) or testfiles.is_support_path(one.path)
    ]
    what = "left out: the original tests on this code, base, and how strong the proof is"
    return Finding(
        rule="left-out",
        level=NOTE,
        what=f"{what}; {bent[0]} changed" if bent else what,
        where=bent[0] if bent else "",
        clears="ultrawork verify, without --quick",
        doubt=bool(bent),
    )


def _retests(
    comparison: GateComparison, found: list[GateMeasurement], relations: TestRelations
) -> list[Retest]:
    patterns = comparison.context.settings["tests.paths"]
    source, base, tree = comparison.source, comparison.base_tree, comparison.tree
    gates = [one for one in found if one.pair.gate.kind == TEST and one.pair.gate.required]
    gates = [one for one in gates if one.now is not None]
    gone = tuple(
        one.pair.gate.where + "/" for one in found if comparison.is_gone(one.pair.gate.where)
    )
    changes = [one for one in comparison.changes if not one.path.startswith(gone)]
    commands = "\n".join((one.pair.pinned or one.pair.gate).definition for one in gates)
    tests = ChangedTests(source, base, tree, changes, patterns, comparison.others, commands)
    unclear = [path for path in tests.others if may_be_read(path) or path in tests.doubtful]
    told = [relations.list_read(one) for one in gates] if unclear else []
    # Where nobody can say who reads a file that tests speak of, it is theirs.
    read = {path for one in told for path in (tests.doubtful if one is None else one)}
    # One that is gone was opened like those that lie where it lay.
    folders = {os.path.dirname(path) for path in read}
    gone_data = {one.path for one in changes if one.status == "D"}.intersection(unclear)
    read.update(path for path in gone_data if os.path.dirname(path) in folders)
    if read.intersection(unclear):
        tests.add_support(read)
    return [Retest(comparison, one, tests) for one in gates]


def _blind(
    comparison: GateComparison, retests: list[Retest], measured: ChangeStrength
) -> list[Finding]:
    """
    Where no test was seen to fail without the change, or code speaks of the runner, it is worth one
    more run to see whether the tests can fail at all.
    """
    part = comparison.context.part
    if measured.proofs is None and not part:
        return []
    suspicious = _reaches_into_runner(comparison)
    if (measured.proofs or part) and not suspicious:
        return []
    return [
        one
        for retest in retests
        for one in (
            *canary.check(comparison, retest.measured, suspicious=suspicious),
            *_list_endings(comparison, retest.measured, suspicious=suspicious),
        )
    ]


def _list_endings(
    comparison: GateComparison, measured: GateMeasurement, *, suspicious: bool
) -> list[Finding]:
    """Code that may end a gate of which nothing but its end is known."""
    now = measured.now
    if not suspicious or now is None or (now.result.report and now.result.report.ran):
        return []
    source, base, tree = comparison.source, comparison.base_tree, comparison.tree
    for one in comparison.changes:
        lines = source.list_added_lines(base, tree, one.path) if one.status != "D" else ()
        if not _is_for_tests(one.path) and test_awareness.may_end_well(text for _, text in lines):
            found = test_awareness.report_ending(measured.fact.name, one.path, receipt=now.number)
            return [found]
    return []


def _reaches_into_runner(comparison: GateComparison) -> bool:
    source, base, tree = comparison.source, comparison.base_tree, comparison.tree
    patterns = comparison.context.settings["tests.paths"]
    return any(
        test_awareness.may_reach_runner(
            (line for _, line in source.list_added_lines(base, tree, one.path)),
            in_tests=testfiles.is_test_path(one.path, patterns),
        )
        for one in comparison.changes
        if one.status != "D"
    )


def find_test_awareness(
    source: Source, base: str, tree: str, changes: Sequence[FileChange]
) -> list[Finding]:
    """A doubt, not a refusal: it may be honest, but then nothing here proves what users will see."""
    found = []
    for change in changes:
        if change.status == "D" or change.binary or _is_for_tests(change.path):
            continue
        lines = list(source.list_added_lines(base, tree, change.path))
        found += [
            _report_aware(change.path, number, said)
            for number, said in list_signs(lines, change.path)
        ]
        found += [_report_equal(change.path, one) for one in list_blind_equalities(lines)]
        found += [
            _report_replaced(change.path, number, said) for number, said in list_replaced(lines)
        ]
        if change.status == "A" and _hides_language(source, tree, change.path):
            found.append(_report_hidden(change.path))
    return found


def _hides_language(source: Source, tree: str, path: str) -> bool:
    """Whether a new module has the name of one of the language that tests import, and is found before it."""
    folder, _, name = path.removesuffix("/__init__.py").rpartition("/")
    module = name.removesuffix(".py")
    if not path.endswith(".py") or module not in sys.stdlib_module_names:
        return False
    inside = folder and source.read(tree, f"{folder}/__init__.py") is not None
    return not inside and module in source.search.list_imports(tree, path)[0]


def _is_for_tests(path: str) -> bool:
    tests = testfiles.is_test_path(path) or testfiles.is_support_path(path)
    return tests or gate_findings.is_doc(path)


def _report_replaced(path: str, number: int, said: str) -> Finding:
    what = f"{path} sets {said} for all that runs with it, tests too; what they compare with it proves nothing"
    return _doubt("language-replaced", path, number, what, f"leave {said} as it is")


def _report_hidden(path: str) -> Finding:
    what = f"{path} takes the place of a module of the language that tests import"
    return _doubt("language-replaced", path, 1, what, "give it another name")


def _report_equal(path: str, number: int) -> Finding:
    what = (
        f"{path} makes something equal to everything; what a test compares with it proves nothing"
    )
    return _doubt("equal-to-everything", path, number, what, "let equality compare something")


def _report_aware(path: str, number: int, said: str) -> Finding:
    what = f"{path} asks whether a test is running ({said}); what it does otherwise is not checked"
    clears = "let the code do the same with and without a test runner"
    return _doubt("test-aware", path, number, what, clears)


def _doubt(rule: str, path: str, number: int, what: str, clears: str) -> Finding:
    where = f"{path}:{number}"
    return Finding(rule=rule, level=NOTE, what=what, where=where, clears=clears, doubt=True)
