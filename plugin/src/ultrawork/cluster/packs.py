"""Files as commits, any number with one git program: it gets a pack that was made here.

An attempt and a journal entry are a few small objects each; a program for every one would cost more than sending
them."""

import hashlib
import time
import zlib
from collections.abc import Mapping, Sequence

from ..core.errors import Conflict, NotFound
from ..system.git import Git
from ..system.objects import hash_object
from .remote import GitRemote

_KINDS = {"commit": 1, "tree": 2, "blob": 3}
_VERSION = 2
_FAST = 1  # of zlib: git repacks them when they travel
_FILE = b"100644"
_LARGEST = 128 << 20


class ObjectPack:
    """Objects for a repository; `like` is an id of one that it has, for the algorithm."""

    def __init__(self, like: str) -> None:
        self._like = like
        self._objects: dict[str, bytes] = {}

    def add(self, kind: str, data: bytes) -> str:
        name = hash_object(kind, data, self._like)
        if name not in self._objects:
            head = _make_head(_KINDS[kind], len(data))
            self._objects[name] = head + zlib.compress(data, _FAST)
        return name

    def add_tree(self, blobs: Mapping[str, str]) -> str:
        """Add a folder of files by name; blobs may already exist."""
        rows = (
            b"%s %s\0%s" % (_FILE, name.encode(), bytes.fromhex(blob))
            for name, blob in sorted(blobs.items(), key=lambda pair: pair[0].encode())
        )
        return self.add("tree", b"".join(rows))

    def add_commit(self, tree: str, parents: Sequence[str], message: str, who: Mapping[str, str]) -> str:
        """Add a commit; `who` are git's own variables for author and committer."""
        lines = [f"tree {tree}", *(f"parent {parent}" for parent in parents)]
        for role in ("author", "committer"):
            name, email = (_clean(who[f"GIT_{role.upper()}_{field}"]) for field in ("NAME", "EMAIL"))
            lines.append(f"{role} {name} <{email}> {int(time.time())} +0000")
        return self.add("commit", "\n".join([*lines, "", message]).encode("utf-8", "replace"))

    def add_files(self, files: Mapping[str, bytes], message: str, who: Mapping[str, str]) -> str:
        tree = self.add_tree({name: self.add("blob", data) for name, data in files.items()})
        return self.add_commit(tree, [], f"{message}\n", who)

    def take(self, object_pack: "ObjectPack") -> None:
        """All of another one too."""
        self._objects |= object_pack._objects  # noqa: SLF001 (one of the same kind)

    def write(self, git: Git) -> None:
        body = b"PACK" + _VERSION.to_bytes(4, "big") + len(self._objects).to_bytes(4, "big")
        body += b"".join(self._objects.values())
        algorithm = "sha1" if len(self._like) == 40 else "sha256"
        git.ask(["unpack-objects", "-q"], body + hashlib.new(algorithm, body).digest())


def write_commit(remote: GitRemote, like: str, files: Mapping[str, bytes], message: str) -> str:
    """Return a commit without parents that no ref holds yet."""
    pack = ObjectPack(like)
    commit = pack.add_files(files, message, remote.identity)
    pack.write(remote.git)
    return commit


def read_commit(git: Git, commit: str, name: str, most: int = _LARGEST) -> bytes:
    """Return a file; what is larger than any of ours is not read."""
    size = git.line("cat-file", "-s", f"{commit}:{name}")
    if size is not None and int(size) > most:
        raise Conflict(f"{name} in {commit[:12]} is larger than {most:,} bytes")
    content = git.read(commit, name) if size is not None else None
    if content is None:
        raise NotFound(f"{commit[:12]} has no file {name}")
    return content


def _make_head(kind: int, size: int) -> bytes:
    """Return the kind and the size, seven bits a byte, the lowest first."""
    last, size = (kind << 4) | (size & 15), size >> 4
    made = bytearray()
    while size:
        made.append(last | 0x80)
        last, size = size & 0x7F, size >> 7
    made.append(last)
    return bytes(made)


def _clean(text: str) -> str:
    return text.translate({ord(mark): None for mark in "<>\n\0"}).strip()
