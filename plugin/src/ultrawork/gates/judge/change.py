"""What a session changed, sorted by convention: tests, the product, and test items inside product files.

Both versions of everything are available, so that the tests of one can run on the code of the other. Nothing here runs
anything."""

import os
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cached_property

from ...core.patterns import compile_late
from ...core.verdict import floor
from ...core.verdict.gate import TEST, Gate
from ...core.verdict.gate_findings import has_only_docs, is_doc
from ...core.verdict.old_tests import ADDED, CHANGED, REMOVED, name_module
from ...system.git import FileChange
from ..testcode import cases
from ..testcode import files as testfiles
from ..testcode.cases import TestChange
from ..testcode.code import has_other_code, is_idle_line
from ..testcode.files import TestConvention
from ..testcode.graft import find_renames, rename_words
from ..testcode.inline import ENDINGS, has_lost_shown, list_shown
from ..trees.source import Source
from ..undone.undo import ADDED as NEW_FUNCTION
from ..undone.undo import ChangedFunction, list_changed

# Where runners configure which folders hold tests.
_TESTPATHS = compile_late(r"(?m)^[ \t]*testpaths[ \t]*=[ \t]*(\[[^\]]*\]|[^\n]*(?:\n[ \t]+\S[^\n]*)*)")
_SETTINGS = ("pyproject.toml", "pytest.ini", "setup.cfg", "tox.ini")
# How many names are searched, and in how many test files.
_WORDS, _FILES = 20, 20
# How a line of a comment begins, by language; elsewhere every line counts.
_COMMENTS = {"python": ("#",)} | dict.fromkeys(("javascript", "go", "rust"), ("//", "*", "/*"))
# How a line ends that opens a function, a block or a list.
_OPENS = ("{", ":", "(", ",")
_FOLDER = compile_late(r"[\w./-]+")
_COMPARES, _SPELLED = compile_late(r"\b(?:diff|cmp)\b([^|;&\n]*)"), compile_late(r"[\w.+/-]+")
# What compilers write.
_COMPILED = compile_late(r"\.(a|class|dll|dylib|exe|lib|o|obj|pyc|rlib|so)$")


def read_convention(
    source: Source, base: str, settings: object, gates: Iterable[Gate], paths: Iterable[str]
) -> TestConvention:
    """Return what this project adds to the usual test names, read from its baseline, for these changed paths."""
    texts = [source.read(base, name) or "" for name in _SETTINGS if source.read(base, name)]
    folders = [folder for text in texts for line in _TESTPATHS.findall(text) for folder in _FOLDER.findall(line)]
    roots = {f"{folder}/__init__.py": folder for path in paths for folder in _list_folders(path)}
    packages = [roots[path] for path in source.find_present(base, list(roots))]
    commands = "\n".join(gate.definition for gate in gates if gate.kind == TEST)
    return TestConvention(
        paths=settings["tests.paths"],  # type: ignore[index]
        product=settings["tests.product"],  # type: ignore[index]
        folders=[folder for folder in folders if folder not in (".", "src", "lib")],
        packages=packages,
        expected=_list_expected(commands),
    )


def _list_folders(path: str) -> Iterator[str]:
    """Return the folders of a file that could be a delivered package, as in `libs/pay/src/pay/`."""
    names = path.split("/")[:-1]
    for depth in range(1, len(names) + 1):
        folder = "/".join(names[:depth])
        if depth == 1 or not testfiles.is_test_path(f"{folder}/__init__.py"):
            yield folder


def _list_expected(commands: str) -> frozenset[str]:
    """Return files that a command compares output with; of two files it is unknown which one is expected."""
    held = [_SPELLED.findall(command) for command in _COMPARES.findall(commands)]
    files = [[word for word in words if "." in word and not word.startswith("-")] for words in held]
    return frozenset(file[0].removeprefix("./") for file in files if len(file) == 1)


