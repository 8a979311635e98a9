"""
Modules that tests have beside the code to judge it, told from the code by what is written in them and in the tests.

A module can be nothing else if it imports a test framework, holds a function that does nothing but assert, or nothing but
data. Of the others their use in tests decides.
"""

import ast
import re
from collections.abc import Collection, Iterator

from ...core.patterns import compile_late
from . import script_usage, usage
from .python import parse_source
from .tokens import read_code

_FRAMEWORKS = frozenset(
    ("pytest", "_pytest", "unittest", "hypothesis", "nose", "nose2", "testtools")
)
_SCRIPT_FRAMEWORK = compile_late(
    r"[\"'](?:node:test|vitest|@jest/globals|chai|expect|mocha|sinon|supertest|@testing-library/[\w-]+)[\"']"
    r"|\bexpect\("
)
_QUIET = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Pass)
# Settings by which a test runner loads a module before the tests, and the files that hold them.
_SETTINGS = compile_late(
    r"(?:^|/)(?:package\.json|pyproject\.toml|(?:pytest|tox)\.ini|setup\.cfg|conftest\.py|Makefile|justfile|phpunit\.xml"
    r"|\.mocharc(?:\.\w+)?|\.taprc|ava\.config\.\w+|(?:jest|vitest|vite|karma|wtr)[\w.-]*\.[cm]?[jt]s(?:on)?)$"
)
_LOADING = (
    r"[\"']?(?:setup_?files(?:AfterEnv)?|global_?setup|require|preload|bootstrap|pytest_plugins)[\"']?\s*[:=][^;{{}}]{{0,300}}?"
    r"(?<![\w-]){stem}(?![\w-])"
    r"|(?:[\"']test[\w:-]*[\"']\s*:|addopts|pytest|mocha|node_options)[^\n{{}}]{{0,300}}?(?:--require|--import|--loader|[\s\"']-[rp])"
    r"[ =](?:\S{{0,200}}[/.])?{stem}(?![\w-])"
)
_DEFINED = compile_late(
    r"(?m)^(?:#[ \t]*define[ \t]+(?=\w)|(?:[\w*]+[ \t]+){0,9}\*?(?=\w+[ \t]*[=(:]))(\w+)"
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
    if has_framework(tree):
        return True
    functions = [one for one in ast.walk(tree) if isinstance(one, ast.FunctionDef)]
    return any(map(_only_asserts, functions)) or _is_data(tree)


def has_framework(tree: ast.Module) -> bool:
    """Whether a module imports a framework of tests."""
    return not _FRAMEWORKS.isdisjoint(name.partition(".")[0] for name in list_modules(tree))


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


def is_settings_path(path: str) -> bool:
    """Whether a file may say which modules a test runner loads before the tests."""
    return bool(_SETTINGS.search(path))


def is_loaded_before_tests(settings: str, module: str) -> bool:
    """Whether the text of such a file has this module loaded."""
    pattern = _LOADING.format(stem=re.escape(module))
    return bool(re.search(pattern, settings, re.IGNORECASE | re.MULTILINE))


def list_imported(text: str) -> set[str]:
    """All words of the lines that import something."""
    return {word for line in usage.list_import_lines(text) for word in re.findall(r"\w+", line)}


def is_helper_of(
    path: str, test: str, module: str, text: str, others: Collection[str]
) -> bool | None:
    """
    Whether the tests of the file at `path` judge other modules with this one, whose text is `text`: no where it is what they
    judge, None where their use of it tells neither.
    """
    if path.endswith(".py"):
        return usage.read_python_use(test, module, _list_defined(text), others)
    return script_usage.read_script_use(test, module, _list_defined(text), others)


def _list_defined(text: str) -> set[str]:
    """Names that a module gives whoever takes all of it."""
    return set(_DEFINED.findall(text))


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
