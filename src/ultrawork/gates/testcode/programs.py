"""
Programs that judge: started by a test or a recipe, they compare what other code gives with what it should give, and
their end is the answer. A program of the product computes and prints; what it prints others compare.

An example is what tells them apart: a call of other code with fixed values, compared with a fixed value. Assertions
about what other code gave are the same in short.
"""

import ast
import sys
from collections.abc import Callable, Collection, Iterable

from ...core.patterns import compile_late
from .helpers import has_framework, list_modules
from .python import is_assertion, parse_source

_PLAIN = r"(?:-?\d[\d_.]*|\"[^\"\n]*\"|'[^'\n]*'|true|false|null|nil|None|True|False)"
# `discount(200, 10) !== 180`, in any language that writes calls and comparisons like this.
_EXAMPLE = compile_late(
    rf"[\w.$:]+\(\s*{_PLAIN}(?:\s*,\s*{_PLAIN})*\s*\)\s*\)?\s*(?:===?|!==?|-eq|-ne)\s*{_PLAIN}"
    rf"|{_PLAIN}\s*(?:===?|!==?)\s*[\w.$:]+\(\s*{_PLAIN}(?:\s*,\s*{_PLAIN})*\s*\)"
)
_ASSERTS = compile_late(
    r"\bassert(?:\.\w+)?\s*\(|\bassert\s+[^\n=]*(?:==|!=)|\bassert_\w+|\bAssert\.\w+"
)
_OWN_CODE = compile_late(r"(?:\bfrom|\bimport|\brequire\w*|\buse)\s*\(?\s*[\"']\.{1,2}/")
_SHELL = (".sh", ".bash", ".zsh")
# What a shell compares: two files, or the answer of a program of the project with a word.
_SHELL_JUDGES = compile_late(
    r"(?m)^[^#\n]*\b(?:diff|cmp)\b\s+\S"
    r"|^[^#\n]*(?:\$\([^)\n]*[./][^)\n]*\)|`[^`\n]*[./][^`\n]*`)[\"']?\s*(?:!?==?|-eq|-ne)\s*\S"
)
# A program of the project by its path, or an interpreter; what a script is given.
_SHELL_STARTS = compile_late(
    r"(?m)^[^#\n]*?(?:^|[\s;&|(`])(?:\./|python|node|ruby|perl|php|sh |bash )"
)
_SHELL_INPUT = compile_late(r"\$[{]?[1-9@*]|\bread\b|\bgetopts\b")
_SCRIPT_INPUT = compile_late(r"\bargv\b|\bstdin\b|\bARGV\b|\bSTDIN\b|\bgets\b|\bDeno\.args\b")
_STARTS = frozenset(("subprocess",))
_INPUTS = frozenset(
    ("argv", "argparse", "stdin", "input", "click", "typer", "environ", "getopt", "getenv", "fire")
)
_EXITS = frozenset(("exit", "_exit", "SystemExit", "quit"))


def is_judge(path: str, text: str) -> bool:
    """Whether a program, by what is written in it, compares what other code gives with what it should give."""
    if path.endswith(".py"):
        tree = parse_source(text)
        return tree is not None and (has_framework(tree) or _Program(tree).is_judging())
    if path.endswith(_SHELL) or _is_shell(text):
        return bool(_SHELL_JUDGES.search(text))
    asserts = _ASSERTS.search(text) and _OWN_CODE.search(text)
    return bool(asserts or _EXAMPLE.search(text))


def is_driver(path: str, text: str, has_own: Callable[[str], bool]) -> bool:
    """
    Whether a program asks other code of the project, with values that nobody gives it. `has_own` tells whether the
    project has a module of that name.
    """
    if path.endswith(".py"):
        tree = parse_source(text)
        if tree is None or _Program(tree).has_input():
            return tree is None
        return any(has_own(name.partition(".")[0]) for name in list_modules(tree))
    if path.endswith(_SHELL) or _is_shell(text):
        return bool(_SHELL_STARTS.search(text)) and not _SHELL_INPUT.search(text)
    return bool(_OWN_CODE.search(text)) and not _SCRIPT_INPUT.search(text)


def _is_shell(text: str) -> bool:
    first = text.partition("\n")[0]
    return first.startswith("#!") and first.rstrip().endswith("sh")


