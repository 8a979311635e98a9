"""Compare what was done with what was asked: files, commits, tests that ran, functions that do nothing. And gather what
is worth a look: one short list, shown with the verdict and never a refusal."""

import builtins
import re
from collections.abc import Callable, Iterator, Sequence

from ...core.course.chain import HUNK
from ...core.goal import goals, request
from ...core.goal.phrases import drop_pasted, list_code_names, read_last_word
from ...core.patterns import compile_late
from ...core.session.session import CHECKOUT
from ...core.verdict import floor, rules
from ...core.verdict.gate_findings import is_doc
from ...core.verdict.gate_run import BROKEN, FAILED, GREEN, PASSED
from ...core.verdict.old_tests import REMOVED, SKIP
from ...core.verdict.verdict import Finding
from ...core.verdict.work import WorkDone, is_loss_requested
from ...core.wording import name_some
from ...store.pins import Pin
from ...system.git import Git
from ..context import ENGINE
from ..testcode import files as testfiles
from ..testcode.cases import ENDINGS
from ..testcode.code import has_other_code, has_other_lines
from ..testcode.files import is_source_path
from ..trees.lost_work import find_lost
from ..trees.tree import describe_ref_moves
from ..undone.undo import ADDED, CHANGED, is_trivial
from .change import ChangedFiles
from .matrix import Comparison
from .test_runs import TestRuns

_NAMES = 8


def judge_work(
    comparison: Comparison, pin: Pin, all_runs: Sequence[TestRuns], *, unshown_fix: bool, has_turned: Callable[[], bool]
) -> list[Finding]:
    """Outside a session there is no goal; functions that do nothing are unfinished there too. `has_turned` returns
    whether a check that failed at the start passes now."""
    session = comparison.context.session
    if session.kind == CHECKOUT:
        return rules.judge(rules.WORK, WorkDone(changed=True, idle=_list_idle(comparison, [])))
    done = _gather(comparison, pin, has_turned)
    lost = _find_lost(comparison, pin)
    # Where no check can run at all, written tests are as much as anyone could do.
    could_run = any(runs.check.now and runs.check.now.result.colour != BROKEN for runs in all_runs)
    written = not could_run and bool(comparison.change.test_paths)
    done.tests_ran = not done.asks_tests or written or any(map(_ran_fresh, all_runs))
    done.is_unshown_fix = unshown_fix
    return [*rules.judge(rules.WORK, done), *lost]


def _find_lost(comparison: Comparison, pin: Pin) -> list[Finding]:
    """Return uncommitted work of the user that a command of the session destroyed."""
    if pin.around is None or comparison.context.part:
        return []
    findings = []
    lost_files = find_lost(comparison.context, pin, comparison.source.tree(comparison.matrix.tree))
    for held, rule in ((True, "lost-work"), (False, "lost-work-unkept")):
        paths = [
            lost_file.path
            for lost_file in lost_files
            if lost_file.held is held
            and not is_loss_requested(comparison.goal, lost_file.path, edits=lost_file.kind == HUNK)
        ]
        if paths:
            which = "--all" if paths[1:] else paths[0]
            named = name_some(paths)
            findings.append(rules.make_finding(rule, where=paths[0], paths=named, which=which))
    return findings


def _gather(comparison: Comparison, pin: Pin, has_turned: Callable[[], bool]) -> WorkDone:
    context, change, goal = comparison.context, comparison.change, comparison.goal
    part = context.part
    done = WorkDone(expects=goals.find_expectation(goal), changed=bool(change.own))
    if not change.own:
        done.outside = context.outside
        if context.by != ENGINE:  # whose own branches and tags are no work of an agent
            done.outside = done.outside or describe_ref_moves(context.root, context.environ, pin)
        done.committed = request.asks_commit(goal) and not _list_differing(comparison)
        return done
    names = list_code_names(goal)
    done.asked_names = names
    done.idle = _list_idle(comparison, names)
    done.nowhere = [] if part else _list_nowhere(comparison, list_code_names(drop_pasted(goal)))
    whole = not part and context.by != ENGINE
    if not goals.speaks_of_docs(goal) and not _changes_code(comparison):
        done.words_only = bool(names) or (whole and _has_new_comments(comparison) and not has_turned())
    if names or (whole and not goals.speaks_of_docs(goal)):
        # What is fixed may be a test, although the goal does not say so: then a check shows it.
        done.tests_only = _changes_only_tests(comparison) and (bool(names) or not has_turned())
    if not whole:
        return done
    done.asks_commit = request.asks_commit(goal)
    done.asks_push = request.asks_push(goal)
    done.asks_tests = request.asks_tests(goal)
    if done.asks_commit or done.asks_push:
        done.uncommitted = _list_uncommitted(comparison)
    if done.asks_push:
        # A remote-tracking ref holds HEAD; without a remote there is nothing to hold it.
        words = ["for-each-ref", "--contains", "HEAD", "--format=%(refname)", "refs/remotes"]
        program_answer = Git(context.root, context.environ).answer(words)
        done.pushed = not program_answer.exit and bool(program_answer.out.strip())
    return done