class ChangedFiles:
    """One change between two trees. `own`: files of this session. `others`: files changed by others, which are not
    judged but explain which tests exist. `items`: tests whose source was added, changed or removed."""

    def __init__(  # noqa: PLR0917 (two trees, and what lies between them)
        self,
        source: Source,
        base: str,
        tree: str,
        own: Sequence[FileChange],
        others: Sequence[FileChange],
        convention: TestConvention,
    ) -> None:
        self.source = source
        self.base = base
        self.tree = tree
        self.own = own
        self.others = others
        self.convention = convention
        self.paths = [file.path for file in own]
        self.test_paths = [path for path in self.paths if self.is_test(path)]
        tests = set(self.test_paths)
        self.product_paths = [path for path in self.paths if path not in tests]
        self._functions: dict[str, list[ChangedFunction] | None] = {}

    def is_test(self, path: str) -> bool:
        return testfiles.is_test_path(path, self.convention)

    def before(self, path: str) -> str | None:
        return self.source.read(self.base, path)

    def after(self, path: str) -> str | None:
        return self.source.read(self.tree, path)

    @cached_property
    def texts(self) -> dict[str, str]:
        """Changed files that are there, with their text. Links are left out: their content is a path."""
        root = self.source.context.root
        files = [file for file in self.own if file.status != "D" and not (file.binary or file.submodule)]
        paths = [file.path for file in files]
        texts = {path: self.after(path) for path in paths if not os.path.islink(f"{root}/{path}")}
        return {path: text for path, text in texts.items() if text is not None}

    @cached_property
    def new_suppressions(self) -> list[floor.Suppression]:
        """Marks that disable a complaint and were not there before; generated files may hold any."""
        own = {path: text for path, text in self.texts.items() if not testfiles.is_generated(path)}
        return floor.find_new_suppressions({path: self.before(path) or "" for path in own}, own)

    @cached_property
    def _all_items(self) -> list[TestChange]:
        tests = [item for path in self.test_paths for item in self._list_items(path)]
        return tests + [item for items in self._beside.values() for item in items]

    @cached_property
    def _beside(self) -> dict[str, list[TestChange]]:
        """Test items inside product files: `#[cfg(test)]`, `unittest` cases; a method named test… alone is too common."""
        paths = [path for path in self.product_paths if path.endswith(ENDINGS)]
        changes = {path: self._list_items_beside(path) for path in paths}
        return {path: items for path, items in changes.items() if items}

    def _list_items(self, path: str) -> list[TestChange]:
        before, after = self.before(path), self.after(path)
        attributes = self.source.read(self.base, ".gitattributes") or ""
        if testfiles.is_generated(path, before or "", attributes):
            return []
        return cases.list_changed_tests(before, after, path)

    def _list_items_beside(self, path: str) -> list[TestChange]:
        if path.endswith(".rs"):
            return self._list_items(path)
        if not any("TestCase" in text for text in self._read_both(path)):
            return []
        return [item for item in self._list_items(path) if len(item.parts) > 1]

    @cached_property
    def items(self) -> list[TestChange]:
        """Changed tests, except those that differ only by names that the product renamed."""
        renamed = {id(test) for pair in self._renamed_pairs for test in pair}
        return [item for item in self._all_items if id(item) not in renamed and not self._is_only_renamed(item)]

    @property
    def judged(self) -> list[TestChange]:
        """Added tests took nothing away."""
        return [item for item in self.items if item.kind != ADDED]

    @cached_property
    def everyones(self) -> list[TestChange]:
        theirs = [file.path for file in self.others if self.is_test(file.path)]
        return [*self._all_items, *(item for path in theirs for item in self._list_items(path))]

    @cached_property
    def around(self) -> list[str]:
        """Test files that changed outside their tests, or hold none: fixtures, data, runner settings. Every test that
        depends on them counts as touched."""
        paths = [path for path in self.test_paths if self._changed_around(path)]
        lost = [path for path in self.inline if has_lost_shown(path, *self._read_both(path))]
        return [*paths, *dict.fromkeys([*self._modules, *lost])]

    @cached_property
    def _modules(self) -> list[str]:
        """Rust product files whose test module changed outside its tests: a macro, a helper."""
        return [
            path
            for path in self.product_paths
            if path.endswith(".rs")
            and (before := cases.list_module_lines(self.before(path) or ""))
            and before != cases.list_module_lines(self.after(path) or "")
        ]

    def _changed_around(self, path: str) -> bool:
        before, after = self.before(path), self.after(path)
        if not testfiles.is_test_file(path) or testfiles.is_loaded_with_runner(path):
            return True
        if before is None:
            return False
        if after is None:
            return not cases.list_cases(path, before)
        lines = [cases.list_lines_around(path, text) for text in (before, after)]
        differing = set(lines[0]) ^ set(lines[1])
        marks = _COMMENTS.get(cases.find_language(path))
        if marks is None:  # a comment or a directive may take a test away
            return bool(differing)
        return not all(is_idle_line(line, marks) for line in differing)

    @property
    def touches_tests(self) -> bool:
        """Return whether tests of the baseline may give another result because of what changed in the tests."""
        return bool(self.judged or self.around)

    @cached_property
    def inline(self) -> list[str]:
        """Product files whose test items or examples differ."""
        return [
            path
            for path in self.product_paths
            if path.endswith(ENDINGS)
            and (path in self._beside or path in self._modules or self._has_other_examples(path))
        ]

    def _read_both(self, path: str) -> tuple[str, str]:
        return self.before(path) or "", self.after(path) or ""

    def _has_other_examples(self, path: str) -> bool:
        before, after = self._read_both(path)
        return list_shown(path, before) != list_shown(path, after)

    @cached_property
    def new_examples(self) -> list[tuple[str, list[str]]]:
        """What has a new or changed example in its documentation: its file, and its name in parts."""
        places = []
        for path in self.inline:
            before, after = (list_shown(path, text) for text in self._read_both(path))
            for item, examples in after.items():
                if any(example not in before.get(item, ()) for example in examples):
                    places.append((path, (item or name_module(path).rpartition(".")[2]).split(".")))
        return places

    def mix(self, *, tests: str, code: str) -> dict[str, str]:
        """Return product files that hold tests, with the code of one tree and the tests of the other."""
        texts = {}
        for path in self.inline:
            theirs, own = self.source.read(tests, path), self.source.read(code, path)
            whole = cases.transplant_tests(theirs or "", own, path) if own is not None else None
            if whole is not None:
                texts[path] = whole
        return texts

    @cached_property
    def renames(self) -> dict[str, str]:
        """Names that left the product, each with the new name that replaces it."""
        renames: dict[str, str] = dict(self._swapped)
        for change in self._all_items:
            names = self._compare_names(change) if change.kind == CHANGED else None
            for old, new in (names or {}).items():
                if old not in renames and self._was_renamed(old, new):
                    renames[old] = new
        return renames

    @cached_property
    def _swapped(self) -> dict[str, str]:
        """A file that lost one function and gained one has renamed it; of several, the one that is called instead. Where
        functions cannot be read, the names that are all that differs in a file."""
        renames: dict[str, str] = {}
        for path in self.product_paths:
            before, after = self.before(path), self.after(path)
            if self.functions(path) is None and before and after:
                # What is called is a name; another word may be text that users read.
                names = {old: name for old, name in (find_renames(before, after) or {}).items() if f"{old}(" in before}
                renames |= {old: name for old, name in names.items() if self._replaces(old, name)}
            gone, new = _list_new(path, after, before)[:_WORDS], _list_new(path, before, after)[:_WORDS]
            is_alone = len(gone) == 1 and len(new) == 1
            pairs = [(old, name) for old in gone for name in new if is_alone or self._is_called_instead(old, name)]
            renames |= {old: name for old, name in pairs if self._was_renamed(old, name)}
        return renames

    def _is_called_instead(self, old: str, new: str) -> bool:
        """Whether a line of the product has the new name where it had the old one, and nothing else changed in it."""
        for path in self.product_paths:
            after = (self.after(path) or "").splitlines()
            # The head of a function calls nothing.
            calls = (line for line in (self.before(path) or "").splitlines() if not line.rstrip().endswith(_OPENS))
            if any(line != (call := rename_words(line, {old: new})) and call in after for line in calls):
                return True
        return False

    @cached_property
    def _renamed_pairs(self) -> list[tuple[TestChange, TestChange]]:
        """Removed tests, each with a new one that is the same except for renamed names."""
        pairs = []
        added = [item for item in self._all_items if item.kind == ADDED]
        for old in (item for item in self._all_items if item.kind == REMOVED):
            for new in added:
                names = find_renames(self.text_of(self.base, old), self.text_of(self.tree, new))
                others = {was: now for was, now in (names or {}).items() if was != old.parts[-1]}
                if names is not None and all(self._was_renamed(*pair) for pair in others.items()):
                    pairs.append((old, new))
                    break
        return pairs

    def _is_only_renamed(self, change: TestChange) -> bool:
        names = self._compare_names(change) if change.kind == CHANGED else None
        return bool(names) and all(self.renames.get(old) == new for old, new in (names or {}).items())

    def _was_renamed(self, old: str, new: str) -> bool:
        defines = self.source.search.defines
        return self.is_gone(old) and defines(self.tree, new) and not defines(self.base, new)

    def _replaces(self, old: str, new: str) -> bool:
        """Return whether no source of the product has the old word now, and none had the new one."""
        places = ((self.tree, old), (self.base, new))
        paths = [path for tree, word in places for path in self.source.search.list_containing(tree, word)]
        return not any(testfiles.is_source_path(path) and not self.is_test(path) for path in paths)

    def is_gone(self, name: str) -> bool:
        """Return whether the product defined a name and does not any more."""
        defines = self.source.search.defines
        return defines(self.base, name) and not defines(self.tree, name)

    def is_moved(self, path: str) -> bool:
        """Return whether this file has the text of one that is gone."""
        text = self.after(path)
        return self.before(path) is None and any(
            self.after(product_path) is None and self.before(product_path) == text
            for product_path in self.product_paths
        )

    def drops(self, words: Collection[str]) -> bool:
        """Return whether a file of the product that is named so, or a line that speaks of one of these, is gone."""
        return any(word in text.lower() for text in self._list_gone() for word in words)

    def _list_gone(self) -> Iterator[str]:
        for path in self.product_paths:
            before, after = self.before(path) or "", self.after(path)
            if after is None:
                yield path
            if path not in self.inline:  # whose tests would speak for it
                yield from set(before.splitlines()) - set((after or "").splitlines())

    def _compare_names(self, change: TestChange) -> dict[str, str] | None:
        return find_renames(*(self.text_of(tree, change) for tree in (self.base, self.tree)))

    def text_of(self, tree: str, change: TestChange) -> str:
        text = self.source.read(tree, change.path) or ""
        lines = cases.read_case(change.path, text, change.parts)
        return text if lines is None else "\n".join(lines)

    def functions(self, path: str) -> list[ChangedFunction] | None:
        """Return the changed functions of a product file; None if its language is not supported."""
        if path not in self._functions:
            self._functions[path] = list_changed(path, self.before(path), self.after(path))
        return self._functions[path]

    def list_functions(self) -> list[tuple[str, ChangedFunction]]:
        """Return every changed function of the product, with its file."""
        return [(path, function) for path in self.code_paths for function in self.functions(path) or ()]

    def list_naming(self) -> list[str]:
        """Return the names of tests whose text names a changed function."""
        words = sorted({function.own_name for _, function in self.list_functions()})
        paths = self.source.search.find_tests_naming(self.tree, words[:_WORDS], ())[:_FILES]
        return [
            case.parts[-1]
            for path in paths
            for case in cases.list_cases(path, self.source.read(self.tree, path) or "") or ()
            if case.names.intersection(words)
        ]

    @cached_property
    def code_paths(self) -> list[str]:
        """Product files whose code changed; comments, layout and text do not count."""
        return [
            path
            for path in self.product_paths
            if has_other_code(path, self.before(path), self.after(path)) or self._is_script(path)
        ]

    @cached_property
    def data_paths(self) -> list[str]:
        """Product files that programs read rather than run. What a compiler wrote would hide the old source."""
        return [
            path
            for path in self.product_paths
            if not (testfiles.is_source_path(path) or is_doc(path) or self._is_script(path) or _COMPILED.search(path))
        ]

    def _is_script(self, path: str) -> bool:
        """Return whether a file without an ending says which program runs it."""
        if "." in path.rpartition("/")[2]:
            return False
        return (self.after(path) or self.before(path) or "").startswith("#!")

    @property
    def has_only_docs(self) -> bool:
        return has_only_docs(self.paths)


def _list_new(path: str, before: str | None, after: str | None) -> list[str]:
    """Return the own names of functions that only the second text has."""
    functions = list_changed(path, before, after) if after is not None else None
    return [function.own_name for function in functions or () if function.kind == NEW_FUNCTION]
