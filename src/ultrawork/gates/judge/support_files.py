"""
Which changed files belong to the tests, though they are none: fixtures and helpers, and data that tests read.

A place or a name makes most of them the tests' own. Of the others base decides, which no agent has written: a module
is a helper where tests import it to judge other code, and no code does; a program that judges is theirs where they name
it, and data where they speak of it, and no code does.
"""

import re
from collections.abc import Iterable, Mapping, Sequence

from ...core.patterns import compile_late
from ...core.verdict import gate_findings
from ..testcode import files as testfiles
from ..testcode.cases import list_cases
from ..testcode.helpers import (
    is_helper,
    is_helper_of,
    is_loaded_before_tests,
    is_settings_path,
    list_imported,
)
from ..testcode.programs import is_judge
from ..trees.source import Source

_FILES = 50
# Names that are searched for in all paths sooner than each path is taken apart.
_FEW = 8
_DATA = (
    ".json", ".jsonl", ".yaml", ".yml", ".toml", ".csv", ".tsv", ".xml", ".sql", ".html", ".ini", ".dat", ".txt",
)  # fmt: skip
_WORD, _NAME = compile_late(r"\w+"), compile_late(r"[\w$-]+")
_MANIFEST = r"^(package|pyproject|tsconfig|composer|ruff|cargo|tox|setup|requirements|cmakelists|\.)|lock|config"
_COMPARES, _SPELLED = compile_late(r"\b(?:diff|cmp)\b([^|;&\n]*)"), compile_late(r"[\w.+-]+")


def may_be_read(path: str) -> bool:
    """Whether a file is data that tests could open without naming it."""
    folder, _, name = path.lower().rpartition("/")
    told = (
        name.endswith(".txt") and bool(folder) and not folder.startswith(("doc", "man", "license"))
    )
    return (
        name.endswith(_DATA)
        and not re.search(_MANIFEST, name)
        and (told or not gate_findings.is_doc(path))
    )


