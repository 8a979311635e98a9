"""Functions and modules of a Rust file by their tokens, with the attributes before them."""

from collections.abc import Sequence
from dataclasses import dataclass

from .tokens import TEXT, WORD, CodeTokens, Token

_MODIFIERS = ("pub", "async", "unsafe", "const", "extern", "default")
_FOLLOWS = {"fn": ("(", "<"), "mod": ("{", ";")}


@dataclass(slots=True)
class RustItem:
    """A function or module: its attributes by their brackets, from `start` on, its modifiers from `begins` on, its
    keyword at `at`. Its body lies between `opens` and `end`; without one both are at its `;`."""

    kind: str
    name: str
    attributes: Sequence[int]
    start: int
    begins: int
    at: int
    opens: int
    end: int


def list_items(code: CodeTokens) -> list[RustItem]:
    items: list[RustItem] = []
    attributes: list[int] = []
    start = begins = at = 0
    while at < len(code):
        token = code[at]
        bracket = at + 1 + (code.text(at + 1) == "!")
        if token.text == "#" and code.text(bracket) == "[" and code.closing(bracket):
            attributes.append(bracket)
            at = begins = code.after(bracket)
            continue
        if token.kind == WORD and code.text(at + 2) in _FOLLOWS.get(token.text, ()) and code[at + 1].kind == WORD:
            opens = find_body(code, at) or at
            end = code.closing(opens) or opens
            items.append(RustItem(token.text, code.text(at + 1), attributes, start, begins, at, opens, end))
        visible = token.text == "pub" and code.text(at + 1) == "("
        at = code.after(at + 1) if visible else at + 1
        if token.text not in _MODIFIERS and token.kind != TEXT:
            attributes, start, begins = [], at, at
    return items


def find_body(code: CodeTokens, at: int) -> int | None:
    """Return the brace after the head of an item, or its `;`; None if neither comes before the next function."""
    at += 1
    while at < len(code) and (code.text(at) != "fn" or code.text(at + 1) in ("", "(")):
        if code.text(at) in ("{", ";"):
            return at
        at = code.after(at)
    return None


def list_attributes(code: CodeTokens, item: RustItem) -> list[list[Token]]:
    return [code.between(bracket + 1, code.closing(bracket) or 0) for bracket in item.attributes]
