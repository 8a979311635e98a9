"""
Unfinished work newly written into product code: weak findings, or notes where it has an owner.

It is told by TODO, FIXME and XXX in comments (upper case, whole words, nowhere else than in comments), and by
functions whose whole body says that it is still to be written.
"""

import ast
import io
import re
import tokenize
from collections.abc import Iterator, Sequence
from typing import Protocol

from ...core.patterns import compile_late
from ...core.value import Value
from ...core.verdict import goals
from ...core.verdict.finding import NOTE, WEAK, Finding
from ...core.verdict.gate_findings import is_doc
from ...system.git import FileChange
from ..testcode import files as testfiles
from ..testcode.cases import find_language
from ..testcode.tokens import COMMENT, SIGN, TEXT, WORD, CodeTokens, Token, read_code, split_tokens

Function = ast.FunctionDef | ast.AsyncFunctionDef


class TreeTexts(Protocol):
    """The files of two trees."""

    def read(self, tree: str, path: str) -> str | None: ...
    def names(self, tree: str) -> list[str]: ...


_BRACES = """
java kt kts c h cc cpp hpp cs swift scala php dart groovy css scss less proto vue svelte
"""
_LIKE_GO = frozenset(_BRACES.split())
_HASH = frozenset(("rb", "sh", "bash", "zsh", "pl", "ex", "exs", "r", "jl", "nim", "mk", "tf"))
_MARK = compile_late(r"\b(?:TODO|FIXME|XXX)\b")
_OWNED = compile_late(
    r"\b(?:TODO|FIXME|XXX)\b\s*(?:\([^)\s][^)]*\)|\[[^\]\s][^\]]*\]|:?\s*(?:@\w|#\d|[A-Z]{2,}-\d))|https?://"
)
_SHELL_COMMENT = compile_late(
    r"^(?:[^'\"#]|'[^']*'|\"(?:\\.|[^\"\\])*\"|(?<=\S)#)*?(?:^|(?<=\s))#(.*)$"
)


class UnfinishedMark(Value):
    """`owned`: it names an issue, a link or a person, so somebody will come back to it."""

    line: int
    text: str
    owned: bool = False


def find_marks(path: str, text: str) -> list[UnfinishedMark]:
    found = []
    for line, comment in _comments(path, text):
        for offset, row in enumerate(comment.splitlines()):
            mark = _MARK.search(row)
            if mark:
                said = row[mark.start() :].strip().removesuffix("*/").rstrip()
                found.append(UnfinishedMark(line + offset, said, owned=bool(_OWNED.search(row))))
    return found


def _comments(path: str, text: str) -> Iterator[tuple[int, str]]:
    ending = path.rpartition(".")[2].lower()
    language = find_language(path) or ("go" if ending in _LIKE_GO else "")
    if not _MARK.search(text):
        return
    if language == "python":
        yield from _python_comments(text)
    elif language:
        for token in split_tokens(text, language):
            if token.kind == COMMENT:
                yield token.line, token.text
    elif ending in _HASH:
        for number, row in enumerate(text.splitlines(), 1):
            comment = _SHELL_COMMENT.match(row)
            if comment:
                yield number, comment[1]


def _python_comments(text: str) -> Iterator[tuple[int, str]]:
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.COMMENT:
                yield token.start[0], token.string
    except (tokenize.TokenError, SyntaxError):
        return


_SAYS_SO = compile_late(r"not.{0,5}implemented|unimplemented|\btodo\b", re.IGNORECASE)
_ABSTRACT = ("ABC", "ABCMeta", "Protocol", "Interface")
_CALLED_ABSTRACT = compile_late(r"^_?Abstract(?=[A-Z_])|(?:Interface|Protocol|ABC)$")
_DECORATORS = ("abstractmethod", "abstractproperty", "overload", "singledispatch", "override")
_CONTROL = ("if", "for", "while", "switch", "catch", "match", "loop", "else", "with")
_NEAR = 300


class Stub(Value):
    """`owner` is the class around it: whoever inherits from that may fill it in."""

    name: str
    line: int
    text: str
    owner: str = ""


def find_stubs(path: str, text: str) -> list[Stub]:
    language = find_language(path)
    if language == "python" and not path.endswith(".pyi"):
        return _python_stubs(text)
    if language in ("javascript", "go", "rust"):
        return list(_braced(read_code(text, language), language))
    return []


def has_subclass(path: str, text: str, owner: str) -> bool:
    """Whether a class of this text builds on `owner`."""
    name = re.escape(owner)
    if find_language(path) == "python":
        return bool(re.search(rf"\bclass\s+\w+\s*\([^)]*\b{name}\b", text))
    return bool(re.search(rf"\b(?:extends|implements)\s+[^{{]*\b{name}\b", text))


def _python_stubs(text: str) -> list[Stub]:
    try:
        whole = ast.parse(text)
        defined = [node.name for node in ast.walk(whole) if isinstance(node, Function)]
        # Beside another of the same name it is the branch of a platform.
        return [
            stub
            for stub in _stubs_within(whole, None)
            if stub.owner or defined.count(stub.name) == 1
        ]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []


def _stubs_within(node: ast.AST, owner: ast.ClassDef | None) -> Iterator[Stub]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            said = _unwritten(child, owner)
            if said and not _is_abstract(child, owner):
                name = f"{owner.name}.{child.name}" if owner else child.name
                yield Stub(name, child.lineno, said, owner.name if owner else "")
        inner = child if isinstance(child, ast.ClassDef) else owner
        yield from _stubs_within(child, inner)


def _unwritten(node: Function, owner: ast.ClassDef | None) -> str:
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