class TestSupport:
    """
    Divides the files of a change; `patterns` are the project's own names for tests, `commands` what its test gates
    run: data that output is compared with there is theirs, unless code speaks of it.
    """

    __test__ = False  # not a test class, whatever its name says to a test runner
    __slots__ = ("_base", "_commands", "_patterns", "_source")

    def __init__(
        self, source: Source, base: str, patterns: Sequence[str], commands: str = ""
    ) -> None:
        self._commands = commands
        self._source = source
        self._base = base
        self._patterns = patterns

    def divide(self, paths: Sequence[str]) -> tuple[list[str], list[str]]:
        """Of files that are no tests: those that tests stand on, and data that both tests and code speak of."""
        own = {path for path in paths if self._is_own(path)}
        rest = [path for path in paths if path not in own]
        data = [path for path in rest if self._is_data(path)]
        named = self._source.search.find_named_in_tests(self._base, list(map(_name, data)))
        named |= self._list_compared() if data else set()
        told = [path for path in data if _name(path) in named]
        doubtful = list(filter(self._is_data_of_code, told))
        own.update(path for path in told if path not in doubtful)
        asked = (self._is_behind_link, self._is_helper, self._is_go_helper, self._is_judge)
        own.update(path for path in rest if any(ask(path) for ask in asked))
        return [path for path in paths if path in own], doubtful

    def _is_behind_link(self, path: str) -> bool:
        """
        Whether tests reach it by a link among them: it holds tests by that name, or data that no code speaks of. Code
        that is lent to tests by a link stays the product's.
        """
        for name in self._list_other_names(path):
            if testfiles.is_test_path(name, self._patterns):
                text = self._source.read(self._base, path)
                return text is None or list_cases(path, text) != []
            if testfiles.is_support_path(name) and not testfiles.is_source_path(path):
                return not self._is_data_of_code(path)
        return False

    def _list_other_names(self, path: str) -> list[str]:
        """Names that links of base give a file, by itself or by a folder above it; also links to links."""
        links = self._source.list_links(self._base).items()
        found = [path]
        for name in found:
            told = (link + name[len(to) :] for link, to in links if f"{name}/".startswith(to + "/"))
            found += [one for one in told if one not in found][: _FILES - len(found)]
        return found[1:]

    def _list_compared(self) -> set[str]:
        """Of two files that are compared with each other nobody can say which one is wanted."""
        compared = [_SPELLED.findall(one) for one in _COMPARES.findall(self._commands)]
        names = set(map(_name, self._source.names(self._base))) if compared else set()
        held = [names.intersection(words) for words in compared]
        return {one for some in held if len(some) == 1 for one in some}

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
        return (
            testfiles.name_stem(path) not in self._source.search.list_imports(self._base, path)[1]
        )

    def _is_helper(self, path: str) -> bool:
        """
        Whether a module is there for tests to judge other code: they import it beside that, and no code does. That
        it has assertions alone says nothing, for much code has; nor that tests alone import it.
        """
        module = testfiles.name_stem(path)
        if not module or self._source.read(self._base, path) is None:
            return False
        search = self._source.search
        naming = search.find_tests_naming(self._base, [module], self._patterns, path)[:_FILES]
        texts = {one: self._source.read(self._base, one) or "" for one in naming}
        judges = self._judges_others(path, module, texts)
        if not judges and (
            self._is_imported(module, texts) or not self._is_loaded_before_tests(module)
        ):
            return False
        # Only of what its tests make a suspect all code is asked: there may be 100,000 files of it.
        by_tests, by_code = search.list_imports(self._base, path)
        if module in by_code:
            return False
        return judges if module in by_tests else self._is_loaded_before_tests(module)

    def _is_go_helper(self, path: str) -> bool:
        """
        Whether a package of Go is there for tests alone: it has none of its own, no code imports it, and those that
        do stand beside code that is another.
        """
        folder = path.rpartition("/")[0]
        if not path.endswith(".go") or not folder or self._source.read(self._base, path) is None:
            return False
        package = folder.rpartition("/")[2]
        importers = self._source.search.list_importers(self._base, package, ".go")
        if not importers or not all(one.endswith("_test.go") for one in importers):
            return False
        names = [one for one in self._source.names(self._base) if one.endswith(".go")]
        tested = {one.rpartition("/")[0] for one in names if one.endswith("_test.go")}
        code = {one.rpartition("/")[0] for one in names if not one.endswith("_test.go")}
        return folder not in tested and all(one.rpartition("/")[0] in code for one in importers)

    def _is_judge(self, path: str) -> bool:
        """Whether it is a program that tests start to judge other code: they name it, and no code does."""
        text = self._source.read(self._base, path) if testfiles.is_source_path(path) else None
        if text is None or not is_judge(path, text):
            return False
        folder, _, name = path.rpartition("/")
        bare = path.rpartition(".")[0]
        names = [name, *([bare, bare.replace("/", ".")] if folder else [])]
        search = self._source.search
        if not search.find_named_in_tests(self._base, names):
            return False
        module = testfiles.name_stem(path)
        return module not in search.list_imports(self._base, path)[1] and not any(
            search.is_named_in_code(self._base, one, beside=path) for one in names
        )

    def _is_imported(self, module: str, tests: Mapping[str, str]) -> bool:
        """Whether these tests import it for certain; what only the project's own patterns call tests says nothing."""
        return any(
            testfiles.is_test_path(path) and module in list_imported(text)
            for path, text in tests.items()
        )

    def _judges_others(self, path: str, module: str, tests: Mapping[str, str]) -> bool:
        imported = {one: list_imported(text) for one, text in tests.items()}
        if not self._may_be_modules(
            {word for some in imported.values() for word in some} - {module}
        ):
            return False
        others = self._list_modules(tests.values()) - {module}
        beside = {one: text for one, text in tests.items() if imported[one] & others}
        text = self._source.read(self._base, path) or ""
        if beside and is_helper(path, text):
            return True
        told = {is_helper_of(one, test, module, text, others) for one, test in beside.items()}
        return True in told and False not in told

    def _is_loaded_before_tests(self, module: str) -> bool:
        paths = list(filter(is_settings_path, self._source.names(self._base)))[:_FILES]
        texts = (self._source.read(self._base, path) or "" for path in paths)
        return any(is_loaded_before_tests(text, module) for text in texts)

    def _may_be_modules(self, words: set[str]) -> bool:
        """Whether base may have a module of one of these names; of a few it is seen without a look at each path."""
        if len(words) > _FEW:
            return True
        return self._source.has_file_named(self._base, words)

    def _list_modules(self, texts: Iterable[str]) -> set[str]:
        """The modules of base that belong to no test and stand in one of these texts: there may be 100,000 others."""
        words = {word for text in texts for word in (*_WORD.findall(text), *_NAME.findall(text))}
        names = self._source.names(self._base)
        told = [path for path in names if path.rpartition("/")[2].partition(".")[0] in words]
        return {
            stem
            for path in told
            if (stem := testfiles.name_stem(path))
            and not testfiles.is_test_path(path, self._patterns)
        }

    def _is_data(self, path: str) -> bool:
        if testfiles.is_source_path(path):
            return False
        return not gate_findings.is_doc(path) or path.endswith(".txt")

    def _is_data_of_code(self, path: str) -> bool:
        return not testfiles.is_source_path(path) and self._source.search.is_named_in_code(
            self._base, _name(path)
        )


def _name(path: str) -> str:
    return path.rpartition("/")[2]
