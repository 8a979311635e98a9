"""
What tests use a module for, read in their text: the subject they judge, or a helper with which they judge another.

A helper judges (it is handed what other code gave, and its yes, its silence or its empty answer decides) or lends what
is judged with (values that meet what other code gave, or go into it). A subject is asked for something that the test
itself then looks at; a module that is ever asked like that is no helper, whatever else it is used for.
"""

import ast
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

from ...core.patterns import compile_late
from .python import is_assertion, parse_source

_TRUE = frozenset(("assertTrue", "assertFalse", "assert_", "failUnless", "assertIsNone"))
_EQUAL = frozenset(
    ("assertEqual", "assertEquals", "assertIs", "assertIn", "assertAlmostEqual", "assertListEqual",
     "assertDictEqual", "assertSequenceEqual", "assertCountEqual", "assertNotEqual")
)  # fmt: skip
_NOTHING: tuple[object, ...] = (True, False, None, 0, "", b"")
_IMPORT = compile_late(
    r"(?m)^.*\b(?:import|from|require|use|include|import_module|__import__|exec|run_path)\b.*$"
)
_LOADERS = frozenset(("import_module", "__import__", "exec", "run_path"))
_DOUBLE = compile_late(r"(?i)^(?:fake|stub|mock|dummy|spy)|(?:fake|stub|mock|dummy|spy)$")

HELPS, SUBJECT = "helps", "subject"
# What becomes of an answer of the module: it decides by itself or by its silence, meets what other code gave, is handed
# on to other code, or is looked at by the test.
DECIDES, SILENT, MET, HANDED_ON, LOOKED_AT = "decides", "silent", "met", "handed on", "looked at"


def name_use(place: str, *, fed: bool, asked: bool, made: str = "") -> str:
    """
    `fed`: what other code gave went into it; `asked`: it was called with something; `made`: the class of which it is
    an instance. Empty where a use says nothing: either may be the subject.
    """
    if fed:
        return HELPS if place in (DECIDES, SILENT) else ""
    if place in (DECIDES, LOOKED_AT) or (place == MET and asked):
        return SUBJECT
    if place in (MET, HANDED_ON) and not asked:
        return "" if made and not _DOUBLE.search(made) else HELPS
    return ""


