"""JSON-RPC messages, one a line: bounded when read, whole when written."""

import os
from _thread import allocate_lock

from ..core.check import is_too_deep
from ..store.codec import dumps, loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

LONGEST = 4_000_000
DEEPEST = 64
_CHUNK = 1 << 16


class Unreadable:
    """A line that is no message: what is wrong with it."""

    __slots__ = ("reason",)

    def __init__(self, reason: str) -> None:
        self.reason = reason


def read_messages(source: int) -> "Iterator[Any]":
    """Whatever arrives, in order, until the end; a line that is too long is skipped, not kept."""
    for line in _lines(source):
        if line is None:
            yield Unreadable(f"a message may have at most {LONGEST:,} bytes")
        elif line.strip():
            yield _parsed(line)


def _parsed(line: bytes) -> "Any":
    try:
        message = loads(line.decode("utf-8"))
    except (ValueError, RecursionError):
        return Unreadable("not JSON")
    if is_too_deep(message, DEEPEST):
        return Unreadable(f"a message may be nested at most {DEEPEST} deep")
    return message


def _lines(source: int) -> "Iterator[bytes | None]":
    parts: list[bytes] = []
    size = 0
    while data := os.read(source, _CHUNK):
        *ended, rest = data.split(b"\n")
        for piece in ended:
            yield b"".join([*parts, piece]) if size + len(piece) <= LONGEST else None
            parts, size = [], 0
        size += len(rest)
        if size <= LONGEST:
            parts.append(rest)
        else:
            parts.clear()
    if size:
        yield b"".join(parts) if size <= LONGEST else None


class Writer:
    """Writes from any thread; a client that is gone is noticed once and then written to no more."""

    __slots__ = ("_lock", "_target", "gone")

    def __init__(self, target: int) -> None:
        self._target = target
        self._lock = allocate_lock()
        self.gone = False

    def send(self, message: "dict[str, Any]") -> None:
        rest = memoryview(_line({"jsonrpc": "2.0", **message}))
        with self._lock:
            try:
                while rest and not self.gone:
                    rest = rest[os.write(self._target, rest) :]
            except OSError:
                self.gone = True


def _line(message: "dict[str, Any]") -> bytes:
    # A lone surrogate in a text cannot be written as UTF-8; nobody can have meant it.
    return (dumps(message) + "\n").encode("utf-8", "replace")
