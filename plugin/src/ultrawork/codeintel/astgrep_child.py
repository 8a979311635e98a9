"""Structural search with ast-grep, run by `astgrep` in its own process.

The engine's columns and indices count characters. It panics at an unknown language, and its own replacement does not
expand metavariables, so both are handled here."""

import os
import re
from collections.abc import Iterator, Sequence
from importlib import import_module
from typing import Any

from ..core.errors import Trouble, UsageError
from ..store.codec import digest
from .files import read_text, walk
from .isolated import report_progress

MOST_EDITS = 1_000
LONGEST_MATCH = 2_000
_REPORT_EVERY = 200
_VARIABLE = re.compile(r"\$\$\$([A-Z_][A-Z0-9_]*)|\$([A-Z_][A-Z0-9_]*)")
_ANY_VARIABLE = re.compile(r"\$\$\$[A-Z0-9_]*|\$[A-Z_][A-Z0-9_]*")


def search(
    path: str, language: str, endings: Sequence[str], pattern: str, *, context: int, most: int
) -> dict[str, Any]:
    """Matches with the lines around them, at most `most`; and how many files were read."""
    matches: list[dict[str, Any]] = []
    files = _files(path, endings)
    for name, text, nodes in _matching(files, language, pattern):
        lines = text.splitlines()
        for node in nodes:
            if len(matches) == most:
                return {"matches": matches, "files": len(files), "more": True, "hint": ""}
            matches.append(_match(name, lines, node, context))
    hint = "" if matches else _hint(language, pattern)
    return {"matches": matches, "files": len(files), "more": False, "hint": hint}


def rewrite(path: str, language: str, endings: Sequence[str], pattern: str, replacement: str) -> dict[str, Any]:
    """Return for each file the digest of its text and the pieces to replace."""
    _check_variables(pattern, replacement)
    changes: list[dict[str, Any]] = []
    count = inner = 0
    files = _files(path, endings)
    for name, text, nodes in _matching(files, language, pattern):
        edits, skipped = _edits(text, nodes, replacement)
        inner, count = inner + skipped, count + len(edits)
        if count > MOST_EDITS:
            raise UsageError(f"the pattern matches more than {MOST_EDITS} places; narrow the path")
        changes.append({"path": name, "digest": digest(text), "edits": edits})
    hint = "" if count else _hint(language, pattern)
    return {"changes": changes, "inner": inner, "files": len(files), "hint": hint}


def _files(path: str, endings: Sequence[str]) -> list[str]:
    if not os.path.isdir(path):
        return [path]
    return [each for each in walk(path) if each.endswith(tuple(endings))]


def _matching(files: Sequence[str], language: str, pattern: str) -> Iterator[tuple[str, str, list[Any]]]:
    """Yield matches; only files with every word of the pattern are parsed."""
    words = re.findall(r"\w{2,}", _ANY_VARIABLE.sub(" ", pattern))
    for number, name in enumerate(files):
        if number % _REPORT_EVERY == 0:
            report_progress(number, len(files))
        try:
            text = read_text(name)
        except UsageError:
            continue  # not UTF-8, or too large to be source
        if all(word in text for word in words):
            nodes = _find_nodes(text, language, pattern)
            if nodes:
                yield name, text, nodes


def _find_nodes(text: str, language: str, pattern: str) -> list[Any]:
    try:
        return list(_root(text, language).find_all(pattern=pattern))
    except BaseException as trouble:  # noqa: BLE001 (a panic of the engine is not an Exception)
        lines = [line.strip() for line in str(trouble).splitlines() if line.strip()]
        reason = next((line for line in lines if line.startswith("2:")), lines[0])
        raise Trouble(f"ast-grep rejected the pattern: {reason.removeprefix('2:').strip()[:150]}") from None


def _match(name: str, lines: list[str], node: Any, context: int) -> dict[str, Any]:
    place = node.range()
    first, last = place.start.line, place.end.line
    start, end = max(0, first - context), min(len(lines), last + context + 1)
    return {
        "path": name,
        "line": first + 1,
        "end": last + 1,
        "column": place.start.column,
        "text": node.text()[:LONGEST_MATCH],
        "start": start + 1,
        "lines": [line[:200] for line in lines[start:end]][:80],
    }


def _edits(text: str, nodes: list[Any], replacement: str) -> tuple[list[list[Any]], int]:
    """Return the edits; a match inside another cannot be replaced in the same step and is counted instead."""
    edits: list[list[Any]] = []
    inner = done = 0
    for node in sorted(nodes, key=lambda each: (each.range().start.index, -each.range().end.index)):
        start, end = node.range().start.index, node.range().end.index
        if start < done:
            inner += 1
            continue
        edits.append([start, end, _expanded(replacement, node, text)])
        done = end
    return edits, inner


def _expanded(replacement: str, node: Any, text: str) -> str:
    def value(variable: re.Match[str]) -> str:
        if variable[1]:
            several = node.get_multiple_matches(variable[1])
            # From the first to the last, so that separators are kept.
            return _slice(text, several[0], several[-1]) if several else ""
        single = node.get_match(variable[2])
        return _slice(text, single, single) if single else ""

    return _VARIABLE.sub(value, replacement)


def _slice(text: str, first: Any, last: Any) -> str:
    return text[first.range().start.index : last.range().end.index]


def _check_variables(pattern: str, replacement: str) -> None:
    bound = {match.group() for match in _VARIABLE.finditer(pattern)}
    for used in _VARIABLE.finditer(replacement):
        if used.group() not in bound:
            raise UsageError(f"the replacement uses {used.group()}, which is not in the pattern")


def _hint(language: str, pattern: str) -> str:
    """Return why nothing was found, if the pattern itself is invalid in this language."""
    plain = _ANY_VARIABLE.sub(lambda match: "x" + match.group().strip("$").lower(), pattern)
    broken = _root(plain, language).find(kind="ERROR") is not None
    return f"the pattern alone is not valid {language}; add more context" if broken else ""


def _root(text: str, language: str) -> Any:
    return import_module("ast_grep_py").SgRoot(text, language).root()
