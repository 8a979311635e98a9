"""
How strong a PASS is, by runs: tests that are red without the change and green with it, each twice; and where none
is, whether any test runs what was changed.
"""

from collections.abc import Sequence

from ...core.value import Value
from ...core.verdict import gate_findings, goals, strength
from ...core.verdict.finding import NOTE, STRONG, WEAK, Finding
from ...core.verdict.gate import Gate, has_service
from ...core.verdict.gate_run import (
    GREEN,
    PASSED,
    RED,
    SOME_TESTS,
    GateResult,
    TestReport,
    describe_flaky,
    shorten_name,
)
from ...core.verdict.strength import StrengthFacts
from ...core.verdict.test_names import is_unloaded
from ...core.verdict.testcases import ADDED, CHANGED
from ..run.narrow import is_narrow, narrow
from ..run.receipt import AGAIN, NEW_TESTS, RunReceipt
from ..testcode.cases import TestChange
from ..testcode.code import has_other_code
from ..testcode.files import is_same_test
from .comparison import QUICK, GateComparison, GateMeasurement
from .cross_runs import find_test_outcome
from .relation import TestRelations
from .retest import Retest

MOST_PROOFS = 20
# Of the whole gate's time: a run of some tests that takes more is mostly the start of their runner.
_CHEAP = 0.4


class ChangeStrength(Value):
    """`proofs` are the tests that prove the change; None if nobody looked."""

    value: str
    proofs: list[str] | None
    findings: list[Finding]


def measure_strength(
    comparison: GateComparison,
    found: Sequence[GateMeasurement],
    retests: Sequence[Retest],
    relations: TestRelations,
    findings: Sequence[Finding],
) -> ChangeStrength:
    """Only for work that would pass: it costs runs."""
    if not retests or not all(
        one.measured.fact.result == GREEN or one.measured.fact.as_before or one.measured.fact.counts
        for one in retests
    ):
        return ChangeStrength("", None, [])
    if gate_findings.has_only_docs(comparison.change.changed):
        unshown = _judge_unshown(comparison, found, runs=False)
        return ChangeStrength(strength.NOT_RUN, None, [unshown] if unshown else [])
    told = [shown for one in retests if (shown := list_proofs(one)) is not None]
    proofs = [name for one in told for name in one.names] if told else None
    wavering = [finding for one in told for finding in one.wavering]
    moved = any(map(_is_moved, findings))
    runs = None if proofs or moved else _runs_change(retests, relations)
    value = strength.grade(StrengthFacts(proofs, moved=moved, runs=runs))
    unshown = _judge_unshown(comparison, found, runs) if proofs == [] and not moved else None
    copied = _judge_copy(retests, relations) if runs is False else None
    more = [one for one in (unshown, copied) if one is not None]
    return ChangeStrength(value, proofs, [*wavering, *more])


def _judge_copy(retests: Sequence[Retest], relations: TestRelations) -> Finding | None:
    """Tests that load an installed copy of what was changed say nothing about the files that are judged."""
    told = (relations.find_copy_instead(one.measured) for one in retests)
    found = next(filter(None, told), None)
    if found is None:
        return None
    path, copy = found
    venv = copy.partition("/lib/python")[0]
    return Finding(
        rule="installed-copy",
        level=NOTE,
        what=f"tests load {copy}, not {path}",
        where=path,
        clears=f"install the project in place: {venv}/bin/python -m pip install -e .",
        doubt=True,
    )


def _is_moved(finding: Finding) -> bool:
    return strength.is_moved(finding.rule, finding.level) and not finding.doubt


def _runs_change(retests: Sequence[Retest], relations: TestRelations) -> bool | None:
    told = [relations.runs_change(one.measured) for one in retests]
    if True in told:
        return True
    return None if None in told else False


def _judge_unshown(
    comparison: GateComparison, found: Sequence[GateMeasurement], runs: bool | None
) -> Finding | None:
    """
    A fix has to show itself where tests run it, unless another check turned from red to green, or only words
    changed. Where none runs it, that is no fault; but with a test still red nobody can say that it was not this one.
    """
    settings = comparison.context.settings
    if not settings["tests.fix_needs_test"] or not goals.is_fix(comparison.change.goal):
        return None
    if any(_turned_green(comparison, one) or has_service(one.pair.gate) for one in found):
        return None
    if gate_findings.has_only_docs(comparison.change.changed) and goals.speaks_of_docs(
        comparison.change.goal
    ):
        return None
    if runs and _changes_code(comparison):
        return Finding(
            rule="fix-unshown",
            level=WEAK,
            what="Nothing shows the fix: no test fails without it",
            clears="add a test that fails without it, or say why none can",
        )
    red = next((one.fact.name for one in found if one.fact.as_before), "")
    if not red:
        return None
    return Finding(
        rule="fix-unshown",
        level=NOTE,
        gate=red,
        what=f"Nothing shows the fix, and {red} is red still",
        clears="add a test that fails without it, or ulw accept REASON",
        doubt=True,
    )