def read_python_use(
    test: str, module: str, defined: Collection[str], others: Collection[str]
) -> bool | None:
    """
    Whether the tests of a file use a module as a helper; None where they say nothing of it. `defined` are the names
    of the module, for tests that import all of them; `others` the other modules of the project.
    """
    tree = parse_source(test)
    if tree is None:
        return None
    own, theirs = _list_names(tree, {module}, defined), _list_names(tree, others, ())
    functions = [
        one for one in ast.walk(tree) if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    return sum_up(use for one in functions for use in _Scope(one, own, theirs).list_uses())


def list_import_lines(text: str) -> list[str]:
    """In any language: the lines by which something is taken in from elsewhere."""
    return _IMPORT.findall(text)


def sum_up(uses: Iterable[str]) -> bool | None:
    found = set(uses) - {""}
    return SUBJECT not in found if found else None


def _list_names(tree: ast.Module, modules: Collection[str], defined: Collection[str]) -> set[str]:
    """The names by which a file knows these modules and what it takes out of them."""
    found: set[str] = set()
    bound = {
        node.value: {one.id for one in node.targets if isinstance(one, ast.Name)}
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for one in node.names:
                if one.name.rpartition(".")[2] in modules:
                    found.add(one.asname or one.name.partition(".")[0])
        elif isinstance(node, ast.ImportFrom):
            whole = (node.module or "").rpartition(".")[2] in modules
            for one in node.names:
                if whole and one.name == "*":
                    found |= set(defined)
                elif whole or one.name in modules:
                    found.add(one.asname or one.name)
        elif isinstance(node, ast.Call) and _is_loaded(node, modules):
            found |= set(defined) | bound.get(node, set())
    return found


def _is_loaded(call: ast.Call, modules: Collection[str]) -> bool:
    """`import_module("checks")`, `exec(open("checks.py").read())`: by a text that names the module."""
    texts = (one.value for one in ast.walk(call) if isinstance(one, ast.Constant))
    named = {
        one.rpartition("/")[2].removesuffix(".py").rpartition(".")[2]
        for one in texts
        if isinstance(one, str)
    }
    return _name_called(call) in _LOADERS and not named.isdisjoint(modules)


class _Answer(NamedTuple):
    """What a name stands for that holds something of the module's."""

    fed: bool
    asked: bool
    made: str


class _Scope:
    """One function of a test file, and which of its names hold what the module gave, and what others gave."""

    __slots__ = ("_bound", "_function", "_own", "_parents", "_theirs")

    def __init__(self, function: ast.AST, own: Collection[str], theirs: Collection[str]) -> None:
        self._function = function
        self._own = own
        self._theirs = set(theirs)
        self._bound: dict[str, _Answer] = {}
        self._parents = {
            child: one for one in ast.walk(function) for child in ast.iter_child_nodes(one)
        }
        for one in ast.walk(function):
            self._bind(one)

    def _bind(self, node: ast.AST) -> None:
        if isinstance(node, ast.Assign):
            targets, value = node.targets, node.value
        elif isinstance(node, ast.For | ast.AsyncFor | ast.comprehension):
            targets, value = [node.target], node.iter
        else:
            return
        within = [one for target in targets for one in ast.walk(target)]
        names = {one.id for one in within if isinstance(one, ast.Name)}
        if self._is_own(value):
            self._bound.update(dict.fromkeys(names, self._describe(value)))
        elif self._is_theirs(value):
            self._theirs |= names

    def _is_own(self, node: ast.AST) -> bool:
        """Whether an expression is something of the module's, called or not."""
        root = _find_root(node)
        return root in self._own or root in self._bound

    def _is_theirs(self, node: ast.AST) -> bool:
        """Whether something that other code gave is in it."""
        return any(isinstance(one, ast.Name) and one.id in self._theirs for one in ast.walk(node))

    def _describe(self, node: ast.AST) -> _Answer:
        known = self._bound.get(_find_root(node), _Answer(False, False, ""))
        given = [one for call in _list_calls(node) for one in _list_arguments(call)]
        return _Answer(
            known.fed or any(map(self._is_theirs, given)),
            known.asked or bool(given),
            known.made or next(filter(None, map(_name_class, _list_calls(node))), ""),
        )

    def list_uses(self) -> Iterator[str]:
        for node in ast.walk(self._function):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and self._is_own(node):
                whole = self._climb(node)
                fed, asked, made = self._describe(whole)
                yield name_use(self._find_place(whole), fed=fed, asked=asked, made=made)

    def _climb(self, node: ast.AST) -> ast.AST:
        """The whole of `checks.Checker(…).same(…)`, from its first name."""
        while True:
            parent = self._parents.get(node)
            if isinstance(parent, ast.Attribute | ast.Subscript | ast.Await | ast.Starred) or (
                isinstance(parent, ast.Call) and parent.func is node
            ):
                node = parent
            else:
                return node

    def _find_place(self, node: ast.AST) -> str:
        parent = self._parents.get(node)
        while isinstance(parent, ast.UnaryOp | ast.BoolOp):
            node, parent = parent, self._parents.get(parent)
        if isinstance(parent, ast.Assert | ast.If | ast.While) or _has_failure(node):
            return DECIDES
        if isinstance(parent, ast.Expr):
            return self._find_silence()
        if isinstance(parent, ast.Compare):
            return self._compare([parent.left, *parent.comparators], node)
        if isinstance(parent, ast.keyword):
            parent = self._parents[parent]
        return self._find_place_in_call(parent, node) if isinstance(parent, ast.Call) else ""

    def _find_silence(self) -> str:
        """That it raises nothing decides only where the test looks at nothing else."""
        others = (one for one in ast.walk(self._function) if is_assertion(one))
        return SILENT if all(map(self._is_own, others)) else ""

    def _find_place_in_call(self, call: ast.Call, node: ast.AST) -> str:
        name = _name_called(call)
        if name in _TRUE:
            return DECIDES
        if name in _EQUAL:
            return self._compare(call.args[:2], node)
        if name == "parametrize":
            return MET
        return HANDED_ON if _find_root(call) in self._theirs else ""

    def _compare(self, sides: Sequence[ast.expr], node: ast.AST) -> str:
        others = [one for one in sides if one is not node]
        if any(map(self._is_theirs, others)):
            return MET
        return DECIDES if all(map(_is_nothing, others)) else LOOKED_AT


def _has_failure(node: ast.AST) -> bool:
    """`checks.same(…) or self.fail()`."""
    return isinstance(node, ast.BoolOp) and any(map(is_assertion, node.values))


def _is_nothing(node: ast.expr) -> bool:
    """True, False, None, zero or anything empty: an answer of a judge."""
    if isinstance(node, ast.Constant):
        return node.value in _NOTHING
    return isinstance(node, ast.List | ast.Tuple | ast.Dict | ast.Set) and not any(
        isinstance(one, ast.expr) for one in ast.iter_child_nodes(node)
    )


def _list_calls(node: ast.AST) -> Iterator[ast.Call]:
    """The calls along a chain: both of `checks.Checker(1).same(2)`."""
    while isinstance(node, ast.Call | ast.Attribute | ast.Subscript | ast.Await | ast.Starred):
        if isinstance(node, ast.Call):
            yield node
        node = node.func if isinstance(node, ast.Call) else node.value


def _list_arguments(call: ast.Call) -> list[ast.expr]:
    return [*call.args, *(one.value for one in call.keywords)]


def _name_class(call: ast.Call) -> str:
    """`Checker` of `checks.Checker()`; empty where a function is called."""
    name = _name_called(call)
    return name if name[:1].isupper() else ""


def _name_called(call: ast.Call) -> str:
    named = call.func
    return named.attr if isinstance(named, ast.Attribute) else getattr(named, "id", "")


def _find_root(node: ast.AST) -> str:
    """The first name of a chain: `checks` of `checks.same(…)`."""
    while isinstance(node, ast.Call | ast.Attribute | ast.Subscript | ast.Await | ast.Starred):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""
