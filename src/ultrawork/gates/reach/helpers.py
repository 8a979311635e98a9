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
from collections.abc import Callable, Iterable, Iterator, Mapping

from ..testcode import files as testfiles
from ..testcode.python import parse_source
from .records import TraceRecords

_FRAMEWORKS = frozenset(
    ("pytest", "_pytest", "unittest", "hypothesis", "nose", "nose2", "testtools")
)
_QUIET = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Pass)


def find_read_by_tests(
    records: TraceRecords, read: Callable[[str], str | None], patterns: Iterable[str] = ()
) -> dict[str, frozenset[str]]:
    """
    Each file with the tests that are known to read it; none for what was read while tests were loaded.
    `read` gives the text of a file of the tree.
    """
    shapes = {path: parse_source(read(path) or "") for path in set(records.modules.values())}
    imports = _list_imports(records, shapes)
    tests = {path for path in shapes if is_test_code(path, patterns)}
    while found := _find_helpers(shapes, imports, tests):
        tests |= found
    helpers = {path for path in tests if not is_test_code(path, patterns)}
    told: dict[str, set[str]] = {path: set() for path in helpers}
    for path, opener, test in records.reads:
        if opener in tests or (opener and is_test_code(opener, patterns)):
            told.setdefault(path, set()).update([test] if test else [])
    return {path: frozenset(names) for path, names in told.items()}


def is_test_code(path: str, patterns: Iterable[str] = ()) -> bool:
    return testfiles.is_test_path(path, patterns) or testfiles.is_support_path(path)


def _find_helpers(
    shapes: Mapping[str, ast.Module | None], imports: Mapping[str, set[str]], tests: set[str]
) -> set[str]:
    """Modules that the test code so far imports, and that are helpers of it."""
    by_tests = {path for user in tests for path in imports.get(user, ())}
    by_product = {path for user in imports if user not in tests for path in imports[user]}
    fresh = by_tests - by_product - tests
    return {path for path in fresh if (tree := shapes.get(path)) and is_helper(tree)}


def is_helper(tree: ast.Module) -> bool:
    """Whether a module serves nothing but tests, by what is written in it."""
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


def _list_imports(
    records: TraceRecords, shapes: Mapping[str, ast.Module | None]
) -> dict[str, set[str]]:
    """Which loaded file of the project imports which others, as written and as seen."""
    found: dict[str, set[str]] = {}
    names = {path: name for name, path in records.modules.items()}
    for path, tree in shapes.items():
        asked = set(_imported(tree, names.get(path, ""))) if tree else set()
        asked |= {module for user, module in records.imports if user == path}
        targets = {records.modules[name] for name in asked if name in records.modules}
        found[path] = targets - {path}
    return found


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
