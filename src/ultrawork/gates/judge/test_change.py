"""
What in a change belongs to the tests: test files, what they stand on, and tests beside the code; and
whether a feature that a removed test was about went away or only got another name.
"""

import re
from collections.abc import Callable, Collection, Iterable, Sequence

from ...core.verdict import gate_findings, test_awareness
from ...core.verdict.testcases import ADDED, CHANGED, REMOVED
from ...system.git import FileChange
from ..testcode import files as testfiles
from ..testcode.cases import (
    TestChange,
    list_cases,
    list_changed_tests,
    read_case,
    transplant_tests,
)
from ..testcode.examples import ENDINGS, has_lost_shown, list_shown
from ..testcode.expectations import (
    find_renames,
    may_expect,
    read_expectations,
    rename,
)
from ..testcode.inline import may_hold_cases
from ..trees.source import Source
from .support_files import TestSupport

_LINES = 12
_SAME = 0.5


def find_vanished_feature(tests: "ChangedTests", change: TestChange) -> str:
    """A name that a removed test used, defined in base and nowhere now."""
    if change.kind != REMOVED:
        return ""
    defines = tests.source.search.defines
    return find_vanished_name(
        # Only what changed can have gone, and each search reads the whole tree.
        change.names & tests.find_words_before(),
        lambda name: defines(tests.base, name),
        lambda name: defines(tests.tree, name),
    )


def find_vanished_name(
    names: Iterable[str], in_base: Callable[[str], bool], now: Callable[[str], bool]
) -> str:
    """A name that was defined at the start and is defined nowhere now; empty if there is none."""
    return next((name for name in sorted(names) if in_base(name) and not now(name)), "")


def is_renamed_feature(tests: "ChangedTests", change: TestChange, name: str) -> bool:
    """Whether what the name stood for is still there, and no new test took this one's place."""
    return bool(name) and _lives_on(tests, name) and not _has_successor(tests, change)


def has_other_expectations(tests: "ChangedTests", change: TestChange) -> bool:
    """Whether an assertion or an expected value of a test changed; names that were renamed are the same."""
    if not change.parts:
        return True
    before, after = (
        read_expectations(change.path, tests.source.read(tree, change.path) or "", change.parts)
        for tree in (tests.base, tests.tree)
    )
    return rename(before, tests.renames) != after


def _lives_on(tests: "ChangedTests", name: str) -> bool:
    """Whether the lines below a definition are found under another one, or its callers call a new one."""
    return _keeps_lines(tests, name) or _keeps_callers(tests, name)


def _keeps_callers(tests: "ChangedTests", name: str) -> bool:
    """Whether a line that called it stands as it was, but for a name that is new."""
    read = tests.source.read
    call = re.compile(rf"\b{re.escape(name)}\b(?=\s*\()")
    for path in tests.others:
        now = {" ".join(line.split()) for line in (read(tests.tree, path) or "").splitlines()}
        for line in (read(tests.base, path) or "").splitlines():
            if call.search(line) and not re.match(r"\s*(async )?(def|function|fn|func)\b", line):
                other = re.escape(" ".join(line.split())).replace(re.escape(name), r"[\w.]+")
                if any(re.fullmatch(other, one) for one in now):
                    return True
    return False


def _keeps_lines(tests: "ChangedTests", name: str) -> bool:
    read = tests.source.read
    body = [line for path in tests.others for line in _body(read(tests.base, path) or "", name)]
    now = {
        line.strip()
        for path in tests.others
        for line in (read(tests.tree, path) or "").splitlines()
    }
    return bool(body) and sum(line in now for line in body) >= _SAME * len(body)


def _body(text: str, name: str) -> list[str]:
    found = re.search(rf"(?m)^([ \t]*)\S.*?\b{re.escape(name)}\b\s*[(=:<{{].*$", text)
    if found is None:
        return []
    lines: list[str] = []
    for line in text[found.end() :].split("\n")[1 : _LINES + 1]:
        if line.strip() and not line.startswith((found[1] + " ", found[1] + "\t")):
            break
        lines.append(line.strip())
    return [line for line in lines if len(line) > 3]


def _has_successor(tests: "ChangedTests", change: TestChange) -> bool:
    """Whether a new test does much the same."""
    for one in tests.changed:
        if one.kind == ADDED:
            cases = list_cases(one.path, tests.source.read(tests.tree, one.path) or "") or ()
            names = next((case.names for case in cases if case.parts == one.parts), frozenset())
            if len(names & change.names) >= _SAME * len(names | change.names):
                return True
    return False


