"""
Modules that tests have beside the code to judge it, told from the code by what is written in them and in the tests.

A module can be nothing else if it imports a test framework, holds a function that does nothing but assert, or nothing but
data. It judges if a test hands it what other code gave and believes its yes or no.
"""

import ast
import re
from collections.abc import Collection, Iterator

from .python import parse_source
from .tokens import read_code

_FRAMEWORKS = frozenset(
    ("pytest", "_pytest", "unittest", "hypothesis", "nose", "nose2", "testtools")
)
_SCRIPT_FRAMEWORK = re.compile(
    r"[\"'](?:node:test|vitest|@jest/globals|chai|expect|mocha|sinon|supertest|@testing-library/[\w-]+)[\"']"
    r"|\bexpect\("
)
_QUIET = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Pass)
_IMPORT = re.compile(r"(?m)^.*\b(?:import|from|require|use|include)\b.*$")
_BELIEVING = frozenset(("assertTrue", "assertFalse", "assert_", "failUnless"))
_SCRIPT_BELIEF = re.compile(
    r"\b(?:assert|assert\.ok|ok|t\.true|t\.ok|t\.truthy)\(\s*!?\s*(?:await\s+)?(?P<call>[\w.]+)\((?!.*[=<>]=)"
    r"|\bexpect\(\s*(?:await\s+)?(?P<expected>[\w.]+)\(.*\)\s*\.\s*(?:to\.be\.|toBe\(|toBeTruthy|toBeFalsy)(?:true|false|\()"
)


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
    if _FRAMEWORKS.intersection(name.partition(".")[0] for name in list_modules(tree)):
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


def list_imported(text: str) -> set[str]:
    """All words of the lines that import something."""
    return {word for line in _IMPORT.findall(text) for word in re.findall(r"\w+", line)}


def is_believed(path: str, test: str, module: str, others: Collection[str]) -> bool:
    """Whether a test file believes the yes or no of a module about what other modules of the project gave."""
    if path.endswith(".py"):
        tree = parse_source(test)
        return tree is not None and _believes(tree, module, others)
    own, theirs = _list_bound(test, {module}), _list_bound(test, others)
    lines = [line for line in test.splitlines() if theirs.intersection(re.findall(r"\w+", line))]
    told = [match for line in lines for match in _SCRIPT_BELIEF.finditer(line)]
    return any((one["call"] or one["expected"]).partition(".")[0] in own for one in told)


def _list_bound(test: str, modules: Collection[str]) -> set[str]:
    """Words of the lines of a script that import one of these modules."""
    lines = (re.findall(r"\w+", line) for line in _IMPORT.findall(test))
    return {word for words in lines if set(words).intersection(modules) for word in words}


def _believes(tree: ast.Module, module: str, others: Collection[str]) -> bool:
    own, theirs = _list_names(tree, {module}), _list_names(tree, others)
    functions = [
        one for one in ast.walk(tree) if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    for function in functions:
        used = {one.id for one in ast.walk(function) if isinstance(one, ast.Name)}
        if used & theirs and any(_find_root(one) in own for one in _list_believed(function)):
            return True
    return False


def _list_names(tree: ast.Module, modules: Collection[str]) -> set[str]:
    """The names by which a file knows these modules and what it takes out of them."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for one in node.names:
                if one.name.rpartition(".")[2] in modules:
                    found.add(one.asname or one.name.partition(".")[0])
        elif isinstance(node, ast.ImportFrom):
            whole = (node.module or "").rpartition(".")[2] in modules
            found |= {one.asname or one.name for one in node.names if whole or one.name in modules}
    return found


def _list_believed(function: ast.AST) -> Iterator[ast.expr]:
    """What a test asserts as it is, without comparing it with anything."""
    for node in ast.walk(function):
        if isinstance(node, ast.Assert):
            yield _strip_truth(node.test)
        elif isinstance(node, ast.Call) and node.args and _name_call(node) in _BELIEVING:
            yield _strip_truth(node.args[0])


def _strip_truth(node: ast.expr) -> ast.expr:
    """`f(x)` of `not f(x)`, `f(x) is True`, `await f(x)`."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return _strip_truth(node.operand)
    if isinstance(node, ast.Compare) and _is_bool(node.comparators[0]):
        return _strip_truth(node.left)
    return node.value if isinstance(node, ast.Await) else node


def _is_bool(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, bool)


def _name_call(node: ast.Call) -> str:
    return node.func.attr if isinstance(node.func, ast.Attribute) else ""


def _find_root(node: ast.expr) -> str:
    """The first name of a call: `checks` of `checks.same(…)`."""
    if not isinstance(node, ast.Call):
        return ""
    found: ast.expr = node.func
    while isinstance(found, ast.Attribute):
        found = found.value
    return found.id if isinstance(found, ast.Name) else ""


def list_modules(tree: ast.Module, name: str = "") -> Iterator[str]:
    """Modules by name; of `from a import b` both, for `b` may be one."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (one.name for one in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = name.split(".")[: -node.level] if node.level else []
            module = ".".join([*above, *([node.module] if node.module else [])])
            yield module
            yield from (f"{module}.{one.name}".lstrip(".") for one in node.names)