def _changes_code(comparison: GateComparison) -> bool:
    source, base, tree = comparison.source, comparison.base_tree, comparison.tree
    return any(
        has_other_code(one.path, source.read(base, one.path), source.read(tree, one.path))
        for one in comparison.changes
    )


def _turned_green(comparison: GateComparison, measured: GateMeasurement) -> bool:
    if measured.fact.result != GREEN:
        return False
    base = measured.base or comparison.known_base(measured.pair.pinned)
    return base is not None and base.result.colour == RED


class ProofRuns(Value):
    """`names` are tests that prove the change; `wavering` what the runs showed of tests that do not stand still."""

    names: list[str]
    wavering: list[Finding]


def list_proofs(retest: Retest) -> ProofRuns | None:
    """Tests that are red on base and green now, twice each; None if that was not tried."""
    now = retest.measured.now
    if now is None:
        return None
    if has_service(retest.measured.pair.gate):
        return ProofRuns([], [])
    if now.result.report is None or not (retest.tests.changed or retest.names_tests()):
        return _list_whole_proof(retest)
    gate = retest.measured.pair.gate
    quick = now.seconds <= QUICK or is_narrow(narrow(gate, ["test_x"]), gate)
    if not quick:
        return None
    told = _prove(retest, now, retest.crossing.new_on_base())
    return told or _prove(retest, now, retest.crossing.new_on_base(together=True))


def _prove(retest: Retest, now: RunReceipt, without: RunReceipt | None) -> ProofRuns | None:
    """By a run without the change; None if it tells nothing, or of tests that are red alone and not together."""
    if without is None or without.result.report is None:
        return None
    base = retest.comparison.base(retest.measured)
    red = dict.fromkeys([*list_failed_tests(without), *list_failed_tests(base)])
    ran = [name for name in red if _passes(now, name) and not retest.is_bent(name)][:MOST_PROOFS]
    proofs = _confirm(retest, without, ran) if ran else ProofRuns([], [])
    if proofs is None:
        return None
    names = proofs.names or _list_unloaded_proofs(retest, without)
    return ProofRuns(names, proofs.wavering)


def _list_whole_proof(retest: Retest) -> ProofRuns | None:
    """Of a gate that names no test: itself, if it was red without the change, and no test was touched."""
    measured, comparison = retest.measured, retest.comparison
    base = retest.crossing.new_on_base() if retest.tests.inline else comparison.base(measured)
    if base is None or measured.now is None or measured.now.seconds > QUICK:
        return None
    gate = measured.pair.gate
    touched = retest.tests.changed or retest.is_bent(gate.name)
    if base.result.colour != RED or measured.now.result.colour != GREEN or touched:
        return ProofRuns([], []) if base.result.colour in (GREEN, RED) else None
    again = _run_base_again(retest, base, gate)
    still = again.result.colour == RED and comparison.run_here(gate).result.colour == GREEN
    return ProofRuns([gate.name] if still else [], [])


def list_failed_tests(run: RunReceipt | None) -> list[str]:
    """The tests whose bodies ran and failed."""
    report = run.result.report if run else None
    return [name for name in report.failed if report.has_failed(name)] if report else []


def _passes(now: RunReceipt, name: str, asked: int = 0) -> bool:
    """
    A green run that skipped nothing passed them all, even where it names none; of a run of some tests, which may
    count the others as skipped, if it ran as many as were `asked` for.
    """
    report = now.result.report
    assert report is not None
    some = now.gate.reason == SOME_TESTS and 0 < asked <= (report.ran or 0)
    return is_passed(now.result, report, name, some=some)


def is_passed(result: GateResult, report: TestReport, name: str, *, some: bool = False) -> bool:
    """`some`: of a run of some tests, which ran as many as it was asked for."""
    if report.complete:
        return report.outcomes.get(name) == PASSED
    return result.colour == GREEN and (some or not report.skipped_count)


def _confirm(retest: Retest, without: RunReceipt, names: list[str]) -> ProofRuns | None:
    """
    Once more on both sides, these tests alone where the runner can be told. Here first: what is red every second
    time would else seem to follow the change.
    """
    comparison, whole = retest.comparison, retest.measured.pair.gate
    if not comparison.fits(retest.measured):
        return ProofRuns([], [])
    lent = _list_lent(retest, without, names)
    if lent:
        return ProofRuns([], [_report_lent(lent)])
    again = _run_here_again(retest, names)
    if again.result.report is None:
        return ProofRuns([], [])
    shaky = [name for name in names if again.result.report.has_failed(name)]
    if shaky and without.gate.reason == SOME_TESTS:
        return None
    wavering = [_report_shaky(retest, again, shaky)] if shaky else []
    green = [name for name in names if _passes(again, name, asked=len(names))]
    if not green:
        return ProofRuns([], wavering)
    cheap = again.seconds < _CHEAP * _seconds(retest) and is_narrow(again.gate, whole)
    twice = [] if cheap else _list_red_twice(retest, without, green)
    if twice:
        return ProofRuns(twice, wavering)
    report = _run_base_again(retest, without, again.gate).result.report
    flaky = [name for name in green if report and _passed(report, name)]
    wavering += [_report_flaky(retest, flaky)] if flaky else []
    return ProofRuns([name for name in green if report and report.has_failed(name)], wavering)


