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

import ast
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from posixpath import normpath

from ..testcode import files as testfiles
from ..testcode.python import parse_source
from ..testcode.tokens import read_code
from .records import TraceRecords

_FRAMEWORKS = frozenset(
    ("pytest", "_pytest", "unittest", "hypothesis", "nose", "nose2", "testtools")
)
_SCRIPT_FRAMEWORK = re.compile(
    r"[\"'](?:node:test|vitest|@jest/globals|chai|expect|mocha|sinon|supertest|@testing-library/[\w-]+)[\"']"
    r"|\bexpect\("
)
_SPECIFIER = re.compile(r"(?:\bfrom|\bimport|\brequire)\s*\(?\s*[\"'](\.{1,2}/[^\"'\n]+)[\"']")
_SCRIPTS = (".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx")
_QUIET = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Pass)


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


def is_helper(path: str, text: str) -> bool:
    """Whether a module serves nothing but tests, by what is written in it."""
    if not path.endswith(".py"):
        return _is_script_helper(text)
    tree = parse_source(text)
    return tree is not None and _is_python_helper(tree)


def _is_script_helper(text: str) -> bool:
    """In JavaScript every function may throw; the words of test frameworks are plainer than that."""
    if _SCRIPT_FRAMEWORK.search(text):
        return True
    words = [one.text for one in read_code(text, "javascript").tokens]
    asserts = "assert" in words and "return" not in words
    return asserts or not {"(", "=>", "class", "function"}.intersection(words)


def _is_python_helper(tree: ast.Module) -> bool:
    if _FRAMEWORKS.intersection(name.partition(".")[0] for name in _imported(tree)):
        return True
    functions = [one for one in ast.walk(tree) if isinstance(one, ast.FunctionDef)]
    return any(map(_only_asserts, functions)) or _is_data(tree)


def _only_asserts(function: ast.FunctionDef) -> bool:
    """It asserts, and does nothing else that its caller could want of it."""
    inner = [one for one in ast.walk(function) if isinstance(one, ast.stmt)][1:]
    asserts = [one for one in inner if _is_assertion(one)]
    return bool(asserts) and all(one in asserts or _is_quiet(one) for one in inner)


def _is_assertion(node: ast.stmt) -> bool:
    if isinstance(node, ast.Assert):
        return True
    raised = node.exc if isinstance(node, ast.Raise) else None
    called = raised.func if isinstance(raised, ast.Call) else raised
    return isinstance(called, ast.Name) and called.id == "AssertionError"


def _is_quiet(node: ast.stmt) -> bool:
    """A step on the way to an assertion: names of its own, branches, loops, docstrings, an empty return."""
    if isinstance(node, ast.Return):
        return node.value is None
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant)
    if isinstance(node, ast.Assign):
        return all(isinstance(one, ast.Name | ast.Tuple) for one in node.targets)
    return isinstance(node, ast.If | ast.For | ast.With | ast.Try | ast.Pass | ast.AnnAssign)


def _is_data(tree: ast.Module) -> bool:
    body = [one for one in tree.body if not isinstance(one, ast.Expr)]
    return bool(body) and all(isinstance(one, _QUIET) for one in body)


def _list_imports(records: TraceRecords, loaded: Mapping[str, str]) -> dict[str, set[str]]:
    """Which loaded file of the project imports which others, as written and as seen."""
    found: dict[str, set[str]] = {}
    names = {path: name for name, path in records.modules.items()}
    for path, text in loaded.items():
        if path.endswith(".py"):
            tree = parse_source(text)
            asked = set(_imported(tree, names[path])) if tree else set()
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


def _imported(tree: ast.Module, name: str = "") -> Iterator[str]:
    """Modules by name; of `from a import b` both, for `b` may be one."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (one.name for one in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = name.split(".")[: -node.level] if node.level else []
            module = ".".join([*above, *([node.module] if node.module else [])])
            yield module
            yield from (f"{module}.{one.name}".lstrip(".") for one in node.names)
