"""Zero values of Python functions by what they say or show they return, and bodies that do nothing."""

import ast
from collections.abc import Sequence

from ..language.python import Function, get_last_word

_ZEROS = {
    "int": "0", "float": "0.0", "complex": "0j", "str": "''", "AnyStr": "''", "LiteralString": "''",
    "bytes": "b''", "bytearray": "bytearray()", "bool": "False", "TypeGuard": "False", "TypeIs": "False",
    "list": "[]", "List": "[]", "Sequence": "[]", "MutableSequence": "[]", "Iterable": "[]", "Collection": "[]",
    "tuple": "()", "Tuple": "()", "set": "set()", "Set": "set()", "AbstractSet": "set()", "MutableSet": "set()",
    "frozenset": "frozenset()", "FrozenSet": "frozenset()",
    "dict": "{}", "Dict": "{}", "Mapping": "{}", "MutableMapping": "{}", "OrderedDict": "{}", "TypedDict": "{}",
    "Iterator": "iter(())", "Generator": "iter(())",
}  # fmt: skip
_WRAPPERS = ("Annotated", "Final", "ClassVar", "Required", "NotRequired", "ReadOnly")
_DISPLAYS: dict[type[ast.expr], str] = {
    ast.JoinedStr: "''", ast.List: "[]", ast.ListComp: "[]", ast.Dict: "{}", ast.DictComp: "{}",
    ast.Set: "set()", ast.SetComp: "set()", ast.GeneratorExp: "iter(())", ast.Compare: "False",
}  # fmt: skip
_LITERALS: dict[type, str] = {str: "''", bytes: "b''", bool: "False", int: "0", float: "0.0", complex: "0j"}
_EMPTY_CALLS = ("list", "dict", "set", "tuple", "str", "bytes", "frozenset")


def choose_zero(node: Function) -> str:
    """The statement that returns the zero value. A generator stays one: its `yield` is still behind it."""
    if is_generator(node):
        return "return"
    if node.returns is not None:
        return f"return {_find_zero(node.returns)}"
    returned = [child.value for child in list_own(node) if isinstance(child, ast.Return)]
    kinds = {_classify(expression) for expression in returned}
    return f"return {kinds.pop()}" if len(kinds) == 1 else "return None"


def is_generator(node: Function) -> bool:
    return any(isinstance(child, ast.Yield | ast.YieldFrom) for child in list_own(node))


def list_own(node: Function) -> list[ast.AST]:
    """Return the nodes of a function's body without those of inner functions and classes."""
    nodes: list[ast.AST] = []
    waiting: list[ast.AST] = list(node.body)
    while waiting:
        child = waiting.pop()
        if not isinstance(child, Function | ast.ClassDef | ast.Lambda):
            nodes.append(child)
            waiting.extend(ast.iter_child_nodes(child))
    return nodes


def _find_zero(annotation: ast.expr) -> str:
    """Return an expression; None for types without a literal."""
    if isinstance(annotation, ast.Constant):
        if not isinstance(annotation.value, str):
            return "None"
        try:
            return _find_zero(ast.parse(annotation.value, mode="eval").body)
        except (SyntaxError, ValueError):
            return "None"
    if isinstance(annotation, ast.BinOp):
        sides = [_find_zero(annotation.left), _find_zero(annotation.right)]
        return "None" if "None" in sides else sides[0]
    if isinstance(annotation, ast.Subscript):
        return _find_subscripted(annotation)
    return _ZEROS.get(get_last_word(annotation), "None")


def _find_subscripted(annotation: ast.Subscript) -> str:
    name = get_last_word(annotation.value)
    inner = annotation.slice
    parts = inner.elts if isinstance(inner, ast.Tuple) else [inner]
    if name == "Optional":
        return "None"
    if name in _WRAPPERS:
        return _find_zero(parts[0])
    if name == "Literal":
        return _classify(parts[0])
    zeros = [_find_zero(part) for part in parts]
    if name == "Union":
        return "None" if "None" in zeros else zeros[0]
    if name in ("tuple", "Tuple") and not any(_is_dots(part) for part in parts):
        return "()" if isinstance(inner, ast.Tuple) and not parts else f"({', '.join(zeros)},)"
    return _ZEROS.get(name, "None")


def _is_dots(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is ...


def _classify(value: ast.expr | None) -> str:
    """The zero of the kind that an expression plainly has."""
    if isinstance(value, ast.Constant):
        return _LITERALS.get(type(value.value), "None")
    if isinstance(value, ast.UnaryOp):
        return "False" if isinstance(value.op, ast.Not) else _classify(value.operand)
    if isinstance(value, ast.BinOp):  # "%d" % x, "a" + b
        zero = _classify(value.left)
        return zero if zero in ("''", "b''", "[]") else "None"
    if isinstance(value, ast.Call):
        called = value.func
        if isinstance(called, ast.Attribute) and called.attr in ("join", "format"):
            return "''" if _classify(called.value) == "''" else "None"
        name = called.id if isinstance(called, ast.Name) else ""
        name = {"len": "int", "sum": "int", "sorted": "list", "isinstance": "bool"}.get(name, name)
        builtin = name if name in ("int", "str", "list", "dict", "set", "bool", "float") else ""
        return _ZEROS.get(builtin, "None")
    if isinstance(value, ast.Tuple):
        return f"({', '.join(map(_classify, value.elts))},)" if value.elts else "()"
    return _DISPLAYS.get(type(value), "None") if value is not None else "None"


def does_nothing(node: Function, body: Sequence[ast.stmt], *, is_method: bool) -> bool:
    """`body` is that of the function without its docstring."""
    rest = [statement for statement in body if not isinstance(statement, ast.Pass) and not _is_ellipsis(statement)]
    if not rest:
        return True
    only = rest[0]
    if len(rest) > 1:
        return False
    if isinstance(only, ast.Raise):
        raised = only.exc.func if isinstance(only.exc, ast.Call) else only.exc
        return raised is not None and get_last_word(raised) == "NotImplementedError"
    if not isinstance(only, ast.Return):
        return False
    parameters = [parameter.arg for parameter in ast.walk(node.args) if isinstance(parameter, ast.arg)]
    statics = any(get_last_word(decorator) == "staticmethod" for decorator in node.decorator_list)
    own = parameters[1:] if is_method and not statics else parameters
    return _is_empty(only.value, own)


def _is_ellipsis(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _is_empty(value: ast.expr | None, parameters: Sequence[str]) -> bool:
    """Return whether a value is empty. Numbers and booleans count only if arguments are ignored; otherwise they are
    constants."""
    if value is None:
        return True
    if isinstance(value, ast.Name):
        return value.id in parameters
    if isinstance(value, ast.Constant):
        plain = isinstance(value.value, bool | int | float)
        return not value.value and (bool(parameters) or not plain)
    if isinstance(value, ast.Call):
        return not (value.args or value.keywords) and get_last_word(value.func) in _EMPTY_CALLS
    if isinstance(value, ast.Dict):
        return not value.keys
    return isinstance(value, ast.List | ast.Tuple) and not value.elts
