"""
What in a change belongs to the tests: test files, what they stand on, and tests beside the code; and
whether a feature that a removed test was about went away or only got another name.
"""

import re
from collections.abc import Callable, Iterable, Sequence

from ...core.verdict import gate_findings, test_awareness
from ...core.verdict.testcases import ADDED, REMOVED
from ...system.git import FileChange
from ..testcode import files as testfiles
from ..testcode.cases import TestChange, list_cases, list_changed_tests, transplant_tests
from ..trees.source import Source

_LINES = 12
_SAME = 0.5


def find_vanished_feature(tests: "ChangedTests", change: TestChange) -> str:
    """A name that a removed test used, defined in base and nowhere now."""
    if change.kind != REMOVED:
        return ""
    defines = tests.source.defines
    return find_vanished_name(
        change.names, lambda name: defines(tests.base, name), lambda name: defines(tests.tree, name)
    )


def find_vanished_name(
    names: Iterable[str], in_base: Callable[[str], bool], now: Callable[[str], bool]
) -> str:
    """A name that was defined at the start and is defined nowhere now; empty if there is none."""
    return next((name for name in sorted(names) if in_base(name) and not now(name)), "")


def is_renamed_feature(tests: "ChangedTests", change: TestChange, name: str) -> bool:
    """Whether what the name stood for is still there, and no new test took this one's place."""
    return bool(name) and _lives_on(tests, name) and not _has_successor(tests, change)


def _lives_on(tests: "ChangedTests", name: str) -> bool:
    """Whether the lines below a definition are found under another one."""
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


class ChangedTests:
    """
    The tests of a change, before and after, for all gates of a verification; `others` are the paths
    that belong to no test. `everyones` are also the tests of `foreign` changes, which are not judged
    but explain which tests there are to run.
    """

    __test__ = False  # not a test class, whatever its name says to a test runner
    __slots__ = (
        "base",
        "changed",
        "everyones",
        "inline",
        "others",
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
    ) -> None:
        self.source = source
        self.base = base
        self.tree = tree
        paths = [change.path for change in changes]
        self.test_paths = [path for path in paths if testfiles.is_test_path(path, patterns)]
        self.support_paths = [
            path
            for path in paths
            if testfiles.is_support_path(path) and path not in self.test_paths
        ]
        self.others = [path for path in paths if path not in self.paths]
        beside = {path: self._changes_in(path) for path in self.others if path.endswith(".rs")}
        self.inline = [path for path, found in beside.items() if found]
        self.changed = [one for path in self.test_paths for one in self._changes_in(path)]
        self.changed += [one for found in beside.values() for one in found]
        theirs = [one.path for one in foreign if testfiles.is_test_path(one.path, patterns)]
        self.everyones = [one for path in theirs for one in self._changes_in(path)]
        self.everyones += self.changed

    @property
    def paths(self) -> list[str]:
        return [*self.test_paths, *self.support_paths]

    @property
    def judged(self) -> list[TestChange]:
        """Added tests took nothing away."""
        return [one for one in self.changed if one.kind != ADDED]

    @property
    def snapshots(self) -> list[str]:
        return [path for path in self.support_paths if testfiles.is_snapshot_path(path)]

    @property
    def stands_on(self) -> list[str]:
        """What tests stand on: support files, and test files that changed outside of their tests."""
        return [*self.support_paths, *filter(self._changed_around, self.test_paths)]

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

    def _changed_around(self, path: str) -> bool:
        before, after = self.source.read(self.base, path), self.source.read(self.tree, path)
        if after is None:
            return False
        around = testfiles.list_lines_around_tests(path, after)
        if before is None:
            return test_awareness.may_reach_runner(around)
        return testfiles.list_lines_around_tests(path, before) != around

    def _changes_in(self, path: str) -> list[TestChange]:
        before = self.source.read(self.base, path)
        after = self.source.read(self.tree, path)
        attributes = self.source.read(self.base, ".gitattributes") or ""
        # A mark that the session wrote itself hides nothing.
        if testfiles.is_generated(path, before or "", attributes):
            return []
        return list_changed_tests(before, after, path)
