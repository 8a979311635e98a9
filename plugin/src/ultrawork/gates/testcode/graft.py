"""Put tests of one version of a file into another, one by one.

An old test file may no longer load, because it needs a name that was removed or renamed. Its tests are then put into
the current file. If that is gone too, the old file is kept without what needs the name."""

import ast
import re
from collections.abc import Collection, Iterable, Mapping

from ..language.python import parse_source
from .case import TestCase
from .cases import find_language, list_cases, read_case

Name = tuple[str, ...]


def rename_words(text: str, renames: Mapping[str, str]) -> str:
    """Replace whole words."""
    if not renames:
        return text
    pattern = r"\b(?:" + "|".join(map(re.escape, renames)) + r")\b"
    return re.sub(pattern, lambda match: renames[match[0]], text)


def find_renames(before: str, after: str) -> dict[str, str] | None:
    """Return the identifiers that are the only difference between two texts, each always replaced by the same; None if
    more differs."""
    old, new = (re.findall(r"\w+|[^\w\s]", text) for text in (before, after))
    if len(old) != len(new):
        return None
    names: dict[str, str] = {}
    for word, other in zip(old, new, strict=True):
        if word == other and word not in names:
            continue
        both = word.isidentifier() and other.isidentifier()
        if not both or names.setdefault(word, other) != other:
            return None
    return names


def restore_tests(before: str, after: str, path: str, names: Iterable[Name]) -> str | None:
    """Return `after` with these tests as they are in `before`; None if none of them has a place there."""
    old = {case.parts: case for case in list_cases(path, before) or []}
    new = {case.parts: case for case in list_cases(path, after) or []}
    places = []
    for parts in names:
        place = _place(parts, old, new) if parts in old else None
        if place is not None:
            places.append((*place, read_case(path, before, parts) or []))
    if not places:
        return None
    lines = after.splitlines()
    for start, end, text in sorted(places, key=lambda edit: edit[0], reverse=True):
        lines[start:end] = text if start < end else ["", *text, ""]
    return "\n".join(lines) + "\n"


def _place(parts: Name, old: Mapping[Name, TestCase], new: Mapping[Name, TestCase]) -> tuple[int, int] | None:
    """Return the lines to replace; for a test that is gone, an empty range beside an old neighbor."""
    if parts in new:
        return new[parts].lines[0] - 1, new[parts].lines[1]
    siblings = [name for name in old if name[:-1] == parts[:-1]]
    place = siblings.index(parts)
    for name in reversed(siblings[:place]):
        if name in new:
            return new[name].lines[1], new[name].lines[1]
    for name in siblings[place:]:
        if name in new:
            before = new[name].lines[0] - 1
            return before, before
    ends = [case.lines[1] for name, case in new.items() if name[:-1] == parts[:-1]]
    return (max(ends), max(ends)) if ends else None


def drop_names(path: str, text: str, gone: Collection[str]) -> str | None:
    """Return a file without the tests that use one of these names, and without importing them; None if none is left."""
    cases = list_cases(path, text)
    if not cases:
        return None
    doomed = [case for case in cases if case.names.intersection(gone)]
    if len(doomed) == len(cases):
        return None
    lines = text.splitlines()
    for case in sorted(doomed, key=lambda test_case: test_case.lines, reverse=True):
        lines[case.lines[0] - 1 : case.lines[1]] = []
    kept = "\n".join(lines) + "\n"
    return _drop_imports(kept, gone) if find_language(path) == "python" else kept


def _drop_imports(text: str, gone: Collection[str]) -> str | None:
    tree = parse_source(text)
    if tree is None:
        return None
    lines = text.splitlines()
    imports = [statement for statement in ast.walk(tree) if isinstance(statement, ast.Import | ast.ImportFrom)]
    for node in sorted(imports, key=lambda statement: statement.lineno, reverse=True):
        kept = [name for name in node.names if not _asks_for(node, name, gone)]
        if len(kept) == len(node.names):
            continue
        indent = " " * node.col_offset
        line = f"{indent}pass"
        if kept:
            node.names = kept
            line = indent + ast.unparse(node)
        lines[node.lineno - 1 : node.end_lineno] = [line]
    return "\n".join(lines) + "\n"


def _asks_for(node: ast.Import | ast.ImportFrom, alias: ast.alias, gone: Collection[str]) -> bool:
    module = node.module or "" if isinstance(node, ast.ImportFrom) else alias.name
    return alias.name in gone or module.rpartition(".")[2] in gone
