"""JSON-RPC messages, one a line: bounded when read, whole when written."""

import os
from _thread import allocate_lock

from ..core.check import is_too_deep
from ..core.value import Value
from ..store.codec import dumps, loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

LONGEST = 4_000_000
DEEPEST = 64
TOO_LONG = f"a message can have at most {LONGEST:,} bytes"
PARSE_ERROR, INVALID_REQUEST, NO_METHOD, INVALID_PARAMS = -32700, -32600, -32601, -32602
DEFECT = -32603
CHUNK = 1 << 16


class Unreadable(Value):
    """A line that is not a message, and what is wrong with it."""

    reason: str


def read_messages(source: int) -> "Iterator[Any]":
    """Yield messages in order until the end; a line that is too long is skipped."""
    for line in _lines(source):
        if line is None:
            yield Unreadable(TOO_LONG)
        elif line.strip():
            yield parse(line)


def parse(line: bytes) -> "Any":
    try:
        message = loads(line.decode("utf-8"))
    except (ValueError, RecursionError):
        return Unreadable("not JSON")
    if is_too_deep(message, DEEPEST):
        return Unreadable(f"a message can be nested at most {DEEPEST} levels deep")
    return message


def _lines(source: int) -> "Iterator[bytes | None]":
    lines = LineSplitter()
    while data := os.read(source, CHUNK):
        yield from lines.take(data)
    yield from lines.finish()


class LineSplitter:
    """Splits bytes into lines without their ends; None for one that is too long."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._size = 0

    def take(self, data: bytes) -> "list[bytes | None]":
        *ended, rest = data.split(b"\n")
        messages = [self._end(piece) for piece in ended]
        self._keep(rest)
        return messages

    def finish(self) -> "list[bytes | None]":
        """Return what came after the last line end."""
        return [self._end(b"")] if self._size else []

    def _keep(self, piece: bytes) -> None:
        self._size += len(piece)
        if self._size <= LONGEST:
            self._parts.append(piece)
        else:
            self._parts.clear()

    def _end(self, piece: bytes) -> bytes | None:
        self._keep(piece)
        whole = b"".join(self._parts) if self._size <= LONGEST else None
        self._parts, self._size = [], 0
        return whole


class Writer:
    """Writes from any thread; after the client is gone, nothing is written."""

    def __init__(self, target: int) -> None:
        self._target = target
        self._lock = allocate_lock()
        self.gone = False

    def send(self, message: "dict[str, Any]") -> None:
        self._write(_line({"jsonrpc": "2.0", **message}))

    def pass_on(self, line: bytes) -> None:
        """Pass on a message unchanged."""
        self._write(line + b"\n")

    def _write(self, line: bytes) -> None:
        rest = memoryview(line)
        with self._lock:
            try:
                while rest and not self.gone:
                    rest = rest[os.write(self._target, rest) :]
            except OSError:
                self.gone = True


def _line(message: "dict[str, Any]") -> bytes:
    # A lone surrogate cannot be written as UTF-8.
    return (dumps(message) + "\n").encode("utf-8", "replace")


def as_mapping(value: "Any") -> "dict[str, Any]":
    return value if isinstance(value, dict) else {}


def as_key(value: "Any") -> "str | int | None":
    """Return a valid request id: a text or a whole number."""
    named = isinstance(value, str | int) and not isinstance(value, bool)
    return value if named else None
