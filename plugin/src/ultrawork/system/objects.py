"""Objects of git: content verified against its id, which git does not do when it reads; folders; files that filters
changed; and the contents of many files as one pack, as git would take four times as long to write an object for each."""

import os
import stat
import struct
import sys
import time
import zlib

from ..core.errors import Trouble
from ..store import atomic, codec
from .checkout import read_times
from .files import write_loose

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any

    Ask = Callable[[Sequence[str], bytes], bytes]
    from collections.abc import Iterator

POINTER = b"version https://git-lfs.github.com/spec/"
POINTER_SIZES = range(100, 300)
FOLDER = b"40000"
# Mode and id by name.
Folder = dict[bytes, tuple[bytes, bytes]]
# Modes of entries.
FILE, PROGRAM, LINK = "100644", "100755", "120000"
# Times younger than this may belong to another write in the same moment.
YOUNG = 2_000_000_000
_PIECE = 1 << 20
_LITTLE = 300_000


class TreeEntry:
    """One file of a tree."""

    __slots__ = ("id", "mode", "path")

    def __init__(self, mode: str, object_id: str, path: str) -> None:
        self.mode = mode
        self.id = object_id
        self.path = path


def hash_object(kind: str, data: "bytes | memoryview", like: str) -> str:
    """Return the id of an object, by the algorithm of another id of the repository."""
    hashed = _find_algorithm(like, len(data))(b"%s %d\0" % (kind.encode(), len(data)))
    hashed.update(data)
    return str(hashed.hexdigest())


def _find_algorithm(like: str, size: int) -> "Callable[[bytes], Any]":
    """`hashlib` loads OpenSSL, which takes 5 ms and then hashes six times as fast: not worth it for little."""
    if len(like) == 64:
        from hashlib import sha256

        return sha256
    try:
        if size < _LITTLE and "hashlib" not in sys.modules:
            from _sha1 import sha1  # type: ignore[import-not-found]  # a private module
        else:
            from hashlib import sha1
    except ImportError:  # pragma: no cover - a Python without it
        from hashlib import sha1
    return sha1  # type: ignore[no-any-return]


def check_blob(name: str, data: bytes) -> bytes:
    """Return the content, if it matches this id."""
    if hash_object("blob", data, name) != name:
        raise Trouble(f"object {name[:12]} was overwritten in the repository; run git fsck")
    return data


def parse_folder(folder: memoryview, width: int) -> "list[tuple[bytes, bytes, bytes]]":
    """Mode, name and id of each entry; an id has `width` bytes."""
    from re import DOTALL, findall

    return findall(rb"(\d+) ([^\0]+)\0(.{%d})" % width, folder, DOTALL)


def split_tree(answer: memoryview) -> tuple[memoryview, memoryview]:
    """Return the first tree that git printed, and the rest."""
    head, _, _ = bytes(answer[:200]).partition(b"\n")
    name, kind, *size = head.decode("ascii", "replace").split(" ")
    if kind != "tree":
        raise Trouble(f"could not read tree {name[:12]} ({kind}); run git fsck")
    start, end = len(head) + 1, len(head) + 1 + int(size[0])
    return answer[start:end], answer[end + 1 :]


