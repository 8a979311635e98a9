"""Functions of Go by their tokens."""

from collections.abc import Iterator, Sequence

from ...core.patterns import compile_late
from ..language.go import GoFunction, list_top_functions
from ..language.tokens import SIGN, TEXT, WORD, CodeTokens, Token
from .braces import BracedFunction, BraceReader, join, list_early, make_source, parse_with, split_commas
from .source import FunctionText, SourceText

_NEVER_ZERO = ("init", "main", "TestMain")
_TYPE_WORDS = ("chan", "func", "map", "interface", "struct")
# Interfaces of the standard library: a method with such a name may be exactly what is requested.
_KNOWN_METHODS = ("Close", "Flush", "Lock", "Unlock", "Sys")
_VERSION = compile_late(r"v\d+")
_HEAD = compile_late(r"func\s*(?:\([^)]*\)\s*)?(\w+)")
_PACKAGE = compile_late(r"(?m)^package[ \t]+\w+")


def parse(text: str) -> SourceText | None:
    return parse_with(text, "go", _Reader)


class _Reader(BraceReader):
    def read(self) -> SourceText:
        code, text = self._code, self._text
        functions = [_make_function(function, code, text) for function in list_top_functions(code)]
        early, methods = list_early(code, functions), set(_list_interface_methods(code))
        for function in functions:
            last = function.name.rpartition(".")[2]
            if last in early or last in _NEVER_ZERO:
                function.zero = None
            function.excused = "." in function.name and (last in methods or last in _KNOWN_METHODS)
        declared = {function.name.rpartition(".")[2] for function in functions}.union(_list_declared(code))
        imports = dict(_list_imports(code))
        return make_source(text, code, functions, declared | imports.keys(), imports.items())


def _make_function(function: GoFunction, code: CodeTokens, text: str) -> BracedFunction:
    receiver, results = function.receiver, code.between(function.right + 1, function.opens)
    parameters = dict(_list_parameters(code.between(function.left + 1, function.right), text))
    parameters |= dict(_list_parameters(receiver, text))
    if results and results[0].text == "(":
        parameters |= dict(_list_parameters(results[1:-1], text))
    return BracedFunction(
        start=function.start, left=function.left, right=function.right, opens=function.opens, end=function.end,
        name=f"{_find_owner(receiver)}.{function.name}" if receiver else function.name,
        zero=f" if true {{ {_choose_zero(results, text)} }};",
        parameters=parameters,
        shape="results " + " ".join(join(text, results).split()),
    )  # fmt: skip


def _find_owner(receiver: Sequence[Token]) -> str:
    """`T` of `(t *T)`, `(T)` and `(t *T[K])`."""
    words: list[str] = []
    for token in receiver:
        if token.text == "[":
            break
        words += [token.text] if token.kind == WORD else []
    return words[-1] if words else ""


def _choose_zero(results: Sequence[Token], text: str) -> str:
    if not results:
        return "return"
    parts = split_commas(results[1:-1]) if results[0].text == "(" else [list(results)]
    if any(_has_name(part) for part in parts) and results[0].text == "(":
        return "return"
    return "return " + ", ".join(f"*new({join(text, part)})" for part in parts)


def _has_name(part: Sequence[Token]) -> bool:
    """Return whether a parameter or result is `name Type`, not just a type."""
    if len(part) < 2 or part[0].kind != WORD or part[0].text in _TYPE_WORDS:
        return False
    if part[1].text == "[":
        closing = next(at for at in range(len(part)) if _closes(part, 1, at))
        return closing < len(part) - 1
    return part[1].text != "."


def _closes(part: Sequence[Token], start: int, at: int) -> bool:
    inside = part[start : at + 1]
    opened = sum(token.kind == SIGN and token.text == "[" for token in inside)
    return at > start and opened == sum(token.kind == SIGN and token.text == "]" for token in inside)


def _list_parameters(tokens: Sequence[Token], text: str) -> Iterator[tuple[str, str]]:
    waiting: list[str] = []
    for part in split_commas(tokens):
        if _has_name(part):
            kind = " ".join(join(text, part[1:]).split())
            yield from ((name, kind) for name in (*waiting, part[0].text))
            waiting = []
        elif len(part) == 1:
            waiting.append(part[0].text)


def _list_declared(code: CodeTokens) -> Iterator[str]:
    depth = 0
    for index, token in enumerate(code.tokens):
        if token.kind == SIGN:
            depth += (token.text in "([{") - (token.text in ")]}")
        elif depth == 0 and token.text in ("type", "var", "const"):
            if code.text(index + 1) != "(":
                yield code.text(index + 1)
                continue
            line = 0
            for inner in code.between(index + 2, code.closing(index + 1) or 0):
                if inner.kind == WORD and inner.line > line:
                    yield inner.text
                line = inner.line


def _list_interface_methods(code: CodeTokens) -> Iterator[str]:
    for index, token in enumerate(code.tokens):
        if token.text == "interface" and code.text(index + 1) == "{":
            end = code.closing(index + 1) or index
            for at in range(index + 2, end):
                if code[at].kind == WORD and code.text(at + 1) == "(":
                    yield code.text(at)


def _list_imports(code: CodeTokens) -> Iterator[tuple[str, str]]:
    """The name that an import most likely has, and the line that imports it."""
    for index, token in enumerate(code.tokens):
        if token.kind != WORD or token.text != "import":
            continue
        closed = code.closing(index + 1)
        for at in range(index + 1, closed if closed is not None else index + 3):
            if at < len(code) and code[at].kind == TEXT:
                alias = code[at - 1].text if code[at - 1].line == code[at].line else ""
                alias = alias if alias not in ("(", "import", ";") else ""
                yield alias or _guess_name(code[at].value), f"{alias} {code.text(at)}".strip()


def _guess_name(path: str) -> str:
    words = [word for word in path.split("/") if not _VERSION.fullmatch(word)] or [path]
    name = words[-1].partition(".v")[0]
    return name.removeprefix("go-").removesuffix("-go").replace("-", "_")


def keep_imports(text: str, new: SourceText, back: Sequence[FunctionText], imports: Sequence[str]) -> str:
    """Return text that compiles: unused imports are errors, so the imports of old bodies are added, and the new
    functions stay in the file under the name `_`."""
    added = "".join(f"; import {line}" for line in imports)
    text = _PACKAGE.sub(lambda match: match[0] + added, text, count=1)
    return text + "".join(f"\n{_rename(new.text[slice(*function.span)])}\n" for function in back)


def _rename(function: str) -> str:
    head = _HEAD.match(function)
    return f"{head[0][: -len(head[1])]}_{function[head.end() :]}" if head else f"var _ = {function}"
