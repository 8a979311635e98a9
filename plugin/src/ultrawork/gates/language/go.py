"""Functions of a Go file by their tokens."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from .tokens import WORD, CodeTokens, Token


@dataclass(slots=True)
class GoFunction:
    """A function at the top of a file, from `start` to `end`: its parameters lie between `left` and `right`, its body
    begins at `opens`. `bound`: it is the value of a variable of that name."""

    name: str
    receiver: Sequence[Token]
    start: int
    left: int
    right: int
    opens: int
    end: int
    bound: bool


def list_top_functions(code: CodeTokens) -> Iterator[GoFunction]:
    """Yield top-level functions; a closure belongs to the function around it."""
    index = 0
    while index < len(code):
        token = code[index]
        function = _read_function(code, index) if token.kind == WORD and token.text == "func" else None
        if function:
            yield function
        index = function.end + 1 if function else code.after(index) if token.text == "{" else index + 1


def _read_function(code: CodeTokens, index: int) -> GoFunction | None:
    at = index + 1
    receiver: list[Token] = []
    closed = code.closing(at)
    if closed is not None and code.text(index - 1) != "=" and _is_named(code, closed + 1):
        receiver = code.between(at + 1, closed)
        at = closed + 1
    bound = code.text(at) == "("  # var name = func(…) {
    name = (code.text(index - 2) if code.text(index - 1) == "=" else "") if bound else code.text(at)
    left = at if bound else at + 1
    if code.text(left) == "[":
        left = (code.closing(left) or left) + 1
    right = code.closing(left) if code.text(left) == "(" else None
    opens = _find_body(code, right + 1) if right is not None and name else None
    end = code.closing(opens) if opens is not None else None
    if right is None or opens is None or end is None:
        return None
    return GoFunction(name, receiver, index, left, right, opens, end, bound)


def _is_named(code: CodeTokens, index: int) -> bool:
    return index < len(code) and code[index].kind == WORD and code.text(index + 1) in ("(", "[")


def _find_body(code: CodeTokens, at: int) -> int | None:
    """Return the brace after the results; `interface{}` and `struct{}` have their own."""
    line = code[at - 1].line
    while at < len(code):
        if code.text(at) == "{":
            if code.text(at - 1) not in ("interface", "struct"):
                return at
        elif code.text(at) in ("func", "type", "var", "const") and code[at].line > line:
            return None  # the body is written in assembly
        at = code.after(at)
    return None