def _is_abstract(node: Function, owner: ast.ClassDef | None) -> bool:
    marks = [_name(one.func if isinstance(one, ast.Call) else one) for one in node.decorator_list]
    if any(mark in _DECORATORS for mark in marks):
        return True
    if owner is None:
        return False
    if _CALLED_ABSTRACT.search(owner.name):
        return True
    parents = [*owner.bases, *(keyword.value for keyword in owner.keywords)]
    bare = [one.value if isinstance(one, ast.Subscript) else one for one in parents]
    return any(_name(one) in _ABSTRACT for one in bare)


def _name(node: object) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def _braced(found: CodeTokens, language: str) -> Iterator[Stub]:
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


def _end_of_body(found: CodeTokens, index: int) -> int | None:
    for at in range(index, min(len(found), index + _NEAR)):
        if found.text(at) == "{":
            return found.closing(at)
    return None


def _stub(found: CodeTokens, brace: int, language: str) -> Stub | None:
    end = found.closing(brace)
    if end is None or end - brace > _NEAR:
        return None
    body = [one for one in found.between(brace + 1, end) if one.text != ";"]
    said = _says_so(body, language)
    name = _function_name(found, brace) if said else ""
    return Stub(name, found[brace].line, said) if name else None


def _says_so(body: list[Token], language: str) -> str:
    """`throw new Error("not implemented")`, `panic("TODO")`, `todo!()`: alone in their braces."""
    words = [token.text for token in body]
    texts = [token.value for token in body if token.kind == TEXT]
    if language == "rust":
        alone = words[1:3] == ["!", "("] and CodeTokens(body).closing(2) == len(body) - 1
        return f"{words[0]}!()" if alone and words[0] in ("todo", "unimplemented") else ""
    starts = ["throw", "new"] if language == "javascript" else ["panic", "("]
    called = words.count("(") == 1 and words[-1:] == [")"]
    if words[:2] != starts or not called or len(texts) != 1:
        return ""
    return f"{words[0]} {texts[0]!r}" if _SAYS_SO.search(texts[0]) else ""


def _function_name(found: CodeTokens, brace: int) -> str:
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


def _called(found: CodeTokens, at: int) -> str:
    """The name of `name(a) {`, `name = (a) => {`, `name: async (a) => {`."""
    if found[at].kind == WORD and found.text(at) not in ("async", "function"):
        return "" if found.text(at) in _CONTROL else found.text(at)
    words = [token.text for token in found.between(at - 2, at + 1)]
    words = [word for word in words if word not in ("async", "function")]
    named = len(words) > 1 and words[-1] in ("=", ":")
    return words[-2] if named else ""


_SEARCHED = 400


def list_findings(
    source: TreeTexts, base: str, tree: str, changes: Sequence[FileChange], goal: str = ""
) -> list[Finding]:
    """What the change wrote down as unfinished and the base did not know; asked for is not unfinished."""
    abstract = goals.asks_for_abstract(goal)
    before = {one.path: source.read(base, one.path) or "" for one in changes}
    known = "\n".join(before.values())
    attributes = source.read(base, ".gitattributes") or ""
    found: list[Finding] = []
    for one in changes:
        text = source.read(tree, one.path) if one.status != "D" else None
        if text is not None and _is_product(one.path, before[one.path] or text, attributes):
            found += find_new_marks(one.path, text, known)
            found += _new_stubs(source, tree, one.path, before[one.path], text, abstract=abstract)
    return found


def find_new_marks(path: str, text: str, known: str) -> list[Finding]:
    """TODO and the like whose words stand nowhere in what was there before."""
    return [
        Finding(
            rule="unfinished",
            level=NOTE if mark.owned else WEAK,
            what=f"{path} says {_short(mark.text)}",
            where=f"{path}:{mark.line}",
            clears="nothing to do" if mark.owned else "finish it, or name an issue: TODO(#123)",
        )
        for mark in find_marks(path, text)
        if mark.text not in known
    ]


def _new_stubs(
    source: TreeTexts, tree: str, path: str, before: str, text: str, *, abstract: bool
) -> Iterator[Finding]:
    """
    A function that is new or was emptied, and that nothing in the tree fills in. `abstract`: the goal
    asks for methods that others will fill in.
    """
    old = {stub.name for stub in find_stubs(path, before)}
    for stub in find_stubs(path, text):
        filled = abstract or (stub.owner and _is_inherited(source, tree, path, stub.owner))
        if stub.name in old or (stub.owner and filled):
            continue
        yield Finding(
            rule="unfinished",
            level=WEAK,
            what=f"{stub.name} has no body yet: {_short(stub.text)}",
            where=f"{path}:{stub.line}",
            clears=f"write {stub.name}, or mark it abstract",
        )


def _is_inherited(source: TreeTexts, tree: str, path: str, owner: str) -> bool:
    ending = "." + path.rpartition(".")[2]
    folder = path.rpartition("/")[0]
    names = [name for name in source.names(tree) if name.endswith(ending)]
    near = sorted(names, key=lambda name: (name != path, not name.startswith(folder)))
    texts = (source.read(tree, name) or "" for name in near[:_SEARCHED])
    return any(has_subclass(path, text, owner) for text in texts)


def _is_product(path: str, text: str, attributes: str) -> bool:
    tests = testfiles.is_test_path(path) or testfiles.is_support_path(path)
    return not (tests or is_doc(path) or testfiles.is_generated(path, text, attributes))


def _short(text: str) -> str:
    return f'"{text[:60]}…"' if len(text) > 60 else f'"{text}"'
