"""Trees of a repository that were recorded, read back: by names that only their content gives."""

import os
from contextlib import suppress

from ..store import atomic
from . import checkout as checkouts
from .checked_folders import LINK, SUBMODULE, CheckedFolders
from .files import may_hold_submodules, read_bytes, remove_file
from .git import FileChange, Git
from .git_folder import GitFolder
from .index_content import PLAIN
from .index_file import is_large

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Self

    from .checkout import Checkout
    from .objects import TreeEntry

FULL = "full"
# Lists of paths that are kept, of 3 MB each where there are 100,000.
_MOST_KEPT = 4
_WITH_SUBMODULES = "\0"
_NO_INDEX = "none"


class RecordedTrees:
    __slots__ = ("_environ", "_folders", "_store", "git_folder")

    def __init__(self, checkout: "Checkout", store: str, environ: "Mapping[str, str]") -> None:
        self.git_folder = GitFolder(checkout, store, environ)
        self._store = store
        self._environ = environ
        self._folders: CheckedFolders | None = None

    def git(self) -> Git:
        """Git that knows our objects and theirs."""
        raise NotImplementedError

    @property
    def folders(self) -> CheckedFolders:
        if self._folders is None:
            self._folders = CheckedFolders(self.git().ask)
        return self._folders

    def may_hold_submodules(self) -> bool:
        """Or repositories that are none; False if no tree of ours can have one."""
        return any(may_hold_submodules(f"{self.git_folder.folder}/{one}") for one in (PLAIN, FULL))

    def is_large(self) -> bool:
        return is_large(f"{self.git_folder.folder}/{PLAIN}")

    def names(self, name: str) -> list[str]:
        """With those of submodules: their files are part of the tree by their content."""
        listed = self._list_many(name)
        if listed is not None:
            return listed[0]
        paths, links = self.git().list_paths(name)
        inner = [f"{one.path}/{path}" for one in links for path in self._list_inner(one)]
        return paths + inner

    def list_links(self, name: str) -> dict[str, str]:
        """Symbolic links of a tree, each with what it points at."""
        listed = self._list_many(name)
        if listed is None:
            return self.git().list_links(name)
        told = self.read_all(name, listed[1]) if listed[1] else {}
        return {path: os.fsdecode(data) for path, data in told.items() if data is not None}

    def _list_many(self, name: str) -> "tuple[list[str], ...] | None":
        """
        All paths and those of symbolic links, remembered where there are many: a name never gets another content. None
        where git may as well be asked, and of a tree with submodules.
        """
        folder = os.path.dirname(self.git_folder.objects) + "/paths"
        told = os.fsdecode(read_bytes(f"{folder}/{name}"))
        if not told and self.is_large():
            told = self._print_paths(name)
            with suppress(OSError):  # what cannot be kept is made again
                _keep_paths(folder, name, told)
        if told in ("", _WITH_SUBMODULES):
            self.check(name)
            return None
        paths, _, links = told.partition("\0\0")
        return tuple(one.split("\0") if one else [] for one in (paths, links))

    def _print_paths(self, name: str) -> str:
        """From folders that were hashed as they were read: no list of ours tells of another tree."""
        found = list(self.folders.list_files(name))
        if any(mode == SUBMODULE for mode, _ in found):
            return _WITH_SUBMODULES
        links = [path for mode, path in found if mode == LINK]
        return os.fsdecode(b"\0".join(path for _, path in found) + b"\0\0" + b"\0".join(links))

    def _list_inner(self, link: "TreeEntry") -> list[str]:
        inner = self._inner(link.path)
        return inner.names_of_link(link.id) if inner else []

    def names_of_link(self, name: str) -> list[str]:
        """Of a submodule, whose entry may name a commit."""
        return self.names(self.git().tree_id(name) or name)

    def read(self, name: str, path: str) -> bytes | None:
        return self.read_all(name, [path])[path]

    def read_all(self, name: str, paths: "Sequence[str]") -> dict[str, bytes | None]:
        found: dict[str, bytes | None] = dict.fromkeys(paths)
        if there := self.folders.find_files(name, paths):
            found.update(self.git().read_all(name, [path for path in paths if path in there]))
        missing = [path for path, data in found.items() if data is None and "/" in path]
        for link in self._find_links(name) if missing else ():
            below = link.path + "/"
            inner = self._inner(link.path)
            asked = [path[len(below) :] for path in missing if path.startswith(below)]
            if inner and asked:
                told = inner.read_all(inner.git().tree_id(link.id) or link.id, asked)
                found |= {below + path: data for path, data in told.items()}
        return found

    def find_present(self, name: str, paths: "Sequence[str]") -> set[str]:
        """Those of these paths that a tree holds."""
        return self.folders.find_files(name, paths)

    def _find_links(self, name: str) -> "list[TreeEntry]":
        if not self.may_hold_submodules():
            return []
        self.check(name)
        return self.git().list_paths(name)[1]

    def _inner(self, path: str) -> "Self | None":
        found = checkouts.find_at(f"{self.git_folder.checkout.top}/{path}")
        return type(self)(found, self._store, self._environ) if found else None

    def find_inner_changes(self, before: str, after: str, path: str) -> list[FileChange]:
        """How the files of a submodule differ between two trees that both have it."""
        inner = self._inner(path)
        sides = [
            one.id for tree in (before, after) for one in self._find_links(tree) if one.path == path
        ]
        if inner is None or len(sides) != 2:
            return []
        git = inner.git()
        told = inner.changes(*(git.tree_id(side) or side for side in sides))
        return [one.place_below(path) for one in told]

    def changes(self, before: str, after: str) -> list[FileChange]:
        self.folders.check_difference(before, after)
        self.git()
        # It would read an index for attributes that no file has any more: of 100,000 files that takes longer than all else.
        return self.git_folder.git(_NO_INDEX).changes(before, after)

    def check(self, name: str) -> None:
        """Raises if git would not find the files of this tree that gave it its name, wherever it searches."""
        self.folders.check_whole(name)


def _keep_paths(folder: str, name: str, told: str) -> None:
    os.makedirs(folder, mode=0o700, exist_ok=True)
    with os.scandir(folder) as entries:
        known = sorted(entries, key=lambda one: one.stat().st_mtime_ns, reverse=True)
    for one in known[_MOST_KEPT - 1 :]:
        remove_file(one.path)
    atomic.write(f"{folder}/{name}", os.fsencode(told), sync=False)