def _changes_only_tests(comparison: Comparison) -> bool:
    """Return whether nothing but tests and docs changed, though the goal wants something else."""
    change, goal = comparison.change, comparison.goal
    for_product = goals.wants_behavior(goal) and not goals.speaks_of_tests(goal)
    for_product = for_product or (_only_loses_tests(change) and not request.may_cost_tests(goal))
    if not change.test_paths or not (for_product or _orders_beside_tests(comparison)):
        return False
    return all(path in change.test_paths or is_doc(path) for path in change.paths)


def _only_loses_tests(change: ChangedFiles) -> bool:
    return bool(change.items) and all(test.kind in (REMOVED, SKIP) for test in change.items)


def _orders_beside_tests(comparison: Comparison) -> bool:
    """Return whether the goal says how the product must behave, or wants something of it by name, and tests of it."""
    search, base = comparison.source.search, comparison.matrix.base
    order = goals.find_order_before_tests(comparison.goal)
    words = [read_last_word(name) for name in list_code_names(order)]
    return goals.wants_more_than_test(comparison.goal) or any(
        search.defines(base, word) or not search.contains(base, word) for word in words if word
    )


def _changes_code(comparison: Comparison) -> bool:
    """Return whether anything changed beside comments, white space and docs."""
    change = comparison.change
    return any(
        not is_doc(path) and (not is_source_path(path) or has_other_code(path, change.before(path), change.after(path)))
        for path in change.paths
    )


def _has_new_comments(comparison: Comparison) -> bool:
    """Return whether the goal wants a fix, and words changed in a source file, not only its layout. What merely
    should hold may be a comment, such as a license header."""
    change = comparison.change
    return goals.is_fix(comparison.goal) and any(
        not is_doc(path) and _strip_layout(change.before(path)) != _strip_layout(change.after(path))
        for path in change.paths
    )


def _strip_layout(text: str | None) -> str:
    return "".join((text or "").split())


def _list_idle(comparison: Comparison, names: Sequence[str]) -> list[str]:
    """Return new functions that do nothing: those that the goal names, or all of them if every new function is
    empty."""
    change, abstract = comparison.change, goals.asks_for_abstract(comparison.goal)
    new, idle = [], []
    for path, function in change.list_functions():
        if function.kind != ADDED:
            continue
        name = function.whole_name
        new.append(name)
        # An abstract class has methods for others to fill in.
        trivial = is_trivial(path, change.after(path) or "", function.name)
        if trivial and not (abstract and "." in name):
            idle.append(name)
    if idle and len(idle) == len(new):
        return idle
    wanted = {name.rpartition(".")[2].rstrip("()") for name in names}
    return [name for name in idle if name.rpartition(".")[2] in wanted]


def _list_nowhere(comparison: Comparison, names: Sequence[str]) -> list[str]:
    """Names of the goal in code form that neither the baseline nor the files now contain, but for Python's own."""
    source, matrix = comparison.source, comparison.matrix
    absent = []
    for name in names[:_NAMES]:
        word = read_last_word(name)
        there = any(source.search.contains(tree, word) for tree in (matrix.tree, matrix.base))
        if word and not there and not hasattr(builtins, word):
            absent.append(name)
    return absent


def _list_uncommitted(comparison: Comparison) -> list[str]:
    """Return changed paths whose content is not in HEAD."""
    differing = _list_differing(comparison)
    return [path for path in comparison.change.paths if path in differing]


def _list_differing(comparison: Comparison) -> set[str]:
    """Return all paths whose content is not in HEAD."""
    git = Git(comparison.context.root, comparison.context.environ)
    head = git.answer(["rev-parse", "--quiet", "--verify", "HEAD^{tree}"])
    if head.exit:
        return set()
    files = comparison.source.changes(head.out.decode().strip(), comparison.matrix.tree)
    return {file.path for file in files}


def _ran_fresh(runs: TestRuns) -> bool:
    """Return whether a new or changed test ran, by the files or by the names in the runs. That it fails is another
    finding."""
    now, change = runs.check.now, runs.change
    fresh = [item for item in change.items if item.kind not in (REMOVED, SKIP)]
    if any(runs.read(now, test).status in (PASSED, FAILED) for test in fresh):
        return True
    after = now.result.report if now else None
    if after is None or not after.outcomes:
        # A check that names no tests counts as one test, made of all test files.
        passes = now is not None and now.result.colour == GREEN
        return passes and any(change.after(path) is not None for path in change.test_paths)
    if any(path in change.inline for path in change.around) and not after.failed:
        return True
    if any(_is_unread_test(change, path) for path in change.test_paths) and not after.failed:
        return True
    base = runs.check.baseline(runs.matrix)
    before = base.result.report if base else None
    if before is None:
        return False
    return any(outcome == PASSED and name not in before.outcomes for name, outcome in after.outcomes.items())


def _is_unread_test(change: ChangedFiles, path: str) -> bool:
    """Return whether other test code is in a file whose tests cannot be read one by one."""
    new = change.after(path)
    unread = is_source_path(path) and not path.endswith(ENDINGS)
    return unread and new is not None and has_other_lines(change.before(path), new)


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
            yield from rules.judge(rules.LOOK, floor.AddedLine(path, number, text, **kind))


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
        contradiction = floor.find_contradiction(change.after(path) or "")
        if contradiction:
            lines = f"{contradiction[0]} and {contradiction[1]}"
            yield rules.make_finding("contradiction", where=path, lines=lines)


_KINDS = (_find_emptied, _find_suppressions, _find_generated, _find_deleted, _find_only_tested, _find_contradictions)
