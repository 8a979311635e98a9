"""
Places in a text. We count lines from 1 and columns in characters from 0, a server counts lines from
0 and columns in the units that were agreed on with it.
"""

import re

from ...core.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

UTF16 = "utf-16"
UTF32 = "utf-32"
_LINE_END = re.compile("\r\n|\n|\r")  # the protocol's own; str.splitlines knows too many


class Text:
    __slots__ = ("_starts", "content", "encoding")

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

    def position(self, line: int, column: int) -> "dict[str, int]":
        if line > self.height:
            raise UsageError(f"line {line} does not exist: the file has {self.height} lines")
        text = self.line(line)
        if column > len(text):
            raise UsageError(f"character {column} does not exist: line {line} has {len(text)}")
        return {"line": line - 1, "character": _units(text[:column], self.encoding)}

    def place(self, position: "Mapping[str, Any]") -> tuple[int, int]:
        """Our line and column of a server's position."""
        line = int(position["line"]) + 1
        return line, _characters(self.line(line), int(position["character"]), self.encoding)

    def offset(self, position: "Mapping[str, Any]") -> int:
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
