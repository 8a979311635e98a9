"""Tests inside product modules: examples in documentation that runners execute, which are docstrings in Python and doc
comments in Rust, and unittest cases of a Python module."""

import ast
import doctest
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from ...core.patterns import compile_late
from ..language.python import Function, parse_source

Documented = ast.Module | ast.ClassDef | Function
Example = tuple[str, str, tuple[tuple[int, bool], ...]]
LineEdit = tuple[int, int, list[str]]
EditFinder = Callable[[ast.Module, Sequence[str], ast.Module, Sequence[str]], Iterator[LineEdit]]

_PROMPT, _CASE = ">>>", "TestCase"


def list_examples(text: str) -> dict[str, list[Example]]:
    """Return input and expected output of the examples, by the name of what they document."""
    tree = parse_source(text) if _PROMPT in text else None
    if tree is None:
        return {}
    documented = {name: _read_examples(node) for name, node in _walk(tree)}
    return {name: examples for name, examples in documented.items() if examples}


def transplant_inline(tests_of: str, into: str) -> str:
    """Return `into` with the examples and cases of another version, each in its own place; others stay."""
    text = _transplant(tests_of, into, _list_case_edits) if _CASE in tests_of else into
    return _transplant(tests_of, text, _list_example_edits) if _PROMPT in tests_of else text


def _transplant(tests_of: str, into: str, list_edits: EditFinder) -> str:
    theirs, own = parse_source(tests_of), parse_source(into)
    if theirs is None or own is None:
        return into
    lines = into.splitlines()
    edits = list_edits(theirs, tests_of.splitlines(), own, lines)
    for start, end, text in sorted(edits, key=lambda edit: edit[0], reverse=True):
        lines[start:end] = text
    whole = "\n".join([*lines, ""])
    return whole if parse_source(whole) is not None else into


def _list_case_edits(
    theirs: ast.Module, text: Sequence[str], own: ast.Module, lines: Sequence[str]
) -> Iterator[LineEdit]:
    """Yield edits for cases; a class that is gone is appended at the end."""
    places = {case.name: case for case in own.body if isinstance(case, ast.ClassDef)}
    for node in theirs.body:
        if not isinstance(node, ast.ClassDef) or not _holds_tests(node):
            continue
        start, end = _find_lines(node)
        place = places.get(node.name)
        if place is None:
            yield len(lines), len(lines), ["", "", *text[start:end]]
        else:
            yield *_find_lines(place), list(text[start:end])


def _list_example_edits(
    theirs: ast.Module, text: Sequence[str], own: ast.Module, lines: Sequence[str]
) -> Iterator[LineEdit]:
    """Yield edits for docstrings, each as a whole; one that shares its line with code stays."""
    places = dict(_walk(own))
    for name, node in _walk(theirs):
        target = places.get(name)
        if target is None or not _read_examples(node):
            continue
        first = target.body[0] if target.body else None
        start, end = _find_lines(first) if first is not None else (0, 0)
        docstring = node.body[0]
        if not _stands_alone(docstring, text) or (first and not _stands_alone(first, lines)):
            continue
        end = end if ast.get_docstring(target, clean=False) is not None else start
        begin, stop = _find_lines(docstring)
        if first is None or first.col_offset == docstring.col_offset:
            yield start, end, list(text[begin:stop])


def _walk(node: Documented, path: str = "") -> Iterator[tuple[str, Documented]]:
    yield path, node
    for inner in node.body:
        if isinstance(inner, ast.ClassDef | Function):
            yield from _walk(inner, f"{path}.{inner.name}".lstrip("."))


def _read_examples(node: Documented) -> list[Example]:
    text = ast.get_docstring(node, clean=False) or ""
    if _PROMPT not in text:
        return []
    try:
        examples = doctest.DocTestParser().get_examples(text)
    except ValueError:  # none that can run
        return []
    return [(example.source, example.want, tuple(sorted(example.options.items()))) for example in examples]


def _holds_tests(node: ast.ClassDef) -> bool:
    return any(isinstance(method, Function) and method.name.startswith("test") for method in node.body)


def _find_lines(node: ast.stmt) -> tuple[int, int]:
    """Return the node's lines as a slice, including decorators."""
    marks = getattr(node, "decorator_list", ())
    return min([node.lineno, *(mark.lineno for mark in marks)]) - 1, node.end_lineno or node.lineno


def _stands_alone(node: ast.stmt, lines: Sequence[str]) -> bool:
    return not lines[node.lineno - 1].encode()[: node.col_offset].strip()


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
    return {name: list(example) for name, example in list_examples(text).items()}


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
        yield _Block(start, end, item, _read_block_examples([_COMMENT.sub(r"\2", x) for x in lines[start:end]]))
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


def _read_block_examples(lines: Sequence[str]) -> list[tuple[object, ...]]:
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
