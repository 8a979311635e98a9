"""Reading a project's files by relative POSIX paths: from a directory, or from a git tree."""

import os
import posixpath
import stat
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Protocol

from ...system.objects import FOLDER, LINK, Folder, check_blob, hash_object, read_folders

Ask = Callable[[Sequence[str], bytes], bytes]


class Files(Protocol):
    """The files that finders read. Files that do not exist or are outside the project read as absent."""

    def read(self, path: str) -> str | None: ...
    def exists(self, path: str) -> bool: ...
    def names(self, folder: str) -> list[str]: ...
    def expect(self, folders: Sequence[str]) -> None: ...


LIMIT = 500_000
ENTRIES = 20_000
HOPS = 8
# Folders that one call lists.
_TOGETHER = 20
# Never in a tree, but they decide how a project's programs start.
INSTALLED = frozenset((".pnp.cjs", ".venv", "CMakeCache.txt", "env", "meson-private", "node_modules", "vendor", "venv"))


def normalise_path(path: str) -> str | None:
    """Return the path without empty parts, "" for the root; None if it is none inside the project."""
    parts = [part for part in path.split("/") if part not in ("", ".")]
    if path.startswith("/") or ".." in parts or "\0" in path or not _encodable(path):
        return None
    return "/".join(parts)


class DiskFiles:
    """Files on disk. Only regular files inside the folder are read, also through links."""

    def __init__(self, root: str) -> None:
        self._root = os.path.realpath(root)
        self._own = {self._root}

    def read(self, path: str) -> str | None:
        data = self.read_bytes(path)
        return None if data is None else _text(data)

    def read_bytes(self, path: str) -> bytes | None:
        """Return at most one byte more than the limit for text."""
        where = self._place(path)
        if where is None or not self._inside(where):
            return None
        try:
            # Opening a pipe or device could block forever.
            if not stat.S_ISREG(os.stat(where).st_mode):
                return None
            with open(where, "rb") as file:
                return file.read(LIMIT + 1)
        except OSError:
            return None

    def exists(self, path: str) -> bool:
        where = self._place(path)
        return where is not None and os.path.exists(where)

    def names(self, folder: str) -> list[str]:
        where = self._place(folder)
        if where is None or not self._inside(where):
            return []
        try:
            with os.scandir(where) as entries:
                listed = [entry for entry, _ in zip(entries, range(ENTRIES), strict=False)]
        except OSError:
            return []
        if os.path.dirname(where) in self._own and not os.path.islink(where):
            self._own.add(where)
        return sorted([entry.name + "/" if entry.is_dir(follow_symlinks=False) else entry.name for entry in listed])

    def expect(self, folders: Sequence[str]) -> None:
        """Do nothing: listing folders together gains nothing on disk."""

    def _place(self, path: str) -> str | None:
        inner = normalise_path(path)
        return None if inner is None else os.path.join(self._root, inner)

    def _inside(self, where: str) -> bool:
        """Return whether a path is inside. Below a known inside folder only a link can lead out."""
        if os.path.dirname(where) in self._own and not os.path.islink(where):
            return True
        real = os.path.realpath(where)
        return real == self._root or real.startswith(self._root.rstrip("/") + "/")


class GitTree:
    """Files of a git tree object. `git` runs git with arguments and input and returns its output, or raises; it reads
    only objects that a folder named. `at_hand` reads the current file at a path, so that git is not needed if its
    content is unchanged."""

    def __init__(self, git: Ask, tree: str, at_hand: Callable[[str], bytes | None] = lambda _path: None) -> None:
        self._git = git
        self._at_hand = at_hand
        self._ids = {"": tree}
        self._folders: dict[str, Folder] = {}
        self._entered: set[str] = set()

    def read(self, path: str) -> str | None:
        inner = normalise_path(path)
        for _ in range(HOPS):
            mode, name = self._entry(inner) if inner else ("", "")
            if not mode.startswith("10") and mode != LINK:
                return None
            data = self._content(inner or "", mode, name)
            if mode != LINK or data is None:
                return None if data is None else _text(data)
            # Return where a link in the tree points to; None if that is outside.
            joined = posixpath.join(posixpath.dirname(inner or ""), os.fsdecode(data))
            inner = normalise_path(posixpath.normpath(joined))
        return None

    def _content(self, path: str, mode: str, name: str) -> bytes | None:
        """Return the content; None for a file that is too large, which is tested first."""
        lying = self._at_hand(path) if mode != LINK else None
        if lying is not None and hash_object("blob", lying, name) == name:
            return lying
        if int(self._git(["cat-file", "-s", name], b"")) > LIMIT:
            return None
        return check_blob(name, self._git(["cat-file", "blob", name], b""))

    def exists(self, path: str) -> bool:
        inner = normalise_path(path)
        return inner is not None and (inner == "" or bool(self._entry(inner)[0]))

    def names(self, folder: str) -> list[str]:
        inner = normalise_path(folder)
        if inner is None:
            return []
        entries = self._listing(inner).items()
        names = [name + b"/" if mode == FOLDER else name for name, (mode, _) in entries][:ENTRIES]
        return sorted(os.fsdecode(b"\0".join(names)).split("\0")) if names else []

    def expect(self, folders: Sequence[str]) -> None:
        """Read these folders with one git call, because each is about to be listed."""
        ids = {path: self._find_id(path) for path in folders if path not in self._folders}
        known = {path: name for path, name in ids.items() if name}
        self._folders.update(zip(known, read_folders(self._git, [*known.values()]), strict=True))

    def _entry(self, path: str) -> tuple[str, str]:
        """Mode and id; empty where there is none."""
        folder, _, name = path.rpartition("/")
        mode, object_id = self._listing(folder).get(os.fsencode(name), (b"", b""))
        return mode.decode(), object_id.hex()

    def _find_id(self, folder: str) -> str:
        """Return the id of a folder; empty if the tree has none there."""
        if folder not in self._ids:
            mode, name = self._entry(folder)
            self._ids[folder] = name if mode.encode() == FOLDER else ""
        return self._ids[folder]

    def _listing(self, folder: str) -> Folder:
        if folder not in self._folders:
            above = folder.rpartition("/")[0]
            name = self._find_id(folder)
            if not name:
                self._folders[folder] = {}
            elif folder and above in self._entered:
                self._list_beside(above, folder)
            else:
                [self._folders[folder]] = read_folders(self._git, [name])
            self._entered.update([above] if folder else [])
        return self._folders[folder]

    def _list_beside(self, above: str, folder: str) -> None:
        """Read sibling folders together: a caller that enters a second folder usually enters the next ones too."""
        prefix = f"{above}/" if above else ""
        entries = self._folders[above].items()
        inner = sorted(prefix + os.fsdecode(name) for name, (mode, _) in entries if mode == FOLDER)
        wanted = [path for path in inner if path not in self._folders]
        start = wanted.index(folder)
        self.expect(wanted[start : start + _TOGETHER])


class TreeAndDisk:
    """A tree for what the project defines, and a folder for what is installed outside any tree."""

    def __init__(self, tree: Files, disk: Files) -> None:
        self._tree = tree
        self._disk = disk

    def read(self, path: str) -> str | None:
        return self._tree.read(path)

    def exists(self, path: str) -> bool:
        installed = not INSTALLED.isdisjoint(path.split("/"))
        return self._tree.exists(path) or (installed and self._disk.exists(path))

    def names(self, folder: str) -> list[str]:
        return self._tree.names(folder)

    def expect(self, folders: Sequence[str]) -> None:
        self._tree.expect(folders)


def has_answers(files: Files, answers: Mapping[tuple[str, str], Any]) -> bool:
    """Return whether these files give the answers that a search got of others. Listings are compared without `.git` and
    hidden folders, such as caches: what a search wants of those, it asks for by path."""
    folders = [path for question, path in answers if question == "names" and path == normalise_path(path)]
    # Each level with one call of git.
    for depth in sorted({path.count("/") for path in folders}):
        files.expect([path for path in folders if path.count("/") == depth])
    for (question, path), answer in answers.items():
        other: Any = getattr(files, question)(path)
        if other != answer and (question != "names" or _without_hidden(other) != _without_hidden(answer)):
            return False
    return True


def _without_hidden(names: Iterable[str]) -> list[str]:
    return [name for name in names if name != ".git" and not (name.startswith(".") and name.endswith("/"))]


def _text(data: bytes) -> str | None:
    if len(data) > LIMIT:
        return None
    return data.decode("utf-8-sig", "replace").replace("\r\n", "\n")


def _encodable(path: str) -> bool:
    try:
        os.fsencode(path)
    except UnicodeEncodeError:
        return False
    return True
