"""Find the tests that notice a change: those that fail on the old code twice, or that cannot run there and fail with
their functions undone. A check that names no tests counts as one test.

Also new tests that test nothing. Where only tests were added, no run on old code can tell, so the functions that they
name return zero once; a function that any of the new tests notices is tested."""

from collections.abc import Iterable, Sequence

from ...core.goal.phrases import list_code_names, read_last_word
from ...core.value import Value, fresh
from ...core.verdict import rules
from ...core.verdict.gate import has_service
from ...core.verdict.gate_run import FAILED, GREEN, PASSED, describe_flaky, quote_name
from ...core.verdict.missing import find_missing
from ...core.verdict.old_tests import ADDED, COULD_NOT_RUN
from ...core.verdict.verdict import Finding
from ..run.narrow import is_narrow, narrow
from ..run.receipt import RunReceipt
from ..testcode.cases import TestChange
from ..undone.undo import ADDED as NEW_FUNCTION
from ..undone.undo import OLD, ZERO, ChangedFunction, is_undoable, list_functions, undo
from .change import ChangedFiles
from .delivered import is_running_own_files
from .matrix import Comparison
from .old_tests import OldTests
from .test_runs import TestRuns, has_passed

MOST_PROOFS = 20
# Seconds: a whole check that takes longer never runs for a word.
QUICK = 10.0
NO_UNDOING = "I cannot undo this change"
TOO_LONG = "the run would take too long"


class Noticing(Value):
    """Tests of one check that notice the change; `reason` says why that was not measured."""

    names: list[str] = fresh(list)
    findings: list[Finding] = fresh(list)
    measured: bool = True
    reason: str = ""


def find_noticing(comparison: Comparison, runs: TestRuns, old: OldTests) -> Noticing:
    """Return tests that fail on the old code twice, or that cannot run there and fail with their functions undone."""
    now = runs.check.now
    if now is None or not runs.change.code_paths or has_service(runs.check.pair.gate):
        return Noticing([], measured=False, reason="the check needs a service")
    if now.result.report is None:
        return _find_whole(comparison, runs, old)
    fresh_tests = [test_change for test_change in runs.list_fresh() if not old.is_bent(test_change.name)]
    failed = _list_failing_before(runs, old)
    made = old.touched.list_generated()
    if not (fresh_tests or failed or made):
        return Noticing() if now.result.report.outcomes else _find_whole(comparison, runs, old)
    names = runs.narrow_names(fresh_tests, [*failed, *made])
    tests = fresh_tests or made
    without = runs.old_code(names) if tests else runs.check.baseline(runs.matrix)
    if without is None:
        return Noticing([], measured=False)
    if not now.result.report.outcomes and not without.result.failed:
        return _find_whole(comparison, runs, old)
    candidates = [*_list_failed(runs, without), *failed]
    passing = [name for name in dict.fromkeys(candidates) if has_passed(now, name) and not old.is_bent(name)]
    noticing = _confirm(runs, without, passing[:MOST_PROOFS])
    every: list[TestChange | str] = [*fresh_tests, *made]
    unrun = [test for test in every if runs.read(without, test).status == COULD_NOT_RUN]
    return _add_undone(comparison, runs, noticing, unrun) if unrun else noticing


def _list_failing_before(runs: TestRuns, old: OldTests) -> list[str]:
    """Return tests that failed on the baseline and pass now, with their source unchanged."""
    base = runs.check.find_baseline(runs.matrix, QUICK * 3)
    if base is None or base.result.report is None:
        return []
    now = runs.check.now
    passing = [name for name in _list_failed(runs, base) if now and has_passed(now, name) and not old.is_bent(name)]
    return passing[:MOST_PROOFS]


def _list_failed(runs: TestRuns, run: RunReceipt) -> list[str]:
    """Return tests whose bodies ran and failed."""
    return [name for name in run.result.failed if runs.read(run, name).status == FAILED]


def _find_whole(comparison: Comparison, runs: TestRuns, old: OldTests) -> Noticing:
    """Return a check without named tests as its own test, if it fails without the change and no expectation of it
    changed."""
    check, matrix = runs.check, runs.matrix
    now = check.now
    assert now is not None
    if now.seconds > QUICK * 3:
        return Noticing([], measured=False, reason=TOO_LONG)
    without = runs.old_code()
    if without is None or old.bent:
        return Noticing([], measured=without is not None)
    failed = runs.read_check(without).status == FAILED
    if runs.change.test_paths and _did_not_run(runs, now, without, failed=failed):
        return _find_whole_undone(comparison, runs, now)
    if not failed or now.result.colour != GREEN:
        return Noticing()
    again = runs.old_code_again([])
    twice = again is not None and runs.read_check(again).status == FAILED
    still = twice and matrix.run_now(check.pair.gate).result.colour == GREEN
    return Noticing([check.fact.name] if still else [])


def _did_not_run(runs: TestRuns, now: RunReceipt, without: RunReceipt, *, failed: bool) -> bool:
    """Return whether new tests could not run on the old code: it lacks what they use, or fewer tests ran there."""
    if failed:
        # A failure that the runner names, with a place in the product, is one of a test that did run.
        lacks = find_missing(without.result.output) is not None and not _list_failed(runs, without)
        return lacks or _adds_what_stays(runs.change)
    ran, before = (run.result.report.ran if run.result.report else None for run in (now, without))
    return ran is not None and before is not None and before < ran


def _find_whole_undone(comparison: Comparison, runs: TestRuns, now: RunReceipt) -> Noticing:
    """Run the check with the changed functions undone, if its tests do not fit the old code. Only a test that failed
    counts, where none does now: code that does not compile fails without one."""
    change, stays = runs.change, _adds_what_stays(runs.change)
    if not (stays or change.around or runs.list_fresh()):
        return Noticing()  # only imports of the tests changed
    unknown = Noticing([], measured=False, reason="the tests do not run on the old code")
    texts = {} if stays else runs.undo_texts(OLD)
    if not texts or now.result.colour != GREEN:
        return unknown
    run = runs.undone(texts)
    report = run.result.report
    if report is None or not report.ran or find_missing(run.result.output) is not None:
        return unknown
    failing = [name for name in report.failed if report.has_failed(name) and has_passed(now, name)]
    if failing or (report.failed_count and not report.failed):
        return Noticing(failing or [runs.check.fact.name])
    blind = not is_running_own_files(comparison, runs.check, runs.builds)
    return Noticing([], measured=not blind, reason="the tests load other files in a copy")


def _adds_what_stays(change: ChangedFiles) -> bool:
    """Return whether there is a new file or function that cannot be undone: without it, its tests cannot run."""
    return any(
        change.before(path) is None or any(function.kind == NEW_FUNCTION for function in change.functions(path) or ())
        for path in change.code_paths
        if not is_undoable(path)
    )


def _confirm(runs: TestRuns, without: RunReceipt, names: Sequence[str]) -> Noticing:
    """Repeat both sides, with these tests alone if the runner allows it. Run the current side first: a test that fails
    every second time would otherwise seem to follow the change."""
    check, matrix = runs.check, runs.matrix
    now = check.now
    if not names or now is None or not matrix.fits(now.seconds):
        return Noticing()
    again = _run_here_again(runs, names)
    if again.result.report is None:
        return Noticing()
    shaky = [name for name in names if again.result.report.has_failed(name)]
    findings = [_report_shaky(runs, again, shaky)] if shaky else []
    steady = [name for name in names if has_passed(again, name, count=len(names))]
    if not steady:
        return Noticing([], findings)
    base = check.base
    if base is not None and base is not without:
        seen = {*_list_failed(runs, base)}.intersection(_list_failed(runs, without))
        twice = [name for name in steady if name in seen]
        if twice:
            return Noticing(twice, findings)
    repeated = runs.old_code_again(steady)
    report = repeated.result.report if repeated else None
    flaky = [name for name in steady if report and report.outcomes.get(name) == PASSED]
    if flaky:
        findings.append(_report_flaky(runs, flaky))
    return Noticing([name for name in steady if report and report.has_failed(name)], findings)


def _run_here_again(runs: TestRuns, names: Sequence[str]) -> RunReceipt:
    """Run the whole check if a narrowed run says nothing about these tests."""
    whole = runs.check.pair.gate
    some = narrow(whole, names)
    again = runs.matrix.run_now_again(some)
    report = again.result.report
    has_run = report is not None and (
        bool(report.ran) if not report.complete else any(name in report.outcomes for name in names)
    )
    return again if has_run or not is_narrow(some, whole) else runs.matrix.run_now(whole)


def _report_flaky(runs: TestRuns, names: Sequence[str]) -> Finding:
    """Report a test that both fails and passes without the change. It proves nothing and is always shown."""
    return runs.check.find("flaky", what=describe_flaky(names, red=1, runs=3))


def _report_shaky(runs: TestRuns, again: RunReceipt, names: Sequence[str]) -> Finding:
    """Require a test that failed at the start to pass in every run, unless it sometimes passes there too. A test may
    always fail when it runs alone; then the whole check decides."""
    matrix, gate = runs.matrix, runs.check.pair.gate
    wavering = _list_passing(matrix.repeat_baseline(again.gate, 2), names)
    if wavering:
        return _report_flaky(runs, wavering)
    whole = matrix.run_now(gate) if is_narrow(again.gate, gate) else again
    report = whole.result.report
    failed = [name for name in names if report is None or report.has_failed(name)]
    if not failed and whole is not again:
        failed = _list_passing([matrix.run_now_again(again.gate) for _ in range(2)], names)
    if failed:
        first = quote_name(failed[0])
        return runs.check.find("passes-sometimes", receipt=whole.number, first=first)
    return _report_flaky(runs, names)


