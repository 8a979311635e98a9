"""A program's output: hashed whole, kept at both ends, streamed to a log, secrets removed."""

import os
from collections.abc import Callable
from hashlib import sha256

from ..core.redact import LONGEST, RedactedStream

LOG_LIMIT = 32 << 20
LINES = 100_000
LINE = 4096


def describe_omission(count: int) -> bytes:
    return f"\n… {count:,} bytes omitted …\n".encode()


class OutputLog:
    """A file that never exceeds its limit and whose errors do not stop the run; `note` describes them."""

    def __init__(self, path: str | None, limit: int) -> None:
        self.room = limit
        self.note = ""
        self._handle = -1
        if path is not None:
            flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW
            try:
                self._handle = os.open(path, flags, 0o600)
            except OSError as error:
                self.note = f"no log: {error.strerror}"

    def write(self, data: bytes) -> None:
        if self._handle < 0:
            return
        rest = memoryview(data)
        try:
            while rest:
                rest = rest[os.write(self._handle, rest) :]
        except OSError as error:
            self.note = f"the log is incomplete: {error.strerror}"
            self.close()

    def close(self) -> None:
        if self._handle >= 0:
            os.close(self._handle)
            self._handle = -1


class Output:
    """`text` is all of it, or its start and end with the number of bytes between them. `sha256` is of the output
    without secrets, as in the log. What exceeds the log is hashed unredacted: cleaning a gigabyte would cost more than
    the run."""

    def __init__(
        self,
        limit: int,
        *,
        clean: RedactedStream | None = None,
        log: str | None = None,
        log_limit: int = LOG_LIMIT,
        on_line: Callable[[str], None] | None = None,
    ) -> None:
        self.bytes = 0
        self._kept = limit // 2
        self._clean = clean
        self._log = OutputLog(log, log_limit)
        self._lines = _Lines(on_line) if on_line else None
        self._hash = sha256()
        self._head = bytearray()
        self._tail = bytearray()
        self._tail_total = 0
        self._skipped = 0

    def feed(self, data: bytes) -> None:
        self.bytes += len(data)
        if self._log.room <= 0:
            self._skip(data)
        elif self._clean:
            self._take(self._clean.feed(data))
        else:
            self._take(data)

    def _take(self, data: bytes) -> None:
        if not data:
            return
        self._hash.update(data)
        self._log.write(data)
        self._log.room -= len(data)
        if self._lines:
            self._lines.feed(data)
        missing = self._kept - len(self._head)
        self._head += data[:missing]
        self._keep(data[missing:] if missing < len(data) else b"")

    def _skip(self, data: bytes) -> None:
        if self._clean and not self._skipped:
            self._take(self._clean.finish())
        self._skipped += len(data)
        self._hash.update(data)
        self._keep(data)

    def _keep(self, data: bytes) -> None:
        # More than is shown: a secret across the border must still be recognized.
        wanted = self._kept + LONGEST
        self._tail_total += len(data)
        self._tail += data[-wanted:]
        if len(self._tail) > 4 * wanted:
            del self._tail[:-wanted]

    def finish(self) -> None:
        if self._clean and not self._skipped:
            self._take(self._clean.finish())
        if self._lines:
            self._lines.finish()
        if self._skipped:
            end = self._end()
            self._log.write(describe_omission(max(0, self._skipped - len(end))) + end)
        self._log.close()

    def _end(self) -> bytes:
        """Return the last part, starting at a line if something was left out before it."""
        tail = bytes(self._tail)
        if self._clean and self._skipped:
            tail = self._clean.feed(tail) + self._clean.finish()
        if self._tail_total <= self._kept:
            return tail
        tail = tail[-self._kept :]
        return tail[tail.find(b"\n", 0, len(tail) // 2) + 1 :]

    @property
    def text(self) -> str:
        end = self._end()
        missing = self._tail_total - len(end)
        shown = bytes(self._head) + (describe_omission(missing) if missing > 0 else b"") + end
        return shown.decode("utf-8", "replace")

    @property
    def sha256(self) -> str:
        return self._hash.hexdigest()

    @property
    def note(self) -> str:
        return self._log.note


class _Lines:
    """Passes on each complete line; a long one shortened, and none after the first hundred thousand."""

    def __init__(self, on_line: Callable[[str], None]) -> None:
        self._on_line = on_line
        self._rest = b""
        self._count = 0

    def feed(self, data: bytes) -> None:
        if self._count >= LINES:
            return
        *lines, rest = (self._rest + data).split(b"\n", LINES)
        self._rest = rest[:LINE]
        for line in lines[: LINES - self._count]:
            self._give(line)
        self._count += len(lines)

    def _give(self, line: bytes) -> None:
        self._on_line(line[:LINE].rstrip(b"\r").decode("utf-8", "replace"))

    def finish(self) -> None:
        if self._rest and self._count < LINES:
            self._give(self._rest)
