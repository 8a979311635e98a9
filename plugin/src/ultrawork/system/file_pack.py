"""The contents of many files as one git pack. Git would write an object for each file, which takes four times as long."""

import os
import stat
import struct
import zlib

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

# Below this number git is as fast.
MANY = 500
# Larger files are left to git, and so is what does not fit into one pack.
_LARGEST, _TOGETHER = 128 << 10, 64 << 20
_BLOB = 3 << 4


def make_pack(top: str, paths: "Iterable[str]", digits: int) -> bytes:
    """Return a pack with the contents of the small regular files among these, each content once. `digits` is the length
    of the repository's ids."""
    from hashlib import sha1, sha256

    contents = dict.fromkeys(_read_small_files(top, paths))
    pieces = [b"PACK" + struct.pack(">II", 2, len(contents))]
    for content in contents:
        pieces += _write_head(len(content)), zlib.compress(content, 0)
    pack = b"".join(pieces)
    return pack + (sha1 if digits == 40 else sha256)(pack).digest()


def _read_small_files(top: str, paths: "Iterable[str]") -> "Iterator[bytes]":
    room = _TOGETHER
    for path in paths:
        content = _read_small(f"{top}/{path}")
        room -= len(content or b"")
        if content is not None and room >= 0:
            yield content


def _read_small(path: str) -> bytes | None:
    try:
        status = os.lstat(path)
        if not stat.S_ISREG(status.st_mode) or status.st_size > _LARGEST:
            return None
        file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return None
    try:
        return os.read(file, _LARGEST)
    except OSError:
        return None
    finally:
        os.close(file)


def _write_head(size: int) -> bytes:
    """Return kind and size of an object: four bits in the first byte, seven in each of the others."""
    head, size = [_BLOB | size & 15], size >> 4
    while size:
        head[-1] |= 128
        head.append(size & 127)
        size >>= 7
    return bytes(head)
