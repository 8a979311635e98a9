"""Recorded trees of a repository, read back by content ids; and lists of paths that follow from a tree alone, stored by
its id, whose content never changes.

A list is one text, with a zero byte before and after each path: searching 100,000 of them takes a tenth of the time of
splitting."""

import os
from collections.abc import Callable, Sequence
from contextlib import suppress

from ..store import atomic
from . import checkout as checkouts
from .files import may_hold_submodules, read_bytes, remove_file
from .git import FileChange, Git
from .git_folder import PLAIN, GitFolder, is_large

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Self

    from .checkout import Checkout
    from .objects import TreeEntry


# Per kind; all paths of a tree are 3 MB for 100,000.
_MOST_KEPT = 4


def join_paths(paths: Sequence[str]) -> bytes:
    return os.fsencode("\0".join(["", *paths, ""])) if paths else b"\0"


def has_name(paths: bytes, word: str) -> bool:
    """Whether one of these paths ends in a file of this name, with any ending or none. Mostly the word is in none of them."""
    name = os.fsencode(word)
    pieces = (start + name + end for start in (b"/", b"\0") for end in (b".", b"\0"))
    return name in paths and any(piece in paths for piece in pieces)


class KeptLists:
    def __init__(self, folder: str) -> None:
        self._folder = folder

    def read(self, name: str, kind: str) -> bytes:
        """Return the text of a list; empty if none is stored."""
        return read_bytes(f"{self._folder}/{name}-{kind}")

    def remember(self, name: str, kind: str, make: Callable[[], Sequence[str]]) -> list[str]:
        """Return a list, made if needed; `kind` says what is listed, and by which rules."""
        paths = self.read(name, kind)
        if not paths:
            paths = join_paths(make())
            with suppress(OSError):  # what cannot be kept is made again
                self._keep(name, kind, paths)
        return os.fsdecode(paths)[1:].split("\0")[:-1]

    def _keep(self, name: str, kind: str, paths: bytes) -> None:
        os.makedirs(self._folder, mode=0o700, exist_ok=True)
        with os.scandir(self._folder) as entries:
            same = [entry for entry in entries if entry.name.partition("-")[2] == kind]
        same.sort(key=lambda entry: entry.stat().st_mtime_ns, reverse=True)
        for file in same[_MOST_KEPT - 1 :]:
            remove_file(file.path)
        atomic.write(f"{self._folder}/{name}-{kind}", paths, sync=False)


FULL = "full"
_ALL, _LINKS = "all", "links"
# Instead of its links, for a tree with submodules.
_NOT_KEPT = [""]
_NO_INDEX = "none"


class RecordedTrees:
    def __init__(self, checkout: "Checkout", store: str, environ: "Mapping[str, str]") -> None:
        self.git_folder = GitFolder(checkout, store, environ)
        self._store = store
        self._environ = environ

    def git(self) -> Git:
        """Return git with our objects and theirs."""
        raise NotImplementedError

    def may_hold_submodules(self) -> bool:
        """Return whether a tree may hold submodules or nested repositories; False if none of ours can."""
        return any(may_hold_submodules(f"{self.git_folder.folder}/{index}") for index in (PLAIN, FULL))

    def is_large(self) -> bool:
        return is_large(f"{self.git_folder.folder}/{PLAIN}")

    def names(self, name: str) -> list[str]:
        """Return all paths, including those of submodules: their files are part of the tree by content."""
        if self._is_kept(name):
            return self._lists.remember(name, _ALL, lambda: self._list_many(name)[0])
        paths, links = self.git().list_paths(name)
        inner = [f"{tree_entry.path}/{path}" for tree_entry in links for path in self._list_inner(tree_entry)]
        return paths + inner

    def list_links(self, name: str) -> dict[str, str]:
        """Symbolic links of a tree, each with what it points at."""
        if not self._is_kept(name):
            return self.git().list_links(name)
        links = self._remember_links(name)
        contents = self.read_all(name, links) if links else {}
        return {path: os.fsdecode(data) for path, data in contents.items() if data is not None}

    def remember(self, name: str, kind: str, make: "Callable[[], Sequence[str]]") -> list[str]:
        """Return a list that follows from a tree's paths, stored if there are many: an id's content never changes."""
        return self._lists.remember(name, kind, make) if self._is_kept(name) else list(make())

    def has_file_named(self, name: str, words: "Iterable[str]") -> bool:
        """Return whether a file has one of these names, with any ending or none."""
        paths = self._lists.read(name, _ALL) if self._is_kept(name) else b""
        paths = paths or join_paths(self.names(name))
        return any(has_name(paths, word) for word in words)

    @property
    def _lists(self) -> KeptLists:
        return KeptLists(os.path.dirname(self.git_folder.objects) + "/paths")

    def _is_kept(self, name: str) -> bool:
        """Return whether lists are stored: not if git is as fast, and not for a tree with submodules, whose files git
        does not list."""
        return self.is_large() and self._remember_links(name) != _NOT_KEPT

    def _remember_links(self, name: str) -> list[str]:
        return self._lists.remember(name, _LINKS, lambda: self._list_many(name)[1])

    def _list_many(self, name: str) -> tuple[list[str], list[str]]:
        """Return all paths and those of symbolic links."""
        paths, submodules = self.git().list_paths(name)
        return paths, _NOT_KEPT if submodules else self.git().list_link_paths(name)

    def _list_inner(self, link: "TreeEntry") -> list[str]:
        inner = self._inner(link.path)
        return inner.names_of_link(link.id) if inner else []

    def names_of_link(self, name: str) -> list[str]:
        """Return the paths of a submodule, whose entry may name a commit."""
        return self.names(self.git().tree_id(name) or name)

    def read(self, name: str, path: str) -> bytes | None:
        return self.read_all(name, [path])[path]

    def read_all(self, name: str, paths: "Sequence[str]") -> dict[str, bytes | None]:
        contents = self.git().read_all(name, paths)
        missing = [path for path, data in contents.items() if data is None and "/" in path]
        for link in self._find_links(name) if missing else ():
            below = link.path + "/"
            inner = self._inner(link.path)
            inner_paths = [path[len(below) :] for path in missing if path.startswith(below)]
            if inner and inner_paths:
                inner_contents = inner.read_all(inner.git().tree_id(link.id) or link.id, inner_paths)
                contents |= {below + path: data for path, data in inner_contents.items()}
        return contents

    def find_present(self, name: str, paths: "Sequence[str]") -> set[str]:
        """Return which of these paths a tree holds."""
        return self.git().find_files(name, paths)

    def _find_links(self, name: str) -> "list[TreeEntry]":
        if not self.may_hold_submodules():
            return []
        return self.git().list_paths(name)[1]

    def _inner(self, path: str) -> "Self | None":
        checkout = checkouts.find_at(f"{self.git_folder.checkout.top}/{path}")
        return type(self)(checkout, self._store, self._environ) if checkout else None

    def find_inner_changes(self, before: str, after: str, path: str) -> list[FileChange]:
        """How the files of a submodule differ between two trees that both have it."""
        inner = self._inner(path)
        sides = [
            tree_entry.id
            for tree in (before, after)
            for tree_entry in self._find_links(tree)
            if tree_entry.path == path
        ]
        if inner is None or len(sides) != 2:
            return []
        git = inner.git()
        file_changes = inner.changes(*(git.tree_id(side) or side for side in sides))
        return [file_change.place_below(path) for file_change in file_changes]

    def changes(self, before: str, after: str) -> list[FileChange]:
        self.git()
        # It would read an index for attributes that no file has any more: for 100,000 files that takes longer than
        # everything else.
        return self.git_folder.git(_NO_INDEX).changes(before, after)

    def diff_entries(
        self, before: str, after: str
    ) -> "dict[str, tuple[tuple[str, str] | None, tuple[str, str] | None]]":
        """Mode and id of every path that differs, on both sides."""
        entries = self.git().diff_entries(before, after)
        return {path: (_pair(old), _pair(new)) for path, (old, new) in entries.items()}

    def put_entries(self, name: str, entries: "Mapping[str, tuple[str, str] | None]") -> str:
        """Return the id of a tree with other entries at these paths, stored among our objects."""
        from .tree_copy import put_entries

        self.git()
        return put_entries(self.git_folder, name, entries)


def _pair(entry: "TreeEntry | None") -> "tuple[str, str] | None":
    return None if entry is None else (entry.mode, entry.id)
