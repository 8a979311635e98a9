"""Functions of Python, read with its own parser."""

import ast
import warnings
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from copy import deepcopy

from ...core.patterns import compile_late
from ..language.python import Function, get_last_word, parse_source, skip_docstring
from .python_values import choose_zero, does_nothing, is_generator, list_own
from .source import FunctionText, SourceText, number_names

_LINE_END = compile_late(r"\r\n|\r|\n")
# They create the object or run during import: without them nothing loads.
_NEVER_ZERO = (
    "__init__", "__new__", "__init_subclass__", "__post_init__", "__set_name__", "__class_getitem__",
    "__prepare__", "__getattr__", "__getattribute__", "__setattr__", "_generate_next_value_",
)  # fmt: skip
_ABSTRACT = frozenset(("abstractmethod", "abstractproperty", "overload", "singledispatch"))
_PLAIN_DECORATORS = frozenset(("staticmethod", "classmethod", "property"))


def parse(text: str) -> SourceText | None:
    tree = parse_source(text)
    if tree is None:
        return None
    try:
        return _Reader(text, tree).read()
    except RecursionError:
        return None


def is_valid(text: str) -> bool:
    """Return whether it compiles, which finds more than the parser: an `await` outside an async function, for one."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(text, "text", "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


class _Reader:
    def __init__(self, text: str, tree: ast.Module) -> None:
        self._text = text
        self._tree = tree
        self._starts = [0, *(end.end() for end in _LINE_END.finditer(text))]
        self._classes = {node.name: node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)}
        self._early = _list_early(tree)

    def read(self) -> SourceText:
        functions = [self._read(*walk_function) for walk_function in _walk_functions(self._tree, "", None)]
        imports = dict(_list_imports(self._tree.body))
        declared = frozenset(_list_bound(self._tree.body)) | frozenset(imports)
        return SourceText(self._text, number_names(functions), declared, imports)

    def _read(self, name: str, node: Function, owner: ast.ClassDef | None) -> FunctionText:
        first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
        body = skip_docstring(node.body)
        parts = [part for statement in body for part in ast.walk(statement)]
        start = self._start(body[0]) if body else self._end(node.body[-1])
        end = self._end(node.body[-1])
        inline = not body or bool(self._read_indent(start).strip())
        at = self._place(first, node.col_offset) if inline else start
        indent = self._read_indent(at) + " " * 4 * inline
        zero = choose_zero(node) if self._can_zero(node, owner) else None
        return FunctionText(
            name=name,
            lines=(first, node.end_lineno or first),
            span=(self._place(first, node.col_offset), end),
            body=(start, end),
            head=_dump_head(node),
            code=_dump_body(body, has_inner=any(isinstance(part, Function) for part in parts)),
            block=self._text[start:end],
            indent=indent,
            inline=inline,
            zero=None if zero is None else (start, start, _join_zero(zero, body, indent, inline=inline)),
            parameters=dict.fromkeys(_list_parameters(node), ""),
            needs=_list_needs(node, parts),
            shape=_describe_shape(node),
            trivial=self._is_trivial(node, owner, body),
        )

    def _read_indent(self, place: int) -> str:
        """Return what precedes a place on its line: blanks, unless something else begins there."""
        return self._text[self._line_start(place) : place]

    def _line_start(self, place: int) -> int:
        return self._starts[bisect_right(self._starts, place) - 1]

    def _start(self, node: ast.stmt) -> int:
        decorators = getattr(node, "decorator_list", ())
        line = min([node.lineno, *(decorator.lineno for decorator in decorators)])
        return self._place(line, node.col_offset)

    def _end(self, node: ast.stmt) -> int:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return self._place(node.end_lineno, node.end_col_offset)

    def _place(self, line: int, offset: int) -> int:
        """Columns are counted in bytes."""
        start = self._starts[line - 1]
        following = self._starts[line] if line < len(self._starts) else len(self._text)
        row = self._text[start:following]
        return start + (offset if row.isascii() else len(row.encode()[:offset].decode()))

    def _can_zero(self, node: Function, owner: ast.ClassDef | None) -> bool:
        marks = {_name(decorator) for decorator in node.decorator_list}
        return not (
            node.name in _NEVER_ZERO
            or node.name in self._early
            or marks & _ABSTRACT
            or (owner is not None and _is_protocol(owner))
            or _is_decorator(node)
        )

    def _is_trivial(self, node: Function, owner: ast.ClassDef | None, body: Sequence[ast.stmt]) -> bool | None:
        marks = {_name(decorator) for decorator in node.decorator_list}
        if marks - _PLAIN_DECORATORS or node.name.startswith("__"):
            return False
        if not does_nothing(node, body, is_method=owner is not None):
            return False
        return not owner or self._is_own(node.name, owner)

    def _is_own(self, name: str, owner: ast.ClassDef) -> bool | None:
        """Return False for a method that a base class may call or a subclass overrides; None for a base from another
        file."""
        if _is_protocol(owner) or owner.name.startswith(("Abstract", "Base", "_Base")):
            return False
        known: bool | None = True
        for base in filter(None, map(_name, owner.bases)):
            if base == "object":
                continue
            parent = self._classes.get(base)
            if parent is None or parent is owner:
                known = None
            elif any(isinstance(node, Function) and node.name == name for node in parent.body):
                return False
            else:
                known = self._is_own(name, parent) and known
        return known


def _join_zero(zero: str, body: Sequence[ast.stmt], indent: str, *, inline: bool) -> str:
    if not body:
        return f"; {zero}"
    return f"{zero}; " if inline else f"{zero}\n{indent}"


def _walk_functions(
    tree: ast.AST, outer: str, owner: ast.ClassDef | None
) -> Iterator[tuple[str, Function, ast.ClassDef | None]]:
    """Yield functions with their qualified names."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, Function):
            yield outer + node.name, node, owner
            yield from _walk_functions(node, f"{outer}{node.name}.<locals>.", None)
        elif isinstance(node, ast.ClassDef):
            yield from _walk_functions(node, f"{outer}{node.name}.", node)
        elif isinstance(node, ast.stmt | ast.excepthandler | ast.match_case):
            yield from _walk_functions(node, outer, owner)


