"""Tests that the main branch has and this tree lacks or weakens, each with the commit that added it.

A squash from a stale tree reverts other people's work together with its tests, and every check passes. It shows in one
place: files are again as they were before a commit of the main branch."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from ..core.verdict.old_tests import CHANGED, REMOVED, SKIP
from ..core.wording import count_things
from ..gates.testcode.cases import TestChange, list_cases, list_changed_tests
from ..gates.testcode.files import is_test_path
from ..gates.trees import tree as trees
from ..gates.trees.tree import Tree
from ..system.git import Git

GONE = "gone"
SKIPPED = "skipped"
WEAKER = "fewer assertions"
HISTORY = 1_000
# More are counted, not looked up.
MOST = 200
# Usual assertions: assert, assertEqual, assert_eq, expect, t.Errorf, should, raises.
_ASSERTION = re.compile(r"(?i)\b(?:assert\w*|expect|should|raises|[tb] \. (?:Error|Fatal|Fail)\w*|require \. \w+)\b")
_SHOWN = 5
_NONE = frozenset("0")


@dataclass(frozen=True, slots=True)
class LostTest:
    """`undone`: every file of the commit that added it is here as it was before that commit."""

    name: str
    path: str
    how: str
    commit: str = ""
    subject: str = ""
    undone: bool = False


@dataclass(frozen=True, slots=True)
class LostTests:
    baseline: str
    tests: tuple[LostTest, ...]
    # Set if the history that would tell is not in this clone.
    shallow: bool = False

    @property
    def undone(self) -> list[tuple[str, str]]:
        """Commits that this tree takes back whole, with their subjects."""
        return list(dict.fromkeys((test.commit, test.subject) for test in self.tests if test.undone))

    def document(self) -> dict[str, Any]:
        undone = [{"commit": commit, "subject": subject} for commit, subject in self.undone]
        tests = [asdict(test) for test in self.tests]
        return {"baseline": self.baseline, "tests": tests, "undone": undone}


@dataclass(frozen=True, slots=True)
class _Step:
    """One commit of the main branch: each path with its content before and after, as object ids."""

    commit: str
    subject: str
    paths: Mapping[str, tuple[str, str]]


def find_lost_tests(git: Git, baseline: str, name: str, tree: Tree, head: str = "HEAD") -> LostTests:
    """
    Compare `here` with the baseline commit. What the baseline got since this branch left it is not lost: a merge
    brings it.
    """
    shallow = git.line("rev-parse", "--is-shallow-repository") == "true"
    fork = git.merge_base(baseline, head)
    if fork is None and shallow:
        return LostTests(name, (), shallow=True)
    fork = fork or baseline
    before = Tree(git.tree_id(fork) or "", tree.place)
    differing = trees.diff_entries(before, tree)
    changed = list_lost_changes(before, tree, differing)
    if fork != baseline:
        main = Tree(git.tree_id(baseline) or "", tree.place)
        changed = [loss for loss in changed if _is_in(main, loss)]
    if not changed:
        return LostTests(name, ())
    steps = _read_steps(git, fork)
    reverted = _list_reverted(git, fork, head)
    contents = _BlobReader(git)
    ids = {path: (old[1] if old else "", new[1] if new else "") for path, (old, new) in differing.items()}
    lost_tests = [_trace(loss, steps, contents, ids, reverted) for loss in changed[:MOST]]
    return LostTests(name, tuple(lost_tests), shallow)


@dataclass(slots=True, frozen=True)
class _Loss:
    """A test that is gone, skipped or weaker, and how many assertions it had."""

    change: TestChange
    assertions: int

    @property
    def path(self) -> str:
        return self.change.path


def list_lost_changes(before: Tree, tree: Tree, differing: Mapping[str, tuple[Any, Any]]) -> list[_Loss]:
    """Return tests that are gone, skipped or weaker; one that moved to another file counts as present."""
    paths = [path for path in differing if is_test_path(path) or path.endswith(".rs")]
    old, new = trees.read_all(before, paths), trees.read_all(tree, paths)
    losses: list[_Loss] = []
    present: set[tuple[str, ...]] = set()
    for path in paths:
        was, now = _decode(old[path]), _decode(new[path])
        present.update(case.parts[-1:] for case in list_cases(path, now or "") or ())
        had, has = _count_assertions(path, was), _count_assertions(path, now)
        for change in list_changed_tests(was, now, path):
            count = had.get(change.parts, 0)
            if _is_loss(change, weaker=has.get(change.parts, 0) < count):
                losses.append(_Loss(change, count))
    return [loss for loss in losses if loss.change.kind != REMOVED or loss.change.parts[-1:] not in present]


def _count_assertions(path: str, text: str | None) -> dict[tuple[str, ...], int]:
    return {case.parts: len(_ASSERTION.findall(case.body)) for case in list_cases(path, text or "") or ()}


def _is_loss(change: TestChange, *, weaker: bool) -> bool:
    if change.kind == CHANGED:
        return weaker
    return change.kind == REMOVED or (change.kind == SKIP and not change.conditional)


def _is_in(main: Tree, loss: _Loss) -> bool:
    text = _decode(trees.read(main, loss.path))
    return text is not None and _has_test(loss, text)


def _has_test(loss: _Loss, text: str) -> bool:
    """Return whether a version of the file has the test, and as strong as it was."""
    counts = _count_assertions(loss.path, text)
    return any(
        case.parts == loss.change.parts
        and counts[case.parts] >= loss.assertions
        and not (case.skipped and not case.conditional)
        for case in list_cases(loss.path, text) or ()
    )


def _decode(data: bytes | None) -> str | None:
    return None if data is None else data.decode("utf-8", "replace")


class _BlobReader:
    """Contents by object id, each read once."""

    def __init__(self, git: Git) -> None:
        self._git = git
        self._known: dict[str, str] = {}

    def read(self, name: str) -> str | None:
        if not name or _NONE.issuperset(name):
            return None
        if name not in self._known:
            answer = self._git.answer(["cat-file", "blob", name])
            self._known[name] = answer.out.decode("utf-8", "replace") if not answer.exit else ""
        return self._known[name]


def _read_steps(git: Git, commit: str) -> list[_Step]:
    """Return the steps, newest first; a merge counts as one, with everything it added."""
    printed = git.ask(
        ["-c", "core.quotePath=false", "log", f"-{HISTORY}", "--first-parent", "-m", "--raw", "--no-renames",
         "--no-abbrev", "--no-ext-diff", "--format=%x01%H %s", commit]
    )  # fmt: skip
    steps = []
    for record in printed.decode("utf-8", "surrogateescape").split("\x01")[1:]:
        head, *lines = record.split("\n")
        name, _, subject = head.partition(" ")
        steps.append(_Step(name, subject, dict(_read_raw(lines))))
    return steps


def _read_raw(lines: Iterable[str]) -> Iterable[tuple[str, tuple[str, str]]]:
    for line in lines:
        words, _, path = line.partition("\t")
        parts = words.split(" ")
        if line.startswith(":") and len(parts) == 5:
            yield path, (_clear_id(parts[2]), _clear_id(parts[3]))


def _clear_id(name: str) -> str:
    return "" if _NONE.issuperset(name) else name


def _list_reverted(git: Git, fork: str, head: str) -> str:
    """Return what this branch's messages say that they revert."""
    answer = git.answer(["log", f"-{HISTORY}", "--format=%B", f"{fork}..{head}"])
    return answer.out.decode("utf-8", "replace")


