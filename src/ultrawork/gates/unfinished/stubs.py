"""Functions whose whole body says that it is still to be written."""

import ast
import re

from ..testcode.languages import language_of
from ..testcode.tokens import SIGN, TEXT, WORD, Code, code

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..testcode.tokens import Token

    Function = ast.FunctionDef | ast.AsyncFunctionDef

_SAYS_SO = re.compile(r"not.{0,5}implemented|unimplemented|\btodo\b", re.IGNORECASE)
_ABSTRACT = ("ABC", "ABCMeta", "Protocol", "Interface")
_DECORATORS = ("abstractmethod", "abstractproperty", "overload", "singledispatch", "override")
_CONTROL = ("if", "for", "while", "switch", "catch", "match", "loop", "else", "with")
_NEAR = 300


class Stub:
    """`owner` is the class around it: whoever inherits from that may fill it in."""

    __slots__ = ("line", "name", "owner", "text")

    def __init__(self, name: str, line: int, text: str, owner: str = "") -> None:
        self.name = name
        self.line = line
        self.text = text
        self.owner = owner


def stubs(path: str, text: str) -> list[Stub]:
    language = language_of(path)
    if language == "python" and not path.endswith(".pyi"):
        return _python(text)
    if language in ("javascript", "go", "rust"):
        return list(_braced(code(text, language), language))
    return []


def inherits(path: str, text: str, owner: str) -> bool:
    """Whether a class of this text builds on `owner`."""
    name = re.escape(owner)
    if language_of(path) == "python":
        return bool(re.search(rf"\bclass\s+\w+\s*\([^)]*\b{name}\b", text))
    return bool(re.search(rf"\b(?:extends|implements)\s+[^{{]*\b{name}\b", text))


def _python(text: str) -> list[Stub]:
    try:
        return list(_within(ast.parse(text), None))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []


def _within(node: ast.AST, owner: ast.ClassDef | None) -> "Iterator[Stub]":
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            said = _unwritten(child, owner)
            if said and not _abstract(child, owner):
                name = f"{owner.name}.{child.name}" if owner else child.name
                yield Stub(name, child.lineno, said, owner.name if owner else "")
        inner = child if isinstance(child, ast.ClassDef) else owner
        yield from _within(child, inner)


def _unwritten(node: "Function", owner: ast.ClassDef | None) -> str:
    """What stands there instead of a body; empty if there is one."""
    body = [one for one in node.body if not _is_docstring(one)]
    documented = len(body) < len(node.body)
    if len(body) != 1:
        return ""
    only = body[0]
    if isinstance(only, ast.Raise):
        raised = only.exc.func if isinstance(only.exc, ast.Call) else only.exc
        return "raise NotImplementedError" if _name(raised) == "NotImplementedError" else ""
    # Doing nothing is often meant: in a special method, where a parent is overridden, or as documented.
    meant = documented or node.name.startswith("__") or (owner is not None and owner.bases)
    return "pass" if isinstance(only, ast.Pass) and not meant else ""


def _is_docstring(node: ast.stmt) -> bool:
    value = node.value if isinstance(node, ast.Expr) else None
    return isinstance(value, ast.Constant) and isinstance(value.value, str)


def _abstract(node: "Function", owner: ast.ClassDef | None) -> bool:
    marks = [_name(one.func if isinstance(one, ast.Call) else one) for one in node.decorator_list]
    if any(mark in _DECORATORS for mark in marks):
        return True
    if owner is None:
        return False
    parents = [*owner.bases, *(keyword.value for keyword in owner.keywords)]
    bare = [one.value if isinstance(one, ast.Subscript) else one for one in parents]
    return any(_name(one) in _ABSTRACT for one in bare)


def _name(node: object) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def _braced(found: "Code", language: str) -> "Iterator[Stub]":
    owners: list[tuple[int, str, str]] = []
    for index, token in enumerate(found.tokens):
        owners = [owner for owner in owners if owner[0] > index]
        if token.kind == WORD and token.text in ("class", "trait"):
            end = _end_of_body(found, index)
            owners += [(end, token.text, found.text(index + 1))] if end is not None else []
        if token.kind == SIGN and token.text == "{":
            stub = _stub(found, index, language)
            if stub is not None and not any(kind == "trait" for _, kind, _ in owners):
                stub.owner = owners[-1][2] if owners else ""
                stub.name = f"{stub.owner}.{stub.name}" if stub.owner else stub.name
                yield stub


def _end_of_body(found: "Code", index: int) -> int | None:
    for at in range(index, min(len(found), index + _NEAR)):
        if found.text(at) == "{":
            return found.closing(at)
    return None


def _stub(found: "Code", brace: int, language: str) -> Stub | None:
    end = found.closing(brace)
    if end is None or end - brace > _NEAR:
        return None
    body = [one for one in found.between(brace + 1, end) if one.text != ";"]
    said = _says_so(body, language)
    name = _function_name(found, brace) if said else ""
    return Stub(name, found[brace].line, said) if name else None


def _says_so(body: "list[Token]", language: str) -> str:
    """`throw new Error("not implemented")`, `panic("TODO")`, `todo!()`: alone in their braces."""
    words = [token.text for token in body]
    texts = [token.value for token in body if token.kind == TEXT]
    if language == "rust":
        alone = words[1:3] == ["!", "("] and Code(body).closing(2) == len(body) - 1
        return f"{words[0]}!()" if alone and words[0] in ("todo", "unimplemented") else ""
    starts = ["throw", "new"] if language == "javascript" else ["panic", "("]
    called = words.count("(") == 1 and words[-1:] == [")"]
    if words[:2] != starts or not called or len(texts) != 1:
        return ""
    return f"{words[0]} {texts[0]!r}" if _SAYS_SO.search(texts[0]) else ""


def _function_name(found: "Code", brace: int) -> str:
    """The word before the parameters that stand before a body; empty for other braces."""
    depth = 0
    for at in range(brace - 1, max(0, brace - _NEAR), -1):
        text = found.text(at) if found[at].kind == SIGN else ""
        depth += (text == ")") - (text == "(")
        if depth == 0 and text in ("{", "}", ";"):
            return ""
        if depth == 0 and text == "(":
            return _called(found, at - 1)
    return ""


def _called(found: "Code", at: int) -> str:
    """The name of `name(a) {`, `name = (a) => {`, `name: async (a) => {`."""
    if found[at].kind == WORD and found.text(at) not in ("async", "function"):
        return "" if found.text(at) in _CONTROL else found.text(at)
    words = [token.text for token in found.between(at - 2, at + 1)]
    words = [word for word in words if word not in ("async", "function")]
    named = len(words) > 1 and words[-1] in ("=", ":")
    return words[-2] if named else ""
