"""Examples in code documentation that runners execute: docstrings in Python, doc comments in Rust."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ...core.patterns import compile_late
from . import inline

ENDINGS = (".py", ".rs")
_COMMENT = compile_late(r"\s*//(/(?!/)|!) ?(.*)")
_ATTRIBUTE = compile_late(r"\s*#!?\[")
_FENCE = "```"

Shown = dict[str, list[tuple[object, ...]]]


@dataclass(slots=True)
class _Block:
    """Lines of a doc comment as a slice, and the item they document, by its first line."""

    start: int
    end: int
    item: str
    examples: list[tuple[object, ...]]


def list_shown(path: str, text: str) -> Shown:
    """Return input and expected output of the examples, by the name of what they document."""
    if path.endswith(".rs"):
        blocks = _list_blocks(text.splitlines()) if _FENCE in text else ()
        return {block.item: block.examples for block in blocks if block.examples}
    return {name: list(example) for name, example in inline.list_examples(text).items()}


def has_lost_shown(path: str, before: str, after: str) -> bool:
    """Return whether an example of before is another one now, or none."""
    kept = list_shown(path, after)
    shown = list_shown(path, before).items()
    return any(example not in kept.get(name, ()) for name, examples in shown for example in examples)


def transplant_docs(tests_of: str, into: str) -> str:
    """Return Rust code with the doc comments of another version that contain examples, each before its own item."""
    if _FENCE not in tests_of:
        return into
    theirs, lines = tests_of.splitlines(), into.splitlines()
    places = {block.item: (block.start, block.end) for block in _list_blocks(lines)}
    edits = []
    for block in _list_blocks(theirs):
        place = places.get(block.item) or _find_item(lines, block.item)
        if block.examples and place is not None:
            edits.append((*place, theirs[block.start : block.end]))
    for start, end, text in sorted(edits, key=lambda edit: edit[0], reverse=True):
        lines[start:end] = text
    return "\n".join([*lines, ""])


def _list_blocks(lines: Sequence[str]) -> Iterator[_Block]:
    start = 0
    while start < len(lines):
        match = _COMMENT.match(lines[start])
        if match is None:
            start += 1
            continue
        end = start
        while end < len(lines) and (following := _COMMENT.match(lines[end])) and following[1] == match[1]:
            end += 1
        item = "" if match[1] == "!" else _read_item(lines, end)
        yield _Block(start, end, item, _read_examples([_COMMENT.sub(r"\2", x) for x in lines[start:end]]))
        start = end


def _read_item(lines: Sequence[str], at: int) -> str:
    """Return the head of the first line behind attributes: `pub fn discount`."""
    while at < len(lines) and _ATTRIBUTE.match(lines[at]):
        at += 1
    return re.split(r"[({<:;=]", lines[at], maxsplit=1)[0].strip() if at < len(lines) else ""


def _find_item(lines: Sequence[str], item: str) -> tuple[int, int] | None:
    """Return where documentation of this item belongs if it has none; a file's own is at the top."""
    if not item:
        return 0, 0
    indexes = (at for at in range(len(lines)) if _read_item(lines, at) == item)
    return next(((at, at) for at in indexes), None)


def _read_examples(lines: Sequence[str]) -> list[tuple[object, ...]]:
    """Return each example with the words after its fence: `ignore` and `text` keep it from running."""
    examples: list[tuple[object, ...]] = []
    inside: list[str] | None = None
    for line in lines:
        if line.strip().startswith(_FENCE):
            examples += [tuple(inside)] if inside is not None else []
            inside = [line.strip()] if inside is None else None
        elif inside is not None:
            inside.append(line.rstrip())
    return examples
