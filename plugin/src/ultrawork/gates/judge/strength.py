"""Grade a PASS by what notices the change, and if no test does, by whether any would notice if the changed functions
did nothing.

Only the relevant tests run, never a whole slow suite. The grade is a word; it never changes the verdict."""

import re
from collections.abc import Iterable, Sequence

from ...core.value import Value, fresh
from ...core.verdict import summary
from ...core.verdict.gate_run import GREEN
from ...core.verdict.summary import StrengthFacts
from ...core.verdict.verdict import Finding
from ..run.narrow import is_narrow, narrow
from ..run.receipt import RunReceipt
from ..undone.undo import ZERO, is_undoable
from .change import ChangedFiles
from .matrix import Comparison
from .noticing import NO_UNDOING, QUICK, TOO_LONG, Noticing, find_idle_tests
from .test_runs import TestRuns, has_passed

_MOST_NAMES = 40


class ChangeStrength(Value):
    """`noticed` lists the tests that prove the change; None if that was not measured."""

    value: str = ""
    reason: str = ""
    noticed: list[str] | None = None
    findings: list[Finding] = fresh(list)


def grade_change(
    comparison: Comparison, all_runs: Sequence[TestRuns], noticing: Iterable[Noticing], *, changed: bool
) -> ChangeStrength:
    """Return the strength of a PASS. `changed`: expectations changed with the code."""
    noticings = list(noticing)
    names = [name for notice in noticings for name in notice.names]
    findings = [finding for notice in noticings for finding in notice.findings]
    change = comparison.change
    if names:
        return ChangeStrength(summary.PROVED, noticed=names, findings=findings)
    reason = _explain_no_word(comparison)
    if reason == summary.TESTS:
        findings += [finding for runs in all_runs for finding in find_idle_tests(comparison, runs)]
    if reason is not None and not (changed and reason == summary.DELETIONS):
        return ChangeStrength("", reason, None, findings)
    if changed:
        return ChangeStrength(summary.EXPECTATIONS, noticed=[], findings=findings)
    measured = any(notice.measured for notice in noticings)
    reasons = [*map(_explain_unknown, all_runs), *(notice.reason for notice in noticings)]
    unknown = next(filter(None, reasons), "")
    zero = _measure_zero(all_runs) if measured or not noticings else StrengthFacts(reason=unknown)
    if not change.code_paths:
        zero = StrengthFacts(reason="only data changed")
    value = zero.grade
    noticed: list[str] | None = [] if value != summary.NOT_MEASURED else None
    return ChangeStrength(value, zero.reason or zero.where, noticed, findings)


def _explain_no_word(comparison: Comparison) -> str | None:
    """Return why a change has no strength: only docs, comments, tests, CI or dependency files, pure deletions."""
    change = comparison.change
    examples = [path for path in change.inline if path not in change.code_paths]
    return summary.explain_kind(
        change.paths,
        tests=[*change.test_paths, *examples],
        code=change.code_paths,
        deleted=[file.path for file in change.own if file.status == "D"],
        only_removed=all(_has_only_lost(change, path) for path in change.code_paths),
    )


def _has_only_lost(change: ChangedFiles, path: str) -> bool:
    """Return whether a file only lost code: a line may have lost words, such as a name in a list of exports."""
    before, after = ((text or "").splitlines() for text in (change.before(path), change.after(path)))
    if sorted(before) == sorted(after):
        return False
    kept = set(before)
    shrunk = [re.findall(r"\w+|[^\w\s,]", line) for line in after if line not in kept]
    if not shrunk:
        return True
    gone = [re.findall(r"\w+|[^\w\s,]", line) for line in before if line not in set(after)]
    return change.functions(path) == [] and all(any(_is_part(words, old) for old in gone) for words in shrunk)


def _is_part(words: Sequence[str], whole: Sequence[str]) -> bool:
    """Return whether the words come in this order in the whole."""
    rest = iter(whole)
    return all(word in rest for word in words)


def _measure_zero(all_runs: Sequence[TestRuns]) -> StrengthFacts:
    """Return whether any test notices when the changed functions return zero."""
    measured = StrengthFacts()
    for number, facts in enumerate(map(_measure_one_zero, all_runs)):
        if facts.notices:
            return facts
        if number == 0 or (facts.notices is False and measured.notices is None):
            measured = facts
    return measured


def _measure_one_zero(runs: TestRuns) -> StrengthFacts:
    now = runs.check.now
    texts = runs.undo_texts(ZERO)
    if now is not None and not texts and _is_seen_whole(runs):
        return StrengthFacts(notices=False, where=summary.THE_CHANGE)
    if now is None or not texts:
        return StrengthFacts(reason=_explain_unknown(runs) or NO_UNDOING)
    names = _list_near(runs)
    if not names and (now.seconds > QUICK or not runs.matrix.fits(now.seconds)):
        return StrengthFacts(reason=TOO_LONG)
    run = runs.undone(texts, names)
    report = run.result.report
    if report is None:
        return StrengthFacts(notices=run.result.colour != GREEN, where=_name_places(runs))
    failed = any(has_passed(now, name) for name in report.failed)
    return StrengthFacts(notices=failed or _fails_more(run, now), where=_name_places(runs))


def _fails_more(run: RunReceipt, now: RunReceipt) -> bool:
    """Compare counts where a runner names no tests."""
    report, before = run.result.report, now.result.report
    if report is None or before is None or before.complete:
        return False
    return (report.failed_count or 0) > (before.failed_count or 0)


def _is_seen_whole(runs: TestRuns) -> bool:
    """Return whether the old code alone shows that no test notices: nothing changed that a function would hide, or new
    tests pass there."""
    base = runs.check.find_baseline(runs.matrix, QUICK * 3)
    if base is None or not base.result.passes or _explain_unknown(runs):
        return False
    return not runs.change.list_functions() or bool(runs.list_fresh())


def _explain_unknown(runs: TestRuns) -> str:
    unknown = [path for path in runs.change.code_paths if not is_undoable(path) or runs.change.functions(path) is None]
    if not unknown:
        return ""
    _, dot, ending = unknown[0].rpartition("/")[2].rpartition(".")
    return f"I cannot undo single functions in {f'.{ending} files' if dot else ending}"


def _name_places(runs: TestRuns) -> str:
    functions = runs.change.list_functions()
    if len(functions) == 1:
        return f"{functions[0][1].whole_name}()"
    return runs.change.code_paths[0] if len(runs.change.code_paths) == 1 else "this change"


def _list_near(runs: TestRuns) -> list[str]:
    """Return tests that name a changed function; none if running all is short, or if the runner cannot select tests."""
    now, gate = runs.check.now, runs.check.pair.gate
    if now is not None and now.seconds <= 1.0:
        return []
    names = runs.change.list_naming()[:_MOST_NAMES]
    return names if names and is_narrow(narrow(gate, names), gate) else []
