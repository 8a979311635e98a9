"""What a server knows about the files (the disk is authoritative), and positions in them.

We count lines from 1 and columns in characters from 0; a server counts lines from 0 and columns in agreed units."""

import os
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, unquote, urlsplit

from ...core.errors import NotFound, UsageError
from ..files import read_text

Stamp = tuple[int, int, int]

UTF16 = "utf-16"
UTF32 = "utf-32"
_LINE_END = re.compile("\r\n|\n|\r")  # the protocol's own; str.splitlines knows too many


class DocumentText:
    def __init__(self, content: str, encoding: str = UTF16) -> None:
        self.content = content
        self.encoding = encoding
        self._starts = [0, *(end.end() for end in _LINE_END.finditer(content))]

    @property
    def height(self) -> int:
        return len(self._starts)

    def line(self, number: int) -> str:
        """The line without its end; empty beyond the text."""
        if not 1 <= number <= self.height:
            return ""
        end = self._starts[number] if number < self.height else len(self.content)
        return self.content[self._starts[number - 1] : end].rstrip("\r\n")

    def position(self, line: int, column: int) -> dict[str, int]:
        if line > self.height:
            raise UsageError(f"line {line} does not exist: the file has {self.height} lines")
        text = self.line(line)
        if column > len(text):
            raise UsageError(f"character {column} does not exist: line {line} has {len(text)}")
        return {"line": line - 1, "character": _units(text[:column], self.encoding)}

    def place(self, position: Mapping[str, Any]) -> tuple[int, int]:
        """Return our line and column of a server's position."""
        line = int(position["line"]) + 1
        return line, _characters(self.line(line), int(position["character"]), self.encoding)

    def offset(self, position: Mapping[str, Any]) -> int:
        """Index into the content; a position behind the end of a line or text means that end."""
        line, column = self.place(position)
        if line > self.height:
            return len(self.content)
        return self._starts[line - 1] + column


def _units(text: str, encoding: str) -> int:
    return len(text) if encoding == UTF32 else len(text.encode("utf-16-le", "surrogatepass")) // 2


def _characters(text: str, units: int, encoding: str) -> int:
    if encoding == UTF32 or text.isascii():
        return min(units, len(text))
    wide = text.encode("utf-16-le", "surrogatepass")[: units * 2]
    return len(wide.decode("utf-16-le", "ignore"))


MOST_OPEN = 200
_YOUNG = 2.0


def make_uri(path: str) -> str:
    return "file://" + quote(path)


def parse_uri(uri: str) -> str | None:
    """Return the path of a file's URI; None for other kinds, such as classes inside an archive."""
    parts = urlsplit(uri)
    return unquote(parts.path) if parts.scheme == "file" else None


@dataclass(slots=True)
class Document:
    """An open document. `requested` is the state in which diagnostics were last requested."""

    path: str
    text: DocumentText
    stamp: Stamp | None
    version: int
    requested: int = -1

    @property
    def uri(self) -> str:
        return make_uri(self.path)

    @property
    def identifier(self) -> dict[str, Any]:
        return {"uri": self.uri}


class Documents:
    def __init__(self, notify: Callable[[str, Any], None], language: Callable[[str], str]) -> None:
        self.encoding = UTF16
        self._notify = notify
        self._language = language
        self.changes = 0  # how many changes were reported to the server, in any file
        self._open: dict[str, Document] = {}
        self._versions: dict[str, int] = {}

    def __contains__(self, path: str) -> bool:
        return path in self._open

    def get_text(self, path: str) -> str:
        """Return the text that the server last got."""
        return self._open[path].text.content

    def sync(self, path: str) -> Document:
        """Return the file as on disk, after telling the server."""
        stamp = _stamp(path)
        document = self._open.get(path)
        if document is not None and stamp is not None and document.stamp == stamp:
            return document
        try:
            content = read_text(path)
        except (NotFound, UsageError):
            self.close(path)
            raise
        if document is None:
            return self._opened(path, content, stamp)
        document.stamp = stamp
        if content != document.text.content:
            self._changed(document, content)
        return document

    def sync_all(self) -> None:
        for path in list(self._open):
            try:
                self.sync(path)
            except (NotFound, UsageError):
                continue

    def reopen(self, path: str) -> Document:
        """Close and reopen, so that a server that only pushes checks the file again."""
        self.close(path)
        return self.sync(path)

    def close(self, path: str) -> None:
        document = self._open.pop(path, None)
        if document is not None:
            self._notify("textDocument/didClose", {"textDocument": document.identifier})

    def _opened(self, path: str, content: str, stamp: Stamp | None) -> Document:
        version = self._versions[path] = self._versions.get(path, 0) + 1
        document = self._open[path] = Document(path, DocumentText(content, self.encoding), stamp, version)
        self.changes += 1
        if len(self._open) > MOST_OPEN:
            self.close(next(iter(self._open)))
        item = {"uri": document.uri, "languageId": self._language(path), "version": document.version, "text": content}
        self._notify("textDocument/didOpen", {"textDocument": item})
        return document

    def _changed(self, document: Document, content: str) -> None:
        document.text = DocumentText(content, self.encoding)
        document.version = self._versions[document.path] = document.version + 1
        self.changes += 1
        identifier = {**document.identifier, "version": document.version}
        changes = [{"text": content}]
        self._notify("textDocument/didChange", {"textDocument": identifier, "contentChanges": changes})
        self._notify("textDocument/didSave", {"textDocument": document.identifier, "text": content})


def _stamp(path: str) -> Stamp | None:
    """Return the stamp; None while the file is so young that another write could leave the same one."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    if time.time() - status.st_mtime < _YOUNG:
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino
