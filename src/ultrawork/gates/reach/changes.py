"""
What in a change a trace can look for: the functions that hold a changed line, what changed around them,
and files that are opened rather than run.

Python is compared by its syntax, so comments, blank lines, docstrings and layout are no change. Functions
are matched by their qualified names: one whose body differs, or that is new, is looked for in the trace;
one that is gone, or whose decorators or defaults differ, is a change of the module around it. A name that is
new to a module and is bound to no more than an import, a literal or a class moves nobody who does not
use it, and whoever uses it changed too.
"""

import ast
from collections import Counter
from collections.abc import Callable, Iterable, Iterator

from ...core.verdict.reach import CodeChange, FunctionSpan
from ...system.git import FileChange
from ..testcode.python import parse_source
from .javascript import compare_javascript

Function = ast.FunctionDef | ast.AsyncFunctionDef
Read = Callable[[str], str | None]

_DATA = (
    ".json .jsonl .yaml .yml .toml .csv .tsv .txt .xml .html .htm .sql .ini .cfg .conf .env .md .rst .adoc"
    " .j2 .jinja .jinja2 .tmpl .tpl .mustache .hbs .ejs .css .svg .png .jpg .jpeg .gif .ico .pdf .snap"
    " .ambr .golden .properties .po .mo .graphql .proto .log .out .expected .dat .bin .db .sqlite .gz .zip"
)
_DATA_ENDINGS = tuple(_DATA.split())
_DATA_NAMES = ("LICENSE", "NOTICE", "AUTHORS", "README", "CHANGELOG", "VERSION", ".gitignore")


def list_code_changes(changes: Iterable[FileChange], before: Read, after: Read) -> list[CodeChange]:
    """`before` and `after` read a file of base and of now; changes of nothing that runs are left out."""
    found = [_compare(one, before, after) for one in changes]
    return [one for one in found if not one.is_empty]


def _compare(change: FileChange, before: Read, after: Read) -> CodeChange:
    path = change.path
    name = path.rpartition("/")[2]
    for ending, compare in _LANGUAGES:
        if path.endswith(ending):
            return compare(path, before(path), after(path))
    data = name.endswith(_DATA_ENDINGS) or name in _DATA_NAMES
    return CodeChange(path, data=data, unseen=not data)


def compare_python(path: str, before: str | None, after: str | None) -> CodeChange:
    """One file of Python as it was and as it is; None where there was none."""
    old, new = parse_source(before or ""), parse_source(after or "")
    if after is None or old is None or new is None:
        return CodeChange(path, around="it is gone" if after is None else "it does not parse")
    was, now = dict(_list_functions(old)), dict(_list_functions(new))
    changed = [name for name, node in now.items() if name not in was or _differ(was[name], node)]
    return CodeChange(
        path,
        frozenset(_span(path, name, now[name]) for name in changed),
        around=_compare_around(old, new),
    )


def _list_functions(tree: ast.AST) -> Iterator[tuple[str, Function]]:
    """By qualified name, as the interpreter has it; a second one of a name gets a number."""
    seen: Counter[str] = Counter()
    for name, node in _functions(tree, ""):
        seen[name] += 1
        yield (name if seen[name] == 1 else f"{name}#{seen[name]}"), node


def _functions(tree: ast.AST, outer: str) -> Iterator[tuple[str, Function]]:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, Function):
            yield outer + node.name, node
            yield from _functions(node, f"{outer}{node.name}.<locals>.")
        elif isinstance(node, ast.ClassDef):
            yield from _functions(node, f"{outer}{node.name}.")
        else:
            yield from _functions(node, outer)


def _span(path: str, name: str, node: Function) -> FunctionSpan:
    first = min([node.lineno, *(one.lineno for one in node.decorator_list)])
    return FunctionSpan(path, first, node.end_lineno or first, name.partition("#")[0])


def _differ(old: Function, new: Function) -> bool:
    return _dump(old, whole=True) != _dump(new, whole=True)


def _dump(node: ast.AST, *, whole: bool = False) -> str:
    """Without docstrings, and without what is in functions; `whole` keeps the body of this one."""
    from copy import deepcopy

    return ast.dump(_Hollow(whole=whole).visit(deepcopy(node)))


class _Hollow(ast.NodeTransformer):
    """Empties functions: name, decorators and arguments are left, without their types."""

    def __init__(self, *, whole: bool) -> None:
        self._whole = whole

    def _empty(self, node: Function) -> ast.AST:
        if self._whole:
            node.body = _without_docstring(node.body)
        else:
            node.body, node.returns = [ast.Pass()], None
            for one in ast.walk(node.args):
                if isinstance(one, ast.arg):
                    one.annotation = None
        self._whole = False
        return self.generic_visit(node)

    visit_FunctionDef = _empty  # noqa: N815 (the names that ast asks for)
    visit_AsyncFunctionDef = _empty  # noqa: N815

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        node.body = _without_docstring(node.body)
        return self.generic_visit(node)