class _Program:
    """`_theirs` are names that hold something of other code, or what programs told; `_fixed` those of literals alone."""

    __slots__ = ("_fixed", "_nodes", "_theirs")

    def __init__(self, tree: ast.Module) -> None:
        self._nodes = list(ast.walk(tree))
        self._theirs = set(_list_imported(self._nodes))
        self._fixed: set[str] = set()
        # A name may be bound below the place where it is used.
        for _ in range(2):
            for node in self._nodes:
                self._bind(node)

    def _bind(self, node: ast.AST) -> None:
        if isinstance(node, ast.Assign):
            targets, value = node.targets, node.value
        elif isinstance(node, ast.For | ast.comprehension):
            targets, value = [node.target], node.iter
        elif isinstance(node, ast.withitem) and node.optional_vars is not None:
            targets, value = [node.optional_vars], node.context_expr
        else:
            return
        names = {
            one.id for target in targets for one in ast.walk(target) if isinstance(one, ast.Name)
        }
        if self._is_theirs(value):
            self._theirs |= names
        elif self._is_fixed(value):
            self._fixed |= names

    def is_judging(self) -> bool:
        asserted = [one for node in self._nodes if is_assertion(node) for one in ast.walk(node)]
        compared = [one for one in asserted if isinstance(one, ast.Compare)]
        if any(map(self._is_theirs, compared)):
            return True
        if any(self._is_example(one) for one in self._nodes if isinstance(one, ast.Compare)):
            return True
        return self._is_ended_by_comparing() and not self.has_input()

    def _is_ended_by_comparing(self) -> bool:
        """Whether its end depends on how something compares that other code gave."""
        ends = [one for one in self._nodes if isinstance(one, ast.If) and _has_exit(one)]
        asked = [one.test for one in ends]
        asked += [one for one in self._nodes if isinstance(one, ast.Call) and _is_exit(one.func)]
        inner = (one for node in asked for one in ast.walk(node))
        return any(isinstance(one, ast.Compare) and self._is_theirs(one) for one in inner)

    def has_input(self) -> bool:
        """Programs of the product are told what to do; one that judges knows."""
        names = {getattr(one, "id", "") or getattr(one, "attr", "") for one in self._nodes}
        return not _INPUTS.isdisjoint(names)

    def _is_example(self, node: ast.Compare) -> bool:
        """`discount(200, 10) != 180`."""
        sides = [node.left, *node.comparators]
        calls = [one for one in sides if isinstance(one, ast.Call) and self._is_theirs(one.func)]
        told = any(call.args and all(map(self._is_fixed, call.args)) for call in calls)
        return told and all(one in calls or self._is_fixed(one) for one in sides)

    def _is_theirs(self, node: ast.AST) -> bool:
        return any(isinstance(one, ast.Name) and one.id in self._theirs for one in ast.walk(node))

    def _is_fixed(self, node: ast.AST) -> bool:
        """Nothing but literals, and names and items of such."""
        known = (
            ast.Constant, ast.UnaryOp, ast.unaryop, ast.List, ast.Tuple, ast.Set, ast.Dict, ast.expr_context,
            ast.Subscript, ast.Starred,
        )  # fmt: skip
        return all(
            isinstance(one, known) or (isinstance(one, ast.Name) and one.id in self._fixed)
            for one in ast.walk(node)
        )


def _has_exit(node: ast.If) -> bool:
    inner = (one for part in node.body for one in ast.walk(part))
    return any(_is_exit(one) for one in inner)


def _is_exit(node: ast.AST) -> bool:
    return (getattr(node, "id", "") or getattr(node, "attr", "")) in _EXITS


def _list_imported(nodes: Iterable[ast.AST]) -> Collection[str]:
    """Names that come from outside of the language, or start programs."""
    found: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            found.update(
                (one.asname or one.name).partition(".")[0]
                for one in node.names
                if not _is_language(one.name)
            )
        elif isinstance(node, ast.ImportFrom) and (node.level or not _is_language(node.module)):
            found.update(one.asname or one.name for one in node.names)
    return found


def _is_language(module: str | None) -> bool:
    name = (module or "").partition(".")[0]
    return name in sys.stdlib_module_names and name not in _STARTS
