"""
Which changed files belong to the tests, though they are none: fixtures and helpers, and data that tests read.

A place or a name makes most of them the tests' own. Of the others base decides, which no agent has written: a module
is a helper where tests let it judge and no code imports it; data is theirs where they speak of it and no code does.
"""

import re
from collections.abc import Sequence

from ...core.verdict import gate_findings
from ..testcode import files as testfiles
from ..testcode.expectations import is_checked_by, list_asserting, list_imported
from ..trees.source import Source

_FILES = 50
_DATA = (
    ".json", ".jsonl", ".yaml", ".yml", ".toml", ".csv", ".tsv", ".xml", ".sql", ".html", ".ini", ".dat", ".txt",
)  # fmt: skip
_MANIFEST = r"^(package|pyproject|tsconfig|composer|ruff|cargo|tox|setup|\.)|lock|config"


def may_be_read(path: str) -> bool:
    """Whether a file is data that tests could open without naming it."""
    name = path.rpartition("/")[2].lower()
    return (
        name.endswith(_DATA) and not re.search(_MANIFEST, name) and not gate_findings.is_doc(path)
    )


class TestSupport:
    """Divides the changed files between two trees; `patterns` are the project's own names for tests."""

    __test__ = False  # not a test class, whatever its name says to a test runner
    __slots__ = ("_base", "_patterns", "_source", "_tree")

    def __init__(self, source: Source, base: str, tree: str, patterns: Sequence[str]) -> None:
        self._source = source
        self._base = base
        self._tree = tree
        self._patterns = patterns

    def divide(self, paths: Sequence[str]) -> tuple[list[str], list[str]]:
        """Of files that are no tests: those that tests stand on, and data that both tests and code speak of."""
        own = {path for path in paths if self._is_own(path)}
        words = {path: word for path in paths if path not in own and (word := self._name(path))}
        named = self._source.find_named_in_tests(self._base, list(words.values()))
        told = [path for path, word in words.items() if word in named]
        doubtful = [path for path in told if self._is_data_of_code(path)]
        own |= {path for path in told if path not in doubtful and self._is_theirs(path)}
        return [path for path in paths if path in own], doubtful

    def is_shared(self, path: str) -> bool:
        """Whether the product may stand on it as well."""
        if testfiles.is_support_path(path):
            return False
        return testfiles.is_source_path(path) or self._is_data_of_code(path)

    def _is_own(self, path: str) -> bool:
        """By its place or name; code in a folder of fixtures or factories is the product's where that imports it."""
        if not testfiles.is_support_path(path):
            return False
        if testfiles.is_of_tests_alone(path) or not testfiles.is_source_path(path):
            return True
        return not self._source.is_imported(self._base, testfiles.name_stem(path))

    def _is_theirs(self, path: str) -> bool:
        return not testfiles.is_source_path(path) or self._is_helper(path)

    def _is_helper(self, path: str) -> bool:
        """
        Whether tests let a module judge other code of the project, and no code imports it. That it has assertions
        alone says nothing: much code has.
        """
        module, functions = testfiles.name_stem(path), self._list_asserting(path)
        tests = self._source.find_tests_naming(self._base, [module], self._patterns)[:_FILES]
        texts = [self._source.read(self._base, one) or "" for one in tests]
        judged = [text for text in texts if is_checked_by(text, functions)]
        imported = {word for text in judged for word in list_imported(text)}
        others = {testfiles.name_stem(one) for one in self._source.names(self._base)} - {module}
        return bool(imported & others) and not self._source.is_imported(self._base, module)

    def _list_asserting(self, path: str) -> set[str]:
        texts = [self._source.read(tree, path) or "" for tree in (self._base, self._tree)]
        return {name for text in texts for name in list_asserting(text)}

    def _is_data_of_code(self, path: str) -> bool:
        name = path.rpartition("/")[2]
        return not testfiles.is_source_path(path) and self._source.is_named_in_code(
            self._base, name
        )

    def _name(self, path: str) -> str:
        """
        How tests speak of a file that they read: data by its name, a module with assertions of its own by that
        of the module. Empty for what they do not stand on.
        """
        name = path.rpartition("/")[2]
        if gate_findings.is_doc(path) and not name.endswith(".txt"):
            return ""
        if not testfiles.is_source_path(path):
            return name
        return testfiles.name_stem(path) if self._list_asserting(path) else ""