def _without_docstring(body: list[ast.stmt]) -> list[ast.stmt]:
    first = body[0] if body else None
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
        return (body[1:] or [ast.Pass()]) if isinstance(first.value.value, str) else body
    return body


class _Statement:
    """A statement outside of functions: where it stands (`` or a class), and what it is."""

    __slots__ = ("node", "owner", "shape")

    def __init__(self, node: ast.stmt, owner: str) -> None:
        self.node = node
        self.owner = owner
        self.shape = (owner, _shape(node))

    def describe(self) -> str:
        return f"line {self.node.lineno}: {ast.unparse(self.node).splitlines()[0][:60]}"


def _shape(node: ast.stmt) -> str:
    """Of a class only its head: what is in it stands for itself."""
    if isinstance(node, ast.ClassDef):
        head = [*node.bases, *node.keywords, *node.decorator_list]
        return f"class {node.name} " + " ".join(map(ast.dump, head))
    return _dump(node)


def _list_statements(body: Iterable[ast.stmt], owner: str = "") -> Iterator[_Statement]:
    for node in body:
        if _says_nothing(node):
            continue
        yield _Statement(node, owner)
        if isinstance(node, ast.ClassDef):
            yield from _list_statements(node.body, f"{owner}{node.name}.")


def _says_nothing(node: ast.stmt) -> bool:
    """Texts, `pass`, what only a type checker reads, and the list of names for `import *`."""
    if isinstance(node, ast.Pass):
        return True
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant)
    if isinstance(node, ast.If):
        return isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
    return isinstance(node, ast.Assign) and list(_bound(node)) == ["__all__"]


def _compare_around(old: ast.Module, new: ast.Module) -> str:
    """The first statement outside of functions that differs and can move somebody."""
    before, after = list(_list_statements(old.body)), list(_list_statements(new.body))
    left = Counter(one.shape for one in before) - Counter(one.shape for one in after)
    added = Counter(one.shape for one in after) - Counter(one.shape for one in before)
    names = {(one.owner, name) for one in before for name in _bound(one.node)}
    owners = {one.owner for one in before}
    fresh = [one for one in after if added[one.shape]]
    moved = [one for one in fresh if not _is_harmless(one, names, owners)]
    lost = [one for one in before if left[one.shape] and not _is_unused(one, new)]
    return next((one.describe() for one in (*moved, *lost)), "")


def _is_harmless(added: _Statement, names: set[tuple[str, str]], owners: set[str]) -> bool:
    """A new name, in a place of its own, that running the statement cannot do more than bind."""
    node, owner = added.node, added.owner
    bound = list(_bound(node))
    if not bound or any((owner, name) in names for name in bound):
        return False
    if isinstance(node, Function):
        return True
    if owner and owner in owners:  # an attribute may hide that of a base, or be a field
        return False
    if isinstance(node, ast.ClassDef):
        return not node.keywords
    if isinstance(node, ast.Import | ast.ImportFrom):
        return "*" not in bound
    value = getattr(node, "value", None)
    return value is None or not any(isinstance(one, _ACTS) for one in ast.walk(value))


_ACTS = (ast.Call, ast.Await, ast.Yield, ast.YieldFrom, ast.NamedExpr, ast.Lambda)


def _is_unused(gone: _Statement, new: ast.Module) -> bool:
    """An import of the standard library that nothing here uses any more."""
    import sys

    node = gone.node
    if not isinstance(node, ast.Import | ast.ImportFrom) or "*" in _bound(node):
        return False
    asked = (
        [one.name for one in node.names] if isinstance(node, ast.Import) else [node.module or "."]
    )
    used = {one.id for one in ast.walk(new) if isinstance(one, ast.Name)}
    library = all(name.partition(".")[0] in sys.stdlib_module_names for name in asked)
    return library and used.isdisjoint(_bound(node))


def _bound(node: ast.stmt) -> Iterator[str]:
    """The names that a statement binds."""
    if isinstance(node, Function | ast.ClassDef):
        yield node.name
    elif isinstance(node, ast.Import | ast.ImportFrom):
        yield from ((one.asname or one.name).partition(".")[0] for one in node.names)
    else:
        targets = getattr(node, "targets", None) or [getattr(node, "target", None)]
        for target in filter(None, targets):
            yield from (one.id for one in ast.walk(target) if isinstance(one, ast.Name))


_LANGUAGES = (
    ((".py",), compare_python),
    ((".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx"), compare_javascript),
)