def read_folders(ask: "Ask", names: "Sequence[str]") -> "list[Folder]":
    """Return the entries of each of these folders, by one question."""
    answer = memoryview(ask(["cat-file", "--batch"], "".join(f"{folder_name}\n" for folder_name in names).encode()))
    folders: list[Folder] = []
    for name in names:
        folder, answer = split_tree(answer)
        records = parse_folder(folder, len(name) // 2)
        folders.append({entry: (mode, object_id) for mode, entry, object_id in records})
    return folders


def check_copy(ask: "Ask", folder: str, entries: "Sequence[TreeEntry]") -> None:
    """Verify that files just written are their objects; if line ends were converted, check the object itself."""
    differing = [
        entry.id for entry in entries if entry.mode.startswith("1") and not _is_file_of(f"{folder}/{entry.path}", entry)
    ]
    for name in dict.fromkeys(differing):
        check_blob(name, ask(["cat-file", "blob", name], b""))


def _is_file_of(place: str, entry: TreeEntry) -> bool:
    try:
        if entry.mode == LINK:
            data = os.fsencode(os.readlink(place))
        else:
            with open(place, "rb") as file:
                data = file.read()
    except OSError:
        return True  # a missing file misleads no one
    return hash_object("blob", data, entry.id) == entry.id


def copy_blobs(ask: "Ask", names: "Sequence[str]", place: "Callable[[str], str]") -> None:
    """Copy each blob to its place; missing ones are skipped."""
    given = "".join(name + "\n" for name in names).encode()
    answer = memoryview(ask(["cat-file", "--batch"], given))
    while answer:
        head, _, _ = bytes(answer[:200]).partition(b"\n")
        name, *kind_and_size = head.decode().split(" ")
        start = len(head) + 1
        size = int(kind_and_size[1]) if len(kind_and_size) == 2 else -1
        if size >= 0:
            write_loose(place(name), answer[start : start + size])
        answer = answer[start + size + 1 :]


def read_pointer(text: bytes) -> str:
    """Return the hash in an LFS pointer; empty if it is not one."""
    if not text.startswith(POINTER):
        return ""
    return text.partition(b"oid sha256:")[2][:64].decode("ascii", "replace")


def name_stored(common: str, named: str | None, name: str) -> str:
    """Return where LFS keeps a content; `named` is `lfs.storage`."""
    return os.path.join(common, named or "lfs", "objects", name[:2], name[2:4], name)


def hash_content(place: str) -> str:
    from hashlib import sha256

    hashed = sha256()
    try:
        with open(place, "rb") as file:
            while piece := file.read(_PIECE):
                hashed.update(piece)
    except OSError:
        return ""
    return hashed.hexdigest()


class FilteredFiles:
    """Files that a filter stored differently, recognized as unchanged by content: LFS by its pointer, any other by its
    content when the repository's index could still be trusted. Hashes are cached by size, inode and both times; a
    change time cannot be set back, and young times are not trusted."""

    __slots__ = ("_contents", "_hashes", "_path", "_seen", "_top")

    def __init__(self, top: str, folder: str) -> None:
        self._top = top
        self._path = folder + "/filtered"
        self._hashes, self._contents = self._load()
        self._seen: dict[str, list[object]] = {}

    def _load(self) -> "tuple[dict[str, list[object]], dict[str, str]]":
        try:
            with open(self._path, encoding="utf-8") as file:
                hashes, contents = codec.loads(file.read())
        except (OSError, ValueError):
            return {}, {}
        return hashes, contents

    def is_known(self, blob: str) -> bool:
        return blob in self._contents

    def vouch(self, blobs: "Mapping[str, str]") -> None:
        """Record that a file with this content is this blob, and no other is."""
        for path, blob in blobs.items():
            self._contents[blob] = self._hash(path)
        self._keep()

    def find_unchanged(self, ask: "Ask", blobs: "Mapping[str, str]") -> set[str]:
        """Return the paths whose content is known to be that of the blob."""
        known = {path: self._contents[blob] for path, blob in blobs.items() if blob in self._contents}
        known = _read_pointers(ask, blobs) | known
        same = {path for path, wanted in known.items() if self._hash(path) == wanted}
        if known:
            self._keep()
        return same

    def _keep(self) -> None:
        if self._seen != self._hashes:
            atomic.write(self._path, codec.dumps([self._seen, self._contents]))
            self._hashes = dict(self._seen)

    def _hash(self, path: str) -> str:
        place, key = f"{self._top}/{path}", os.fsencode(path).hex()
        times = read_times(place)
        known = self._hashes.get(key)
        if known is None or known[1:] != times:
            now = time.time_ns()
            known = [hash_content(place), *times]
            if not times or max(times[2:]) > now - YOUNG:
                known[1:] = []
        self._seen[key] = known
        return str(known[0])


def list_hashed(ask: "Ask", paths: "Iterable[str]") -> set[str]:
    """Return the paths whose entry in our index was once seen equal to the file on disk."""
    wanted = set(paths)
    first, *records = os.fsdecode(ask(["ls-files", "--debug", "-z"], b"")).split("\0")
    hashed_paths, path = set(), first
    for record in records:
        times, _, following = record.partition("flags: ")
        if path in wanted and "  mtime: 0:0\n" not in times:
            hashed_paths.add(path)
        path = following.partition("\n")[2]
    return hashed_paths


def _read_pointers(ask: "Ask", blobs: "Mapping[str, str]") -> dict[str, str]:
    given = "".join(f"{blob}\n" for blob in blobs.values()).encode()
    lines = ask(["cat-file", "--batch-check=%(objectsize)"], given).decode().splitlines()
    small = [
        (path, blob)
        for (path, blob), size in zip(blobs.items(), lines, strict=True)
        if size.isdigit() and int(size) in POINTER_SIZES
    ]
    pointers = {path: read_pointer(ask(["cat-file", "blob", blob], b"")) for path, blob in small}
    return {path: wanted for path, wanted in pointers.items() if wanted}


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
