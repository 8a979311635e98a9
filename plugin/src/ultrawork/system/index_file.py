"""Entries of our own index that are too young to trust.

Git recognizes a file by its size and its times in whole seconds, and doubts it if its modification time is not before
that of the index. A modification time can be set back: someone who changes a file within the second in which git read
it, keeps its size and sets the time back leaves everything as git recorded it. So whatever changed in a second in
which git was reading is read again. The same applies to folders that git would not list again."""

import os
import time
from collections.abc import Iterable, Iterator

from .checkout import read_times
from .files import read_bytes, remove_file

# From this size on git records each folder's content, which saves a third of a scan of 100,000 files.
LARGE = 1_000_000
_MARK = ".doubted"
# File clocks lag by a tick.
_TICK = 0.05
_HEAD, _SIZE, _FIXED, _WIDE = 12, 36, 42, 32
_EXTENDED, _LONG_NAME = 0x4000, 0xFFF
_FOLDERS_SEEN, _OFFSETS = b"UNTR", (b"EOIE", b"IEOT")


def is_large(path: str) -> bool:
    return os.path.exists(path) and os.path.getsize(path) >= LARGE


def drop_doubted(folder: str, names: tuple[str, ...]) -> None:
    """Drop an index that was being written when we were killed: the next scan starts over."""
    marks = [f"{folder}/{name}{_MARK}" for name in names]
    if any(map(os.path.exists, marks)):
        for path in (folder + "/state", *(f"{folder}/{name}" for name in names), *marks):
            remove_file(path)


class IndexUpdate:
    """Active while git may write this index; afterwards it vouches for nothing that changed meanwhile. `width`: of an
    id. `is_written`: git had something to record."""

    __slots__ = ("_before", "_path", "_since", "_width", "is_written")

    def __init__(self, path: str, width: int) -> None:
        self._path = path
        self._width = width
        self.is_written = True

    def __enter__(self) -> None:
        self._since = int(time.time() - _TICK)
        self._before = _identify(self._path)
        with open(self._path + _MARK, "wb"):
            pass

    def __exit__(self, failed: object, *_: object) -> None:
        self.is_written = _identify(self._path) != self._before
        if failed is None and (not self.is_written or self._doubt_young(int(time.time()))):
            remove_file(self._path + _MARK)

    def _doubt_young(self, until: int) -> bool:
        """Return False if we cannot read this index."""
        data = bytearray(read_bytes(self._path))
        young = [second.to_bytes(4, "big") for second in range(self._since, until + 1)]
        if bytes(data[:8]) not in (b"DIRC\0\0\0\2", b"DIRC\0\0\0\3"):
            return False
        if any(second in data for second in young):
            end = self._smudge(data, young)
            self._write(data[:end] + self._keep_extensions(data, end, young))
        return True

    def _smudge(self, data: bytearray, young: list[bytes]) -> int:
        """Clear the size of each young entry, so that git compares the content; return where the entries end."""
        at, head, after = _HEAD, _FIXED + self._width, _FIXED + self._width - 2
        for _ in range(int.from_bytes(data[8:12], "big")):
            flags = int.from_bytes(data[at + after : at + head], "big")
            name = at + head + (2 if flags & _EXTENDED else 0)
            length = flags & _LONG_NAME
            if length == _LONG_NAME:
                length = data.index(b"\0", name) - name
            if data[at : at + 4] in young:
                data[at + _SIZE : at + _SIZE + 4] = bytes(4)
            at += (name + length - at) // 8 * 8 + 8
        return at

    def _keep_extensions(self, data: bytearray, at: int, young: list[bytes]) -> bytearray:
        """Return all extensions except the list of folders, if one is young, and offsets."""
        kept = bytearray()
        for kind, whole in _list_extensions(data, at, len(data) - self._width):
            seen_young = kind == _FOLDERS_SEEN and any(second in whole for second in young)
            if not seen_young and kind not in _OFFSETS:
                kept += whole
        return kept

    def _write(self, data: bytearray) -> None:
        from hashlib import sha1, sha256

        times = os.stat(self._path)
        data += (sha256 if self._width == _WIDE else sha1)(data).digest()
        with open(self._path + ".new", "wb") as file:
            file.write(data)
        # Git doubts what is not older than its index.
        os.utime(self._path + ".new", ns=(times.st_atime_ns, times.st_mtime_ns))
        os.replace(self._path + ".new", self._path)


def is_older(paths: Iterable[str], moment: float) -> bool:
    """Return whether each of these was last changed before this moment, for certain."""
    last = int((moment - _TICK) * 1_000_000_000)
    return all((times := read_times(path)) and times[3] < last for path in paths)


def _list_extensions(data: bytearray, at: int, end: int) -> Iterator[tuple[bytes, bytearray]]:
    while at < end:
        length = 8 + int.from_bytes(data[at + 4 : at + 8], "big")
        yield bytes(data[at : at + 4]), data[at : at + length]
        at += length


def _identify(path: str) -> tuple[int, ...]:
    """Git writes an index under another name first, so it is another file each time."""
    try:
        found = os.stat(path)
    except FileNotFoundError:
        return ()
    return found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns
