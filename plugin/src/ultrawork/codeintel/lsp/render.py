"""Server answers as text: one line per fact, with `path:line:character` as our own tools accept them."""

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...core.errors import NotFound, UsageError
from ..files import read_text
from .documents import DocumentText, parse_uri

SEVERITIES = {1: "error", 2: "warning", 3: "info", 4: "hint"}
_KINDS = ["symbol", "file", "module", "namespace", "package", "class", "method", "property"]
_KINDS += ["field", "constructor", "enum", "interface", "function", "variable", "constant", "string"]
_KINDS += ["number", "boolean", "array", "object", "key", "null", "member", "struct", "event"]
_KINDS += ["operator", "type"]
MOST_LINES = 300
LONGEST_HOVER = 8_000


class Locations:
    """Locations as lines; texts are read once for an answer."""

    def __init__(self, top: str, encoding: str) -> None:
        self._top = top
        self._encoding = encoding
        self._texts: dict[str, DocumentText | None] = {}

    def name(self, path: str) -> str:
        inside = path.startswith(os.path.join(self._top, ""))
        return os.path.relpath(path, self._top) if inside else path

    def line(self, uri: str, start: Mapping[str, Any]) -> str:
        """Return `src/a.py:3:4  the source line`; without the line if it is not ours to show."""
        path = parse_uri(uri)
        text = self._text(path) if path else None
        if path is None or text is None:
            return f"{path or uri}:{start['line'] + 1}:{start['character']}"
        line, column = text.place(start)
        return f"{self.name(path)}:{line}:{column}  {text.line(line).strip()[:160]}".rstrip()

    def _text(self, path: str) -> DocumentText | None:
        if path not in self._texts:
            inside = os.path.realpath(path).startswith(os.path.join(self._top, ""))
            self._texts[path] = self._loaded(path) if inside else None
        return self._texts[path]

    def _loaded(self, path: str) -> DocumentText | None:
        try:
            return DocumentText(read_text(path), self._encoding)
        except (NotFound, UsageError):
            return None


def describe_hover(answer: Mapping[str, Any]) -> str:
    return _render_markup(answer.get("contents")).strip()[:LONGEST_HOVER]


def _render_markup(contents: Any) -> str:
    """Return the text of a string, a marked string, markup content, or a list of those."""
    if isinstance(contents, list):
        return "\n\n".join(filter(None, map(_render_markup, contents)))
    if isinstance(contents, dict):
        return str(contents.get("value", ""))
    return str(contents or "")


def list_locations(answer: Any, places: Locations) -> list[str]:
    """Locations and location links, each once."""
    locations = [answer] if isinstance(answer, dict) else answer or []
    return list(dict.fromkeys(places.line(*_start(item)) for item in locations))


def _start(item: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
    if "targetUri" in item:
        return item["targetUri"], (item.get("targetSelectionRange") or item["targetRange"])["start"]
    return item["uri"], item.get("range", {"start": {"line": 0, "character": 0}})["start"]


def list_outline(symbols: Sequence[Mapping[str, Any]], depth: int = 0) -> Iterator[str]:
    """Yield the server's tree if it gives one, else its list by line."""
    for symbol in sorted(symbols, key=lambda symbol: int(_whole(symbol)["start"]["line"])):
        whole = _whole(symbol)
        first, last = whole["start"]["line"] + 1, whole["end"]["line"] + 1
        lines = str(first) if first == last else f"{first}-{last}"
        yield f"{'  ' * depth}{name_kind(symbol)} {symbol['name']}  {lines}"
        yield from list_outline(symbol.get("children") or [], depth + 1)


def _whole(symbol: Mapping[str, Any]) -> Mapping[str, Any]:
    span: Mapping[str, Any] = symbol.get("range") or symbol["location"]["range"]
    return span


def list_symbols(answer: Sequence[Mapping[str, Any]], places: Locations) -> list[str]:
    return [f"{name_kind(item)} {item['name']}  {places.line(*_start(item['location']))}" for item in answer]


def name_kind(symbol: Mapping[str, Any]) -> str:
    number = symbol.get("kind", 0)
    return _KINDS[number] if 0 <= number < len(_KINDS) else _KINDS[0]


def describe_diagnostic(item: Mapping[str, Any], name: str, text: DocumentText) -> str:
    line, column = text.place(item["range"]["start"])
    code = f" [{item['code']}]" if item.get("code") is not None else ""
    sentence = " ".join(str(item.get("message", "")).split())
    return f"{name}:{line}:{column} {SEVERITIES.get(item.get('severity', 1), 'error')}{code} {sentence}"


def join_lines(lines: list[str], most: int = MOST_LINES) -> str:
    if len(lines) > most:
        lines = [*lines[:most], f"… {len(lines) - most} more"]
    return "\n".join(lines)
