"""Untracked files that are too large to read at every scan: they are recorded by size and time, and named."""

import os
from collections.abc import Collection, Iterable

LARGEST = 16 << 20  # of one file
TOGETHER = 64 << 20  # of all that are read for the first time
_SMALL = 128 << 10  # never counted as large, however many there are


def find_large(top: str, paths: Iterable[str], before: Collection[str], known: Collection[str]) -> dict[str, int]:
    """Return files that are not read, with sizes: `before` are the large ones of the last scan, `known` what was read
    then. A file that was read once is read until it is large itself."""
    sizes = {path: _measure(f"{top}/{path}") for path in paths}
    large = {path: size for path, size in sizes.items() if size > LARGEST or path in before}
    new = {path: size for path, size in sizes.items() if path not in large and path not in known}
    room = TOGETHER
    for path, size in sorted(new.items(), key=lambda pair: pair[1]):
        room -= size
        if room < 0 and size > _SMALL:
            large[path] = size
    return large


def _measure(path: str) -> int:
    try:
        return os.lstat(path).st_size
    except OSError:
        return 0


def describe_large(path: str) -> bytes:
    """Return what replaces the content in a tree."""
    status = os.lstat(path)
    return f"ultrawork: not read, {status.st_size} bytes, time {status.st_mtime_ns}\n".encode()