def _list_lent(retest: Retest, without: RunReceipt, names: list[str]) -> list[str]:
    """
    Tests that the new ones make green without the change too: if they are red with the tests as they were, it is
    not the code that was mended; else they waver.
    """
    base, report = retest.comparison.base(retest.measured), without.result.report
    if base is None or base is without or report is None:
        return []
    failed = list_failed_tests(base)
    green = [name for name in names if name in failed and _passed(report, name)]
    return retest.crossing.list_red_as_they_were(green) if green else []


def _report_lent(names: list[str]) -> Finding:
    first = shorten_name(names[0])
    return Finding(
        rule="support-changed",
        level=WEAK,
        what=f"{first} was red and is green only with the tests that were added",
        clears=f"mend the code so that {first} is green without them",
    )


def _seconds(retest: Retest) -> float:
    return retest.measured.now.seconds if retest.measured.now else 0.0


def _run_here_again(retest: Retest, names: list[str]) -> RunReceipt:
    """Whole where a run of some tests says nothing of them: the gate may be more than its runner."""
    whole = retest.measured.pair.gate
    some = narrow(whole, names)
    again = retest.comparison.run_here_again(some)
    report = again.result.report
    told = report is not None and (
        bool(report.ran) if not report.complete else any(name in report.outcomes for name in names)
    )
    return again if told or not is_narrow(some, whole) else retest.comparison.run_here(whole)


def _run_base_again(retest: Retest, without: RunReceipt, gate: Gate) -> RunReceipt:
    comparison, tests = retest.comparison, retest.tests
    overlay = (comparison.tree, [*tests.paths, *retest.measured.rules])
    return comparison.scratch_run(
        gate,
        AGAIN,
        comparison.base_tree,
        overlay=overlay if without.document["run"]["on"] == NEW_TESTS else None,
        texts=tests.texts(tests=comparison.tree, code=comparison.base_tree),
        twice=is_narrow(gate, retest.measured.pair.gate),
    )


def _list_red_twice(retest: Retest, without: RunReceipt, names: list[str]) -> list[str]:
    """Those that two runs without the change have seen red: with the tests as they were, and as they are."""
    base = retest.comparison.base(retest.measured)
    if base is None or base is without:
        return []
    seen = {*list_failed_tests(base)}.intersection(list_failed_tests(without))
    return [name for name in names if name in seen]


def _passed(report: TestReport, name: str) -> bool:
    return report.outcomes.get(name) == PASSED


def _report_flaky(retest: Retest, names: list[str]) -> Finding:
    """Red and green on base: it says nothing about the change, and is always shown."""
    return Finding(
        rule="flaky",
        level=NOTE,
        gate=retest.measured.fact.name,
        what=describe_flaky(names, red=1, runs=3),
    )


def _report_shaky(retest: Retest, again: RunReceipt, names: list[str]) -> Finding:
    """
    What was red at the start must be green in every run, unless it is green there too now and then. Alone a
    test may be red for want of company: then nobody can tell, and the whole gate has the word.
    """
    comparison, gate = retest.comparison, retest.measured.pair.gate
    base = [one.result.report for one in comparison.repeat_on_base(again.gate, 2)]
    wavering = [name for name in names if any(one and _passed(one, name) for one in base)]
    if wavering:
        return _report_flaky(retest, wavering)
    whole = comparison.run_here(gate) if is_narrow(again.gate, gate) else again
    report = whole.result.report
    red = [name for name in names if report is None or report.has_failed(name)]
    first = shorten_name((red or names)[0])
    return Finding(
        rule="flaky",
        level=STRONG if red else NOTE,
        gate=retest.measured.fact.name,
        what=f"{first} was red at the start, and is green only in some runs",
        where="",
        receipt=whole.number,
        clears=f"make {first} green in every run",
        doubt=not red,
    )


def _list_unloaded_proofs(retest: Retest, without: RunReceipt) -> list[str]:
    """Tests that cannot run on base prove something if they are red over emptied functions."""
    report = without.result.report
    assert report is not None
    fresh = [
        one
        for one in retest.tests.changed
        if one.kind in (ADDED, CHANGED)
        and not retest.is_bent(one.name)
        and _cannot_run(report, one)
        and find_test_outcome(retest.measured.now, one) == PASSED
    ]
    return [one.name for one in fresh if _notices_emptied(retest, one)]


def _notices_emptied(retest: Retest, change: TestChange) -> bool:
    return bool(
        retest.crossing.notices_fault(lambda run: find_test_outcome(run, change), on_base=False)
    )


def _cannot_run(report: TestReport, change: TestChange) -> bool:
    errored = [name for name in report.errored if is_same_test(name, change.name)]
    return bool(errored) or is_unloaded(report, change.path)