def _trace(
    loss: _Loss, steps: Sequence[_Step], contents: _BlobReader, ids: Mapping[str, tuple[str, str]], reverted: str
) -> LostTest:
    change = loss.change
    how = {REMOVED: GONE, SKIP: SKIPPED}.get(change.kind, WEAKER)
    at = next((i for i, candidate in enumerate(steps) if _is_origin(loss, candidate, contents)), None)
    if at is None:
        return LostTest(change.name, change.path, how)
    step = steps[at]
    undone = _is_undone(step, steps[at + 1 :], ids) and step.commit[:12] not in reverted
    return LostTest(change.name, change.path, how, step.commit, step.subject[:100], undone)


def _is_origin(loss: _Loss, step: _Step, contents: _BlobReader) -> bool:
    if loss.path not in step.paths:
        return False
    before, after = (contents.read(blob) for blob in step.paths[loss.path])
    return after is not None and _has_test(loss, after) and not (before is not None and _has_test(loss, before))


def _is_undone(step: _Step, older: Sequence[_Step], ids: Mapping[str, tuple[str, str]]) -> bool:
    """Return whether each file of a commit is here as some moment before it had it."""
    return all(path in ids and ids[path][1] in _list_earlier(path, was, older) for path, (was, _) in step.paths.items())


def _list_earlier(path: str, was: str, older: Sequence[_Step]) -> set[str]:
    return {was, *(blob for step in older if path in step.paths for blob in step.paths[path])}


# --- words -----------------------------------------------------------------------------------------


def describe_lost(lost: LostTests) -> list[str]:
    """Return a line for each fully reverted commit, then the tests, by the commit that added them."""
    if not lost.tests:
        return []
    lines = [
        f"this tree reverts {commit[:9]} ({subject}), which is in {lost.baseline}" for commit, subject in lost.undone
    ]
    lines.append(f"{count_things(len(lost.tests), 'test')} of {lost.baseline} removed or weakened here:")
    for test in lost.tests[:_SHOWN]:
        unknown = "commit not in this shallow clone" if lost.shallow else "commit not found"
        source = f"{test.commit[:9]} {test.subject}" if test.commit else unknown
        lines.append(f"  {test.name}: {test.how} ({source})")
    left = len(lost.tests) - _SHOWN
    return [*lines, *([f"  and {left} more: --json lists them"] if left > 0 else [])]


def advise_undone(lost: LostTests) -> str:
    """Return what to do about a fully reverted commit."""
    commit = lost.undone[0][0][:12]
    return f'rebase onto {lost.baseline}, or confirm it in a commit message: "This reverts commit {commit}"'