def _list_passing(runs: Sequence[RunReceipt], names: Sequence[str]) -> list[str]:
    """Return tests that passed in at least one of these runs."""
    reports = [run.result.report for run in runs]
    return [name for name in names if any(report and report.outcomes.get(name) == PASSED for report in reports)]


def _add_undone(
    comparison: Comparison, runs: TestRuns, noticing: Noticing, tests: Sequence[TestChange | str]
) -> Noticing:
    """Run new tests that cannot run on old code with their functions undone. One that passes there shows nothing."""
    texts = runs.undo_texts(OLD)
    now = runs.check.now
    assert now is not None
    if not texts and not _keeps_bodies(runs):
        return noticing if noticing.names else Noticing([], noticing.findings, measured=False, reason=NO_UNDOING)
    written = [test for test in tests if isinstance(test, TestChange)]
    made = [test for test in tests if isinstance(test, str)]
    run = runs.undone(texts, runs.narrow_names(written, made)) if texts else now
    idle = []
    for test in tests:
        outcome = runs.read(run, test)
        if outcome.status == FAILED:
            noticing.names += [name for name in outcome.failing if has_passed(now, name)]
        elif outcome.status == PASSED and isinstance(test, TestChange) and test.kind == ADDED:
            idle.append(test)
    if texts and not noticing.names and idle and not is_running_own_files(comparison, runs.check, runs.builds):
        return Noticing([], noticing.findings, measured=False, reason="the tests load other files in a copy")
    for test in idle:
        function = _find_undone_function(runs, test)
        if function:
            how = DOES_NOTHING if function.kind == NEW_FUNCTION else IS_OLD
            noticing.findings.append(report_idle(test, function.own_name, how))
    return noticing


def _keeps_bodies(runs: TestRuns) -> bool:
    """Return whether only heads of functions changed: with their old bodies they are as they are now."""
    functions = runs.change.list_functions()
    return bool(functions) and all(function.keeps_body for _, function in functions)


def _find_undone_function(runs: TestRuns, test: TestChange) -> ChangedFunction | None:
    """Return an undone function that this test names."""
    case = runs.find_case(test)
    for _, function in runs.change.list_functions():
        if (function.can_undo or function.keeps_body) and case is not None and function.own_name in case.names:
            return function
    return None


# How a test passes without what it tests.
DOES_NOTHING, IS_OLD = "even if {function} does nothing", "with the old body of {function}"
_MOST_TESTS, _MOST_WORDS = 20, 30


def report_idle(test: TestChange, function: str, how: str) -> Finding:
    how = how.format(function=f"{function}()")
    return rules.make_finding("idle-test", where=test.where, test=quote_name(test.name), how=how)


def find_idle_tests(comparison: Comparison, runs: TestRuns) -> list[Finding]:
    """Return a finding for each function that new tests or the goal name and that none of the tests notices."""
    change = comparison.change
    fresh = [test for test in runs.list_fresh() if test.kind == ADDED][:_MOST_TESTS]
    wanted = {read_last_word(name) for name in list_code_names(comparison.goal)}
    named = {test.name: {*_list_used_words(runs, test)} for test in fresh}
    words = sorted(set().union(*named.values()) - wanted)
    functions, texts = _empty_functions(change, [*sorted(wanted), *words][:_MOST_WORDS])
    if not texts or has_service(runs.check.pair.gate):
        return []
    run = runs.undone(texts, runs.narrow_names(fresh))
    passing = {test.name for test in fresh if _is_passing(runs, run, test, len(fresh))}
    found = []
    for function in functions:
        naming = [test for test in fresh if function in named[test.name] or function in wanted]
        if naming and all(test.name in passing for test in naming):
            found.append(report_idle(naming[0], function, DOES_NOTHING))
    blind = len(passing) == len(fresh) and found and not is_running_own_files(comparison, runs.check, runs.builds)
    return [] if blind else found


def _is_passing(runs: TestRuns, run: RunReceipt, test: TestChange, count: int) -> bool:
    return runs.read(run, test).status == PASSED or has_passed(run, test.name, count)


def _list_used_words(runs: TestRuns, test: TestChange) -> Iterable[str]:
    case = runs.find_case(test)
    return case.names if case else ()


def _empty_functions(change: ChangedFiles, words: Sequence[str]) -> tuple[list[str], dict[str, str]]:
    """Return which words are functions of the product, and its files with these returning zero."""
    search, known, texts = change.source.search, set(), {}
    paths = dict.fromkeys(path for word in words for path in search.list_containing(change.tree, word))
    for path in paths:
        text = change.after(path)
        functions = (list_functions(path, text) or []) if text and not change.is_test(path) else []
        own = [function for function in functions if function.own_name in words and function.can_zero]
        undone = undo(path, text, text, [function.name for function in own], ZERO) if text and own else None
        if undone is not None:
            texts[path] = undone
            known |= {function.own_name for function in own}
    return sorted(known), texts
