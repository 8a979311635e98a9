"""Find new tests that test nothing: those that pass although the functions that they name do nothing.

Where only tests were added, no run on old code can tell. So the functions return zero once; a function that any of the
new tests notices is tested."""

from collections.abc import Iterable, Sequence

from ...core.goal.goal_names import list_code_names, read_last_word
from ...core.verdict import rules
from ...core.verdict.finding import Finding
from ...core.verdict.gate import has_service
from ...core.verdict.gate_run import PASSED, quote_name
from ...core.verdict.old_tests import ADDED
from ..run.receipt import RunReceipt
from ..testcode.cases import TestChange
from ..undone.undo import ZERO, list_functions, undo
from .change import ChangedFiles
from .comparison import Comparison
from .delivered import is_running_own_files
from .test_runs import TestRuns, has_passed

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
