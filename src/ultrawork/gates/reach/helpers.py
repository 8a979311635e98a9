"""
What a test reads is part of it: data files that test code opened, and helpers that it imported.

A data file belongs to the tests if the code that opened it, at any time of the run, is test code: the
nearest frame of the project, whatever library it went through. What product code opens for itself is the
product's, also when a test called it.
A module outside the folders of tests belongs to them if test code imports it, no product module does, and
it can be nothing else than a helper: it imports a test framework, or holds a function that does nothing
but assert, or holds nothing but data. Being imported by tests alone is not enough: so is the product of
many a small project. Helpers are test code in their turn: what they open and import counts too.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from posixpath import normpath

from ...core.patterns import compile_late
from ..testcode import files as testfiles
from ..testcode.helpers import is_helper, list_modules
from ..testcode.python import parse_source
from .records import TraceRecords

_SPECIFIER = compile_late(r"(?:\bfrom|\bimport|\brequire)\s*\(?\s*[\"'](\.{1,2}/[^\"'\n]+)[\"']")
_SCRIPTS = (".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx")


Text = Callable[[str], str | None]


def find_read_by_tests(
    records: TraceRecords, read: Text, patterns: Iterable[str] = ()
) -> dict[str, frozenset[str]]:
    """
    Each file with the tests that are known to read it; none for what was read while tests were loaded.
    `read` gives the text of a file of the tree.
    """
    loaded = {path: read(path) or "" for path in set(records.modules.values())}
    imports = _list_imports(records, loaded)
    tests = {path for path in loaded if is_test_code(path, patterns)}
    while found := _find_helpers(loaded, imports, tests):
        tests |= found
    told = {path: set[str]() for path in tests if not is_test_code(path, patterns)}
    for path, opener, test in records.reads:
        if opener in tests or (opener and is_test_code(opener, patterns)):
            told.setdefault(path, set()).update([test] if test else [])
    return {path: frozenset(names) for path, names in told.items()}


def is_test_code(path: str, patterns: Iterable[str] = ()) -> bool:
    return testfiles.is_test_path(path, patterns) or testfiles.is_support_path(path)


def _find_helpers(
    loaded: Mapping[str, str], imports: Mapping[str, set[str]], tests: set[str]
) -> set[str]:
    """Modules that the test code so far imports, and that are helpers of it."""
    by_tests = {path for user in tests for path in imports.get(user, ())}
    by_product = {path for user in imports if user not in tests for path in imports[user]}
    return {path for path in by_tests - by_product - tests if is_helper(path, loaded[path])}


def _list_imports(records: TraceRecords, loaded: Mapping[str, str]) -> dict[str, set[str]]:
    """Which loaded file of the project imports which others, as written and as seen."""
    found: dict[str, set[str]] = {}
    names = {path: name for name, path in records.modules.items()}
    for path, text in loaded.items():
        if path.endswith(".py"):
            tree = parse_source(text)
            asked = set(list_modules(tree, names[path])) if tree else set()
            asked |= {module for user, module in records.imports if user == path}
        else:
            asked = set(_list_specifiers(path, text))
        found[path] = {records.modules[name] for name in asked if name in records.modules} - {path}
    return found


def _list_specifiers(path: str, text: str) -> Iterator[str]:
    """The files that a script may mean by what it imports from beside itself."""
    folder = path.rpartition("/")[0]
    for specifier in _SPECIFIER.findall(text):
        place = normpath(f"{folder}/{specifier}" if folder else specifier)
        bare = re.sub(r"\.[cm]?js$", "", place)
        for stem in (place, bare, f"{place}/index"):
            yield stem
            yield from (stem + ending for ending in _SCRIPTS)
