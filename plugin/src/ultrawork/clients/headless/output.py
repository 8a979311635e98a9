"""Read lines of JSON that a program prints, a bounded part of however many there are."""

import os
from collections.abc import Iterator
from typing import Any, BinaryIO

from ...store.codec import dumps, loads

SHORT = 64_000
HEAD = 1_000_000
TAIL = 16_000_000
LINE = 8_000_000


def read_events(path: str) -> Iterator[dict[str, Any]]:
    """Yield every event; of more than 17 MB the beginning and the end."""
    return _events(path, HEAD, TAIL)


def read_ends(path: str) -> Iterator[dict[str, Any]]:
    """Yield the first and newest events of a running program."""
    return _events(path, SHORT, SHORT)


class EventTail:
    """Follows a running program's output: each read returns the events since the last."""

    def __init__(self, path: str) -> None:
        self._path = path
        self.place = 0

    def read_new(self) -> Iterator[dict[str, Any]]:
        """Yield new events; an incomplete line, and the rest of a flood, waits for the next read."""
        try:
            with open(self._path, "rb") as file:
                file.seek(self.place)
                part = file.read(LINE)
        except OSError:
            return
        whole = part.rfind(b"\n") + 1 or (len(part) if len(part) == LINE else 0)
        self.place += whole
        for line in part[:whole].splitlines():
            event = _event(line)
            if event is not None:
                yield event


def read_tail(path: str) -> str:
    """The end of a text, at most 64 kB."""
    try:
        with open(path, "rb") as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - SHORT))
            return file.read(SHORT).decode("utf-8", "replace")
    except OSError:
        return ""


def _events(path: str, head: int, last: int) -> Iterator[dict[str, Any]]:
    try:
        with open(path, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            if size <= head + last:
                yield from _part(file, 0, size)
            else:
                yield from _part(file, 0, head)
                yield from _part(file, size - last, size)
    except OSError:
        return


def _part(file: BinaryIO, start: int, end: int) -> Iterator[dict[str, Any]]:
    """Yield events of lines that begin between two places; a line cut in two is not JSON and is dropped."""
    file.seek(start)
    while file.tell() < end:
        event = _event(file.readline(LINE))
        if event is not None:
            yield event


def _event(line: bytes) -> dict[str, Any] | None:
    if not line.startswith(b"{"):
        return None
    text = line.decode("utf-8", "replace")
    try:
        value = loads(text)
        if "\\ud" in text.lower():  # half a character of cut output, which could not be stored
            value = loads(dumps(value).encode("utf-8", "replace").decode())
    except ValueError:
        return None
    return value if isinstance(value, dict) else None