def _text_of(change: TestChange, text: str) -> str:
    lines = read_case(change.path, text, change.parts)
    return text if lines is None else "\n".join(lines)


class ChangedTests:
    """
    The tests of a change, before and after, for all gates of a verification; `others` are the paths
    that belong to no test, `doubtful` those of them that both tests and code speak of: data that one of them reads.
    `everyones` are also the tests of `foreign` changes, which are not judged but explain which tests there are to run.
    """

    __test__ = False  # not a test class, whatever its name says to a test runner
    __slots__ = (
        "_product_paths",
        "_support",
        "_words_before",
        "base",
        "changed",
        "doubtful",
        "everyones",
        "examples",
        "inline",
        "others",
        "patching",
        "renames",
        "source",
        "support_paths",
        "test_paths",
        "tree",
    )

    def __init__(  # noqa: PLR0917 (two trees, and what lies between them)
        self,
        source: Source,
        base: str,
        tree: str,
        changes: Sequence[FileChange],
        patterns: Sequence[str],
        foreign: Sequence[FileChange] = (),
        commands: str = "",
    ) -> None:
        self.source = source
        self.base = base
        self.tree = tree
        paths = [change.path for change in changes]
        self.test_paths = [path for path in paths if testfiles.is_test_path(path, patterns)]
        self.patching = [path for path in self.test_paths if self._patches(path)]
        rest = [path for path in paths if path not in self.test_paths]
        self._support = TestSupport(source, base, patterns, commands)
        self.support_paths, self.doubtful = self._support.divide(rest)
        self.others = [path for path in paths if path not in self.paths]
        beside = {
            path: self._list_changes_beside(path) for path in self.others if path.endswith(ENDINGS)
        }
        shown = [
            path
            for path in self.others
            if path.endswith(ENDINGS) and self._has_other_examples(path)
        ]
        self.examples = [path for path in shown if has_lost_shown(path, *self._read_both(path))]
        self.inline = [path for path in self.others if beside.get(path) or path in shown]
        found = [one for path in self.test_paths for one in self._changes_in(path)]
        found += [one for inner in beside.values() for one in inner]
        self.renames = self._find_renames(found)
        same = [two for pair in self._list_renamed_pairs(found) for two in pair]
        self.changed = [one for one in found if one not in same and not self._is_only_renamed(one)]
        theirs = [one.path for one in foreign if testfiles.is_test_path(one.path, patterns)]
        self._product_paths = [*rest, *(one.path for one in foreign if one.path not in theirs)]
        self._words_before: frozenset[str] | None = None
        self.everyones = [one for path in theirs for one in self._changes_in(path)]
        self.everyones += found

    def find_words_before(self) -> frozenset[str]:
        """All words that stood in the changed files of no test."""
        if self._words_before is None:
            texts = [self.source.read(self.base, path) or "" for path in self._product_paths]
            self._words_before = frozenset(
                word for text in texts for word in re.findall(r"\w+", text)
            )
        return self._words_before

    def add_support(self, read: Collection[str]) -> None:
        """Counts changed files to what tests stand on, where a run showed that they read them."""
        self.support_paths += [path for path in self.others if path in read]
        self.others = [path for path in self.others if path not in read]

    @property
    def paths(self) -> list[str]:
        return [*self.test_paths, *self.support_paths]

    @property
    def shared_paths(self) -> list[str]:
        """What tests stand on and the product may stand on too: no place or name makes it the tests' own."""
        return list(filter(self._support.is_shared, self.support_paths))

    @property
    def judged(self) -> list[TestChange]:
        """Added tests took nothing away."""
        return [one for one in self.changed if one.kind != ADDED]

    @property
    def snapshots(self) -> list[str]:
        return [path for path in self.support_paths if testfiles.is_snapshot_path(path)]

    @property
    def stands_on(self) -> list[str]:
        """
        What tests stand on: support files, test files that changed outside of their tests, `patching` ones,
        which set something in the code that other tests meet too, and code whose examples are others now.
        """
        around = [
            path for path in self.test_paths if path in self.patching or self._changed_around(path)
        ]
        return [*self.support_paths, *around, *self.examples]

    @property
    def touched(self) -> bool:
        return bool(self.judged or self.stands_on)

    @property
    def source_changed(self) -> bool:
        return any(not gate_findings.is_doc(path) for path in self.others)

    def texts(self, tests: str, code: str) -> dict[str, str]:
        """Files that hold code and tests, with the code of one tree and the tests of another."""
        found = {}
        for path in self.inline:
            theirs, own = self.source.read(tests, path), self.source.read(code, path)
            whole = transplant_tests(theirs or "", own, path) if own is not None else None
            if whole is not None:
                found[path] = whole
        return found

    @property
    def holds_expectations(self) -> bool:
        """Whether what changed around the tests may hold expected values: data, constants, assertions."""
        return bool(self.patching) or any(map(self._expects, self.stands_on))

    def _expects(self, path: str) -> bool:
        if not testfiles.is_source_path(path) or path in self.examples:
            return True
        before, after = (
            {line.strip() for line in (self.source.read(tree, path) or "").splitlines()}
            for tree in (self.base, self.tree)
        )
        return any(map(may_expect, before ^ after))

    def _find_renames(self, changes: Iterable[TestChange]) -> dict[str, str]:
        """Names that went out of the code, each with the new one that stands in its place in the tests."""
        found: dict[str, str] = {}
        for change in changes:
            names = find_renames(*self._texts_of(change)) if change.kind == CHANGED else None
            for old, new in (names or {}).items():
                if old not in found and self._was_renamed(old, new):
                    found[old] = new
        return found

    def _list_renamed_pairs(
        self, changes: Sequence[TestChange]
    ) -> list[tuple[TestChange, TestChange]]:
        """Tests that are gone, each with a new one that is the same but for names that were renamed, its own too."""
        pairs = []
        added = [one for one in changes if one.kind == ADDED]
        for old in (one for one in changes if one.kind == REMOVED and one.parts):
            for new in (one for one in added if one.path == old.path):
                names = find_renames(self._text_of(self.base, old), self._text_of(self.tree, new))
                others = {was: now for was, now in (names or {}).items() if was != old.parts[-1]}
                if names and others and all(self._was_renamed(*pair) for pair in others.items()):
                    self.renames.update(others)
                    pairs.append((old, new))
        return pairs

    def _was_renamed(self, old: str, new: str) -> bool:
        defines = self.source.search.defines
        gone = defines(self.base, old) and not defines(self.tree, old)
        return gone and defines(self.tree, new) and not defines(self.base, new)

    def _is_only_renamed(self, change: TestChange) -> bool:
        names = find_renames(*self._texts_of(change)) if change.kind == CHANGED else None
        return bool(names) and all(
            self.renames.get(old) == new for old, new in (names or {}).items()
        )

    def _texts_of(self, change: TestChange) -> tuple[str, str]:
        """The text of one test before and after."""
        return self._text_of(self.base, change), self._text_of(self.tree, change)

    def _text_of(self, tree: str, change: TestChange) -> str:
        return _text_of(change, self.source.read(tree, change.path) or "")

    def _patches(self, path: str) -> bool:
        text = self.source.read(self.tree, path)
        added = self.source.list_added_lines(self.base, self.tree, path) if text else ()
        return test_awareness.may_patch_imports(text or "", (line for _, line in added))

    def _changed_around(self, path: str) -> bool:
        before, after = self.source.read(self.base, path), self.source.read(self.tree, path)
        if after is None:
            return False
        around = testfiles.list_lines_around_tests(path, after)
        if before is None:
            return test_awareness.may_reach_runner(around, in_tests=True)
        return testfiles.list_lines_around_tests(path, before) != around

    def _read_both(self, path: str) -> tuple[str, str]:
        return self.source.read(self.base, path) or "", self.source.read(self.tree, path) or ""

    def _has_other_examples(self, path: str) -> bool:
        before, after = self._read_both(path)
        return list_shown(path, before) != list_shown(path, after)

    def _list_changes_beside(self, path: str) -> list[TestChange]:
        """Tests in a file of the product; in Python only methods of a case, since functions named test… are not all tests."""
        if path.endswith(".rs"):
            return self._changes_in(path)
        if not any(map(may_hold_cases, self._read_both(path))):
            return []
        return [one for one in self._changes_in(path) if len(one.parts) > 1]

    def _changes_in(self, path: str) -> list[TestChange]:
        before = self.source.read(self.base, path)
        after = self.source.read(self.tree, path)
        attributes = self.source.read(self.base, ".gitattributes") or ""
        # A mark that the session wrote itself hides nothing.
        if testfiles.is_generated(path, before or "", attributes):
            return []
        return list_changed_tests(before, after, path)