class _Hollow(ast.NodeTransformer):
    """Reduces a nested function to its name: it is compared separately."""

    def _empty(self, node: Function) -> ast.AST:
        return ast.Expr(ast.Name(node.name, ast.Load()))

    visit_FunctionDef = _empty  # noqa: N815 (the names that ast asks for)
    visit_AsyncFunctionDef = _empty  # noqa: N815


def _dump_body(body: Sequence[ast.stmt], *, has_inner: bool) -> str:
    statements = [_Hollow().visit(deepcopy(node)) for node in body] if has_inner else body
    return "\n".join(map(ast.dump, statements)) or ast.dump(ast.Pass())


def _dump_head(node: Function) -> str:
    parts = [*node.decorator_list, node.args, *([node.returns] if node.returns else [])]
    return type(node).__name__ + " ".join(map(ast.dump, parts))


def _list_parameters(node: Function) -> list[str]:
    return [parameter.arg for parameter in ast.walk(node.args) if isinstance(parameter, ast.arg)]


def _list_needs(node: Function, parts: Iterable[ast.AST]) -> frozenset[str]:
    """Return the names that the body reads but does not bind, and the attributes it uses."""
    read: set[str] = set()
    bound = set(_list_bound(node.body))
    attributes: set[str] = set()
    for part in parts:
        if isinstance(part, ast.Attribute):
            attributes.add(part.attr)
        elif isinstance(part, ast.Name):
            (read if isinstance(part.ctx, ast.Load) else bound).add(part.id)
    return frozenset((read - bound) | attributes)


def _describe_shape(node: Function) -> str:
    words = ["async"] if isinstance(node, ast.AsyncFunctionDef) else []
    return " ".join(words + ["generator"] * is_generator(node))


