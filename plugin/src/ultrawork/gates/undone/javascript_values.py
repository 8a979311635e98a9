"""Zero values of JavaScript and TypeScript functions by the type they declare or the literals they return."""

from collections.abc import Sequence

from ...core.patterns import compile_late
from ..language.tokens import NUMBER, SIGN, TEXT, WORD, CodeTokens, Token
from .braces import BracedFunction, skip_angles, split_commas

_GOES_ON = compile_late(r"[-+*/%=<>!&|^?:.,~(\[{]$|^(in|of|instanceof|as|return|typeof|new|await|satisfies)$")
_OPERATOR_WORDS = "keyof typeof readonly infer is asserts extends unique new in | & => ? :"
_OPERATORS = frozenset(_OPERATOR_WORDS.split())
_ZEROS = {
    "string": "''", "number": "0", "boolean": "false", "bigint": "0n", "null": "null", "true": "false",
    "false": "false", "object": "{}", "Array": "[]", "ReadonlyArray": "[]", "Record": "{}", "Partial": "{}",
    "Map": "new Map()", "ReadonlyMap": "new Map()", "Set": "new Set()", "ReadonlySet": "new Set()",
    "JSX": "null", "ReactNode": "null", "ReactElement": "null", "Iterable": "[]", "String": "''",
}  # fmt: skip
_UNDEFINED = "undefined"


def end_of_type(code: CodeTokens, at: int, also: Sequence[str] = ()) -> int:
    """Return the index after a type; `also` are words that continue with another one."""
    wants = True
    while at < len(code):
        token = code[at]
        if token.text in _OPERATORS or token.text in also or (token.text == "," and also):
            wants = True
        elif token.text == "<":
            at = max(at, skip_angles(code, at) - 1)
        elif token.text == ".":
            at += 1
        elif token.kind == SIGN and token.text in ("(", "[", "{"):
            if not wants and token.text == "{":
                return at
            closed = code.closing(at)
            if closed is None:
                return at
            at, wants = closed, False
        elif not wants or token.kind == SIGN:
            return at
        else:
            wants = False
        at += 1
    return at


def end_of_expression(code: CodeTokens, at: int) -> int:
    """Return the last token of an expression without brackets around it."""
    last = at
    while at < len(code) and code.text(at) not in (",", ";", ")", "]", "}"):
        fresh = at > last and code[at].line > code[last].line
        if fresh and not (_GOES_ON.search(code.text(last)) or _GOES_ON.search(code.text(at))):
            break
        closed = code.closing(at)
        last = at if closed is None else closed
        at = last + 1
    return min(last, len(code) - 1)


def write_zero(code: CodeTokens, function: BracedFunction, own: Sequence[int]) -> str:
    """Return the text inserted before the body; `own` are its tokens without those of inner functions."""
    if "generator" in function.shape:
        return " return;"
    declared = code.between(
        function.right + 2, function.opens - (not function.block or code.text(function.opens - 1) == "=>")
    )
    if code.text(function.right + 1) == ":":
        zero = _find_zero(declared, is_async="async" in function.shape)
    else:
        zero = _find_returned(code, function, own)
    if function.block:
        return f" return {zero};" if zero != _UNDEFINED else " return;"
    return f"true ? {f'({zero})' if zero == '{}' else zero} : "


def _find_zero(declared: Sequence[Token], *, is_async: bool = False) -> str:
    """Return the zero value of a type; undefined if it has no simple one."""
    if not declared:
        return _UNDEFINED
    texts = [token.text for token in declared]
    if declared[0].text in ("|", "&"):
        return _find_zero(declared[1:], is_async=is_async)
    if "is" in texts or texts[0] == "asserts":
        return _UNDEFINED if texts[0] == "asserts" else "false"
    parts = _split_union(declared)
    if len(parts) > 1:
        zeros = [_find_zero(part, is_async=is_async) for part in parts]
        return _UNDEFINED if _UNDEFINED in zeros else "null" if "null" in zeros else zeros[0]
    if texts[0] in ("Promise", "PromiseLike") and texts[1:2] == ["<"]:
        inner = _find_zero(declared[2:-1])
        return inner if is_async else f"Promise.resolve({inner})"
    if texts[-2:] == ["[", "]"] or (texts[0] == "readonly" and "[" in texts):
        return "[]"
    if texts[0] == "(" and texts[-1] == ")":
        return _find_zero(declared[1:-1])
    if texts[0] == "[":
        return f"[{', '.join(_find_zero(part) for part in split_commas(declared[1:-1]))}]"
    if texts[0] == "{" and texts[-1] == "}":
        return "{}"
    return _find_literal(declared[0])


def _find_literal(token: Token) -> str:
    if token.kind == TEXT:
        return "''"
    if token.kind == NUMBER:
        return "0n" if token.text.endswith("n") else "0"
    return _ZEROS.get(token.text, _UNDEFINED)


def _split_union(declared: Sequence[Token]) -> list[list[Token]]:
    parts: list[list[Token]] = [[]]
    depth = 0
    for token in declared:
        if token.kind == SIGN:
            depth += (token.text in "([{<") - (token.text in ")]}>")
        if token.text == "|" and depth == 0:
            parts.append([])
        elif token.text == "=>" and depth == 0:
            return [list(declared)]
        else:
            parts[-1].append(token)
    return [part for part in parts if part]


def _find_returned(code: CodeTokens, function: BracedFunction, own: Sequence[int]) -> str:
    """The zero of the kind that every return shows."""
    if not function.block:
        return _classify(code, function.opens, function.end)
    kinds = {
        _classify(code, at + 1, end_of_expression(code, at + 1))
        if code.text(at + 1) not in (";", "}") and code[at + 1].line == code[at].line
        else _UNDEFINED
        for at in own
        if code.text(at) == "return" and code[at].kind == WORD and code.text(at - 1) != "."
    }
    return kinds.pop() if len(kinds) == 1 else _UNDEFINED


def _classify(code: CodeTokens, first: int, last: int) -> str:
    while code.text(first) == "(" and code.closing(first) == last:
        first, last = first + 1, last - 1
    token = code[first]
    if token.text == "!":
        return "false"
    if token.text in ("[", "{") and code.closing(first) == last:
        return "[]" if token.text == "[" else "{}"
    if token.text == "<" and token.kind == SIGN:
        return "null"  # JSX
    texts = [part.text for part in code.between(first, last + 1)]
    plain = _find_literal(token) if token.kind != WORD or token.text in ("true", "false") else ""
    if plain == "''" and texts[1:2] in ([], ["+"]):
        return plain
    if texts[0] == "-" and len(texts) == 2:
        return _classify(code, last, last)
    return plain if len(texts) == 1 and plain else _UNDEFINED
