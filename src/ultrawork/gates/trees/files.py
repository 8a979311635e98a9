"""Reading a project's files by relative POSIX paths: from a directory, or from a git tree."""

import os
import stat
from collections.abc import Callable, Sequence

from ...system.objects import LINK, check_blob, hash_object

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    class Files(Protocol):
        """What finders read. What is not there, or leads out of the project, is simply absent."""

        def read(self, path: str) -> str | None: ...
        def exists(self, path: str) -> bool: ...
        def names(self, folder: str) -> list[str]: ...


LIMIT = 500_000
ENTRIES = 20_000
HOPS = 8
_FOLDER = "040000"
# Folders that are listed by one question.
_TOGETHER = 20
# Never in a tree, yet they decide how a project's programs are started.
INSTALLED = frozenset(
    (
        ".pnp.cjs",
        ".venv",
        "CMakeCache.txt",
        "env",
        "meson-private",
        "node_modules",
        "vendor",
        "venv",
    )
)


def normalise_path(path: str) -> str | None:
    """The path without empty parts, "" for the root; None if it is none inside the project."""
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
        """At most a byte more than what is read as text."""
        where = self._place(path)
        if where is None or not self._inside(where):
            return None
        try:
            # A pipe or device would block or never end, even to open it.
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
        return sorted(_listed(entry.name, entry.is_dir(follow_symlinks=False)) for entry in listed)

    def _place(self, path: str) -> str | None:
        inner = normalise_path(path)
        return None if inner is None else os.path.join(self._root, inner)

    def _inside(self, where: str) -> bool:
        """Below a folder that is known to be inside, only a link can lead out."""
        if os.path.dirname(where) in self._own and not os.path.islink(where):
            return True
        real = os.path.realpath(where)
        return real == self._root or real.startswith(self._root.rstrip("/") + "/")


class _Entry:
    __slots__ = ("id", "mode", "size")

    def __init__(self, line: bytes) -> None:
        mode, _, object_id, size = line.split()
        self.mode = mode.decode()
        self.id = object_id.decode()
        self.size = int(size) if size.isdigit() else 0


class GitTree:
    """
    Files of a git tree object. `git` runs git with arguments and returns what it printed, or
    raises; only objects that a listing named are asked for. `at_hand` reads what lies at a path now: a file
    that is still the tree's, by its content, need not be asked for.
    """

    def __init__(
        self,
        git: Callable[[Sequence[str]], bytes],
        tree: str,
        at_hand: Callable[[str], bytes | None] = lambda _path: None,
    ) -> None:
        self._git = git
        self._tree = tree
        self._at_hand = at_hand
        self._folders: dict[str, dict[str, _Entry]] = {}
        self._entered: set[str] = set()

    def read(self, path: str) -> str | None:
        inner = normalise_path(path)
        for _ in range(HOPS):
            entry = self._entry(inner) if inner else None
            if entry is None or not entry.mode.startswith("1") or entry.size > LIMIT:
                return None
            data = self._content(inner or "", entry)
            if entry.mode != LINK:
                return _text(data)
            inner = _beside(inner or "", data)
        return None

    def _content(self, path: str, entry: _Entry) -> bytes:
        lying = self._at_hand(path) if entry.mode != LINK else None
        if lying is not None and hash_object("blob", lying, entry.id) == entry.id:
            return lying
        return check_blob(entry.id, self._git(["cat-file", "blob", entry.id]))

    def exists(self, path: str) -> bool:
        inner = normalise_path(path)
        return inner is not None and (inner == "" or self._entry(inner) is not None)

    def names(self, folder: str) -> list[str]:
        inner = normalise_path(folder)
        if inner is None:
            return []
        entries = self._listing(inner)
        return sorted(_listed(name, entry.mode == _FOLDER) for name, entry in entries.items())

    def _entry(self, path: str) -> _Entry | None:
        folder, _, name = path.rpartition("/")
        return self._listing(folder).get(name)

    def _listing(self, folder: str) -> dict[str, _Entry]:
        if folder not in self._folders:
            entry = self._entry(folder) if folder else None
            known = not folder or (entry is not None and entry.mode == _FOLDER)
            tree = entry.id if entry else self._tree
            above = folder.rpartition("/")[0]
            if not known:
                self._folders[folder] = {}
            elif folder and above in self._entered:
                self._list_beside(above, folder)
            else:
                self._folders[folder] = self._list(tree)
            self._entered.update([above] if folder else [])
        return self._folders[folder]

    def _list_beside(self, above: str, folder: str) -> None:
        """Whoever enters a second folder of one enters those after it too: one question for all of them."""
        prefix = f"{above}/" if above else ""
        entries = self._folders[above]
        inner = sorted(name for name, entry in entries.items() if entry.mode == _FOLDER)
        wanted = [name for name in inner if prefix + name not in self._folders]
        start = wanted.index(folder[len(prefix) :])
        wanted = wanted[start : start + _TOGETHER]
        tree = self._entry(above).id if above else self._tree  # type: ignore[union-attr]  # it has entries
        for name in wanted:
            self._folders[prefix + name] = {}
        listed = self._list(tree, [name + "/" for name in wanted], ENTRIES * len(wanted))
        for path, entry in listed.items():
            name, _, inside = path.partition("/")
            if len(self._folders[prefix + name]) < ENTRIES:
                self._folders[prefix + name][inside] = entry

    def _list(
        self, tree: str, inside: Sequence[str] = (), most: int = ENTRIES
    ) -> dict[str, _Entry]:
        printed = self._git(["ls-tree", "-z", "-l", "--full-tree", tree, "--", *inside])
        pairs = [line.partition(b"\t") for line in printed.split(b"\0") if line]
        return {os.fsdecode(name): _Entry(head) for head, _, name in pairs[:most]}


class TreeAndDisk:
    """A tree for what the project says, and a folder for what is installed there in no tree."""

    def __init__(self, tree: "Files", disk: "Files") -> None:
        self._tree = tree
        self._disk = disk

    def read(self, path: str) -> str | None:
        return self._tree.read(path)

    def exists(self, path: str) -> bool:
        installed = not INSTALLED.isdisjoint(path.split("/"))
        return self._tree.exists(path) or (installed and self._disk.exists(path))

    def names(self, folder: str) -> list[str]:
        return self._tree.names(folder)


def _listed(name: str, is_folder: bool) -> str:
    return name + "/" if is_folder else name


def _text(data: bytes) -> str | None:
    if len(data) > LIMIT:
        return None
    return data.decode("utf-8-sig", "replace").replace("\r\n", "\n")


def _beside(link: str, target: bytes) -> str | None:
    """Where a link in the tree points to; None if that is outside."""
    import posixpath

    joined = posixpath.join(posixpath.dirname(link), os.fsdecode(target))
    return normalise_path(posixpath.normpath(joined))


def _encodable(path: str) -> bool:
    try:
        os.fsencode(path)
    except UnicodeEncodeError:
        return False
    return True