def _name(node: ast.expr | None) -> str:
    """Return the last word of a name, call or subscript."""
    while isinstance(node, ast.Call | ast.Subscript):
        node = node.func if isinstance(node, ast.Call) else node.value
    return get_last_word(node)


def _is_protocol(owner: ast.ClassDef) -> bool:
    parents = [*owner.bases, *(keyword.value for keyword in owner.keywords)]
    return bool({_name(node) for node in parents} & {"Protocol", "ABC", "ABCMeta"})


def _is_decorator(node: Function) -> bool:
    """Return whether it returns a function that it defines: then it usually decorates something during import."""
    inner = {statement.name for statement in node.body if isinstance(statement, Function)}
    returned = [child.value for child in list_own(node) if isinstance(child, ast.Return)]
    return bool(returned) and all(
        isinstance(expression, ast.Name) and expression.id in inner for expression in returned
    )


def _list_early(tree: ast.Module) -> frozenset[str]:
    """Return the functions of this file that run during import, with those they call."""
    bodies = {node.name: node for node in ast.walk(tree) if isinstance(node, Function)}
    waiting = set(_list_calls(_walk_early(tree)))
    early: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name in bodies and name not in early:
            early.add(name)
            waiting |= set(_list_calls(ast.walk(bodies[name])))
    return frozenset(early)


def _walk_early(node: ast.AST) -> Iterator[ast.AST]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, Function):
            for part in (*child.decorator_list, *child.args.defaults):
                yield from (ast.Call(part, [], []), *ast.walk(part))
        elif not isinstance(child, ast.Lambda) and not _is_main(child):
            yield child
            yield from _walk_early(child)


def _is_main(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and "__main__" in ast.dump(node.test)


def _list_calls(nodes: Iterable[ast.AST]) -> Iterator[str]:
    for node in nodes:
        called = node.func if isinstance(node, ast.Call) else None
        if isinstance(called, ast.Name):
            yield called.id
        elif isinstance(called, ast.Attribute) and isinstance(called.value, ast.Name):
            yield called.attr


def _list_imports(body: Iterable[ast.stmt]) -> Iterator[tuple[str, str]]:
    for node in body:
        if isinstance(node, ast.Import | ast.ImportFrom) and "__future__" not in ast.dump(node):
            for name in node.names:
                alone = deepcopy(node)
                alone.names = [name]
                if name.name != "*":
                    yield (name.asname or name.name).partition(".")[0], ast.unparse(alone)
        elif isinstance(node, ast.If | ast.Try):
            yield from _list_imports(node.body)


def _list_bound(body: Iterable[ast.stmt]) -> Iterator[str]:
    """Yield the names that statements bind, outside inner functions and classes."""
    for node in body:
        if isinstance(node, Function | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Import | ast.ImportFrom):
            yield from ((name.asname or name.name).partition(".")[0] for name in node.names)
        else:
            for inner in ast.walk(node):
                if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store):
                    yield inner.id
                elif isinstance(inner, ast.ExceptHandler) and inner.name:
                    yield inner.name
            for part in ("body", "orelse", "finalbody"):
                yield from _list_bound(child for child in getattr(node, part, ()) if isinstance(child, ast.stmt))


def put_back(old: FunctionText, new: FunctionText, imports: Sequence[str]) -> str:
    """Return the body of `old` in the place of the body of `new`."""
    if old.block and old.indent == new.indent and not old.inline:
        lines = [*imports, old.block]
    else:
        lines = [*imports, *_write_anew(old)]
    joined = f"\n{new.indent}".join(lines)
    return f"\n{new.indent}{joined}" if new.inline else joined


def _write_anew(old: FunctionText) -> list[str]:
    """Return the lines of a body without its indentation."""
    if not old.block:
        return ["pass"]
    whole = "def f(): " + old.block if old.inline else f"def f():\n{old.indent}{old.block}"
    body = getattr(ast.parse(whole).body[0], "body", [])
    return [line for node in body for line in ast.unparse(node).splitlines()]
