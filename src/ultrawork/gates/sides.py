"""What in a change belongs to the tests: test files, what they stand on, and tests beside the code."""

from ..core import blindness, judging
from ..core.testcases import ADDED
from . import tests as testfiles

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..system.git import Change
    from .source import Source
    from .tests import TestChange


class TestSide:
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
        source: "Source",
        base: str,
        tree: str,
        changes: "Sequence[Change]",
        patterns: "Sequence[str]",
        foreign: "Sequence[Change]" = (),
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
    def judged(self) -> "list[TestChange]":
        """Added tests took nothing away."""
        return [one for one in self.changed if one.kind != ADDED]

    @property
    def snapshots(self) -> list[str]:
        return [path for path in self.support_paths if testfiles.is_snapshot(path)]

    @property
    def stands_on(self) -> list[str]:
        """What tests stand on: support files, and test files that changed outside of their tests."""
        return [*self.support_paths, *filter(self._changed_around, self.test_paths)]

    @property
    def touched(self) -> bool:
        return bool(self.judged or self.stands_on)

    @property
    def source_changed(self) -> bool:
        return any(not judging.is_doc(path) for path in self.others)

    def texts(self, tests: str, code: str) -> dict[str, str]:
        """Files that hold code and tests, with the code of one tree and the tests of another."""
        found = {}
        for path in self.inline:
            theirs, own = self.source.read(tests, path), self.source.read(code, path)
            whole = testfiles.transplanted(theirs or "", own, path) if own is not None else None
            if whole is not None:
                found[path] = whole
        return found

    def _changed_around(self, path: str) -> bool:
        before, after = self.source.read(self.base, path), self.source.read(self.tree, path)
        if after is None:
            return False
        around = testfiles.around_tests(path, after)
        if before is None:
            return blindness.reaches_into_runner(around)
        return testfiles.around_tests(path, before) != around

    def _changes_in(self, path: str) -> "list[TestChange]":
        before = self.source.read(self.base, path)
        after = self.source.read(self.tree, path)
        attributes = self.source.read(self.base, ".gitattributes") or ""
        if testfiles.generated(path, after or before or "", attributes):
            return []
        return testfiles.changed_tests(before, after, path)
