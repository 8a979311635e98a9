"""A client's own record of a session: a file of JSON lines that grows to hundreds of megabytes, read from its end."""

import os

from ..store.codec import loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

_CHUNK = 1 << 20
_LONGEST = 64 << 20
_LINE = 4 << 20


def read_first_record(path: str) -> "dict[str, Any]":
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    except (OSError, ValueError):
        return {}
    try:
        line = os.read(handle, _LINE).partition(b"\n")[0]
        value = loads(line.decode("utf-8", "replace"))
    except (OSError, ValueError):
        return {}
    finally:
        os.close(handle)
    return value if isinstance(value, dict) else {}


def list_records(path: str, *needles: bytes) -> "Iterator[dict[str, Any]]":
    """Yield records that contain one of the texts, newest first; lines that are not JSON objects are skipped."""
    for line in _lines(path):
        if len(line) < _LINE and any(needle in line for needle in needles):
            try:
                value = loads(line.decode("utf-8", "replace"))
            except ValueError:
                continue
            if isinstance(value, dict):
                yield value


def _lines(path: str) -> "Iterator[bytes]":
    """Yield lines from the end, a piece at a time, because records are large."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    except (OSError, ValueError):
        return
    try:
        place = size = os.fstat(handle).st_size
        rest = b""
        while place > max(0, size - _LONGEST):
            start = max(0, place - _CHUNK)
            first, *lines = (os.pread(handle, place - start, start) + rest).split(b"\n")
            yield from reversed(lines)
            rest, place = first[:_LINE], start
        yield rest
    except OSError:
        return
    finally:
        os.close(handle)


def read_section(document: "Mapping[str, Any]", name: str) -> "dict[str, Any]":
    """Return an object inside an object; empty if it has none."""
    section = document.get(name)
    return section if isinstance(section, dict) else {}


def join_blocks(content: object) -> str:
    if isinstance(content, str):
        return content.strip()
    blocks = content if isinstance(content, list) else []
    parts = [block.get("text") for block in blocks if isinstance(block, dict)]
    return "\n".join(part for part in parts if isinstance(part, str)).strip()
