"""Write a tree into its own folder, a small repository with borrowed objects; and make a tree with a few changed paths from
the folders around them, without an index of 100,000 files.

Checks ask git for versions and file lists, so a copy has the refs and the HEAD of the original; changes to them affect
no one. No filter runs: a file that LFS stores is copied from its store."""

import os
from collections.abc import Mapping, Sequence

from ..core.value import Value
from . import checkout as checkouts
from .files import remove_file, write_loose
from .git import SUBMODULE, Git
from .git_folder import DiskDifference, GitFolder, read_git_file, render_configuration
from .objects import (
    FOLDER,
    LINK,
    POINTER_SIZES,
    Folder,
    TreeEntry,
    check_copy,
    hash_content,
    hash_object,
    name_stored,
    parse_folder,
    read_pointer,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any

_refs: dict[str, tuple[str, str]] = {}


class Overlay(Value):
    """Files of another tree to put over a copy; a path that the other tree lacks is removed."""

    tree: str
    paths: Sequence[str]


class TreeCopy:
    def __init__(self, git_folder: GitFolder, store: str, environ: Mapping[str, str], target: str) -> None:
        self._git_folder = git_folder
        self._store = store
        self._environ = environ
        self._target = target
        own = {"GIT_DIR": target + "/.git", "GIT_WORK_TREE": target}
        settings = ("checkout.workers=2", "core.protectNTFS=false", "core.protectHFS=false")
        os.makedirs(target, exist_ok=True)
        self._git = Git(target, environ, extra=own, settings=settings)

    def write(self, tree: str, overlay: Overlay | None = None) -> int:
        """How many files were written, a submodule counted as one."""
        self._make_repository()
        self._git.ask(["read-tree", tree])
        if overlay:
            self._git.ask(["update-index", "-z", "--index-info"], self._lines(overlay))
        self._git.ask(["checkout-index", "--all", "--force", "--quiet", "--index"])
        staged = self._git.staged()
        check_copy(self._git.ask, self._target, staged)
        for entry in staged:
            if entry.mode == SUBMODULE:
                self._write_inner(entry, overlay)
        self._replace_pointers(staged)
        return len(staged)

    def _make_repository(self) -> None:
        git_folder, folder = self._git_folder, self._target + "/.git"
        for name in ("objects/info", "refs", "info"):
            os.makedirs(f"{folder}/{name}", exist_ok=True)
        os.makedirs(git_folder.objects, mode=0o700, exist_ok=True)
        borrowed = f"{git_folder.objects}\n{git_folder.checkout.common}/objects\n"
        texts = {
            "objects/info/alternates": borrowed,
            "config": render_configuration(git_folder.read_carried_settings() | {"core.sparsecheckout": "false"}),
            "info/attributes": git_folder.attributes(),
            "info/exclude": git_folder.excludes(),
            "packed-refs": self._refs(),
            "HEAD": self._head(),
            "shallow": read_git_file(git_folder.checkout.common + "/shallow"),
        }
        for name, text in texts.items():
            if not text:
                continue
            with open(f"{folder}/{name}", "w", encoding="utf-8", errors="surrogateescape") as file:
                file.write(text)

    def _refs(self) -> str:
        """Return the refs, read again only when one has moved: a verification makes many copies."""
        checkout = self._git_folder.checkout
        moved = checkouts.digest_refs(checkout.top)
        known = _refs.get(checkout.common)
        if known is None or known[0] != moved or not moved:
            command = ["for-each-ref", "--sort=refname", "--format=%(objectname) %(refname)"]
            printed = os.fsdecode(self._git_folder.theirs().answer(command).out)
            known = _refs[checkout.common] = moved, "# pack-refs with: sorted \n" + printed
        return known[1]

    def _head(self) -> str:
        text = read_git_file(self._git_folder.checkout.git_dir + "/HEAD").strip()
        if text and not text.endswith("/.invalid"):
            return text + "\n"
        # If refs are stored in tables, the file says nothing.
        theirs = self._git_folder.theirs()
        branch = theirs.line("symbolic-ref", "--quiet", "HEAD")
        if branch:
            return f"ref: {branch}\n"
        return (theirs.head() or "ref: refs/heads/none") + "\n"

    def _lines(self, overlay: Overlay) -> bytes:
        there = {entry.path: entry for entry in self._git.entries(overlay.tree, overlay.paths)}
        links = [entry.path for entry in self._git.staged() if entry.mode == SUBMODULE]
        own = [path for path in overlay.paths if not any(path.startswith(f"{link}/") for link in links)]
        nothing = "0" * len(overlay.tree)
        lines = [f"{there[path].mode} {there[path].id}\t{path}\0" for path in own if path in there]
        lines += [f"0 {nothing}\t{path}\0" for path in own if path not in there]
        return os.fsencode("".join(lines))

    def _write_inner(self, entry: TreeEntry, overlay: Overlay | None) -> None:
        """Write a submodule as in the tree; left empty if it was never fetched."""
        inner = checkouts.find_at(f"{self._git_folder.checkout.top}/{entry.path}")
        if inner is None:
            return
        git_folder = GitFolder(inner, self._store, self._environ)
        replica = TreeCopy(git_folder, self._store, self._environ, f"{self._target}/{entry.path}")
        below = f"{entry.path}/"
        paths = [path for path in overlay.paths if path.startswith(below)] if overlay else []
        if overlay is None or not paths:
            replica.write(entry.id)
            return
        tree_entries = self._git.entries(overlay.tree, [entry.path])
        link = next((tree_entry.id for tree_entry in tree_entries if tree_entry.mode == SUBMODULE), "")
        over = Overlay(link, [path[len(below) :] for path in paths]) if link else None
        replica.write(entry.id, over)
        if not link:
            self._lay_files(overlay.tree, paths)

    def _lay_files(self, tree: str, paths: Sequence[str]) -> None:
        """Write files that the other tree has in a plain folder, where this one has a repository."""
        modes = {tree_entry.path: tree_entry.mode for tree_entry in self._git.entries(tree, paths)}
        for path, data in self._git.read_all(tree, paths).items():
            place = _clear_way(self._target, path)
            if data is None:
                continue
            if modes[path] == LINK:
                os.symlink(data, place)
                continue
            with open(place, "xb") as file:
                file.write(data)
            os.chmod(place, int(modes[path][-3:], 8))

    def _replace_pointers(self, staged: Sequence[TreeEntry]) -> None:
        for entry in staged:
            place = f"{self._target}/{entry.path}"
            if os.path.isfile(place) and os.path.getsize(place) in POINTER_SIZES:
                with open(place, "rb") as file:
                    name = read_pointer(file.read())
                if name:
                    self._replace(place, name)

    def _replace(self, place: str, name: str) -> None:
        named = self._git_folder.theirs().line("config", "lfs.storage")
        stored = name_stored(self._git_folder.checkout.common, named, name)
        if os.path.isfile(stored) and hash_content(stored) == name:
            from shutil import copyfile

            copyfile(stored, place)


def _clear_way(root: str, path: str) -> str:
    """Return a path below a folder, with nothing there and only real folders before it: no link leads elsewhere."""
    *folders, name = path.split("/")
    place = root
    for folder in folders:
        place = f"{place}/{folder}"
        if os.path.islink(place) or os.path.isfile(place):
            os.unlink(place)
        os.makedirs(place, exist_ok=True)
    place = f"{place}/{name}"
    if os.path.islink(place) or os.path.isfile(place):
        os.unlink(place)
    elif os.path.isdir(place):
        from shutil import rmtree

        rmtree(place)
    return place


# Changed paths; with more, an index is as fast.
MOST = 200
FEW = "few"
# A header of `cat-file --batch` is shorter than this.
_HEAD = 200
# Settings by which git takes something from the existing index entry.
_LIKE_BEFORE = {
    "core.filemode": "false", "core.symlinks": "false", "core.sparsecheckout": "true", "core.ignorecase": "true",
}  # fmt: skip


def edit_tree(git_folder: GitFolder, state: "Mapping[str, Any]", different: DiskDifference) -> str | None:
    """Return the tree of the index with what differs on disk; None if only an index can tell what a file would be in
    it."""
    put, tree = different.list_put(), state["clean"]
    by_index = state["links"] or state["normalises"] or state["filters"]
    if not tree or by_index or not _may_edit(git_folder, [*put, *different.deleted]):
        return None
    entries = _add(git_folder, put) if put else {}
    return None if entries is None else _edit(git_folder, tree, put, different.deleted, entries)


def put_entries(git_folder: GitFolder, tree: str, entries: "Mapping[str, tuple[str, str] | None]") -> str:
    """Return a tree with other entries at these paths, mode and id each; None is an absent one."""
    gone = [path for path, entry in entries.items() if entry is None]
    put = {path: (entry[0].encode(), bytes.fromhex(entry[1])) for path, entry in entries.items() if entry is not None}
    return _edit(git_folder, tree, (), gone, put)


def _may_edit(git_folder: GitFolder, paths: "Sequence[str]") -> bool:
    if len(paths) > MOST or any("\n" in path or path.endswith(".gitattributes") for path in paths):
        return False
    carried = git_folder.read_carried_settings()
    return not any(carried.get(key) == value for key, value in _LIKE_BEFORE.items())


def _edit(
    git_folder: GitFolder,
    tree: str,
    put: "Sequence[str]",
    deleted: "Sequence[str]",
    entries: "Mapping[str, tuple[bytes, bytes]]",
) -> str:
    gone = [*deleted, *(path for path in put if path not in entries)]
    folders = _read_folders(git_folder.git(FEW).ask, tree, _list_above([*entries, *gone]))
    for path in gone:
        above, _, name = os.fsencode(path).rpartition(b"/")
        if folders[above].get(name, (FOLDER,))[0] != FOLDER:
            del folders[above][name]
    for path, entry in entries.items():
        above, _, name = os.fsencode(path).rpartition(b"/")
        folders[above][name] = entry
    return _write_folders(git_folder, tree, folders)


def _add(git_folder: GitFolder, paths: "Sequence[str]") -> "dict[str, tuple[bytes, bytes]] | None":
    """Return modes and ids of files, hashed by git into our objects; missing ones are left out."""
    remove_file(f"{git_folder.folder}/{FEW}")
    git = git_folder.git(FEW, theirs=False)
    given = os.fsencode("".join(path + "\0" for path in paths))
    if git.answer(["update-index", "--add", "--remove", "-z", "--stdin"], given).exit:
        return None
    return {entry.path: (entry.mode.encode(), bytes.fromhex(entry.id)) for entry in git.staged()}


def _list_above(paths: "Iterable[str]") -> list[bytes]:
    """Return each folder that contains one of them, outermost first."""
    folders = {b""}
    for path in map(os.fsencode, paths):
        parts = path.split(b"/")
        folders.update(b"/".join(parts[:count]) for count in range(1, len(parts)))
    return sorted(folders, key=lambda folder: (folder.count(b"/") + bool(folder), folder))


def _read_folders(
    ask: "Callable[[Sequence[str], bytes], bytes]", tree: str, paths: "Sequence[bytes]"
) -> "dict[bytes, Folder]":
    """Return the folders; empty if the tree has none."""
    questions = [b"%s:%s" % (tree.encode(), path) for path in paths]
    answer = memoryview(ask(["cat-file", "--batch"], b"".join(line + b"\n" for line in questions)))
    folders: dict[bytes, Folder] = {}
    for path, question in zip(paths, questions, strict=True):
        head = bytes(answer[: len(question) + _HEAD]).partition(b"\n")[0]
        fields = [] if head == question + b" missing" else head.split(b" ")
        start = len(head) + 1
        end = start + int(fields[2]) if fields else start
        above, _, name = path.rpartition(b"/")
        mode, wanted = folders[above].get(name, (b"", b"")) if path else (FOLDER, _raw(tree))
        folders[path] = {}
        if mode == FOLDER:
            records = parse_folder(answer[start:end], len(wanted))
            folders[path] = {entry: (mode, object_id) for mode, entry, object_id in records}
        answer = answer[end + 1 if fields else end :]
    return folders


def _raw(name: str) -> bytes:
    return bytes.fromhex(name)


def _write_folders(git_folder: GitFolder, tree: str, folders: "dict[bytes, Folder]") -> str:
    """Write from the innermost on: an empty folder is left out, and a file in its place stays."""
    name = ""
    for path in reversed(folders):
        folder = folders[path]
        data = b"".join(
            b"%s %s\0%s" % (mode, entry, object_id)
            for entry, (mode, object_id) in sorted(folder.items(), key=_find_rank)
        )
        name = hash_object("tree", data, tree)
        above, _, last = path.rpartition(b"/")
        if folder or not path:
            _keep(git_folder, name, data)
        if not path:
            break
        lies = folders[above].get(last, (FOLDER, b""))[0] == FOLDER
        if folder:
            folders[above][last] = FOLDER, _raw(name)
        elif lies:
            folders[above].pop(last, None)
    return name


def _find_rank(entry: "tuple[bytes, tuple[bytes, bytes]]") -> bytes:
    """Git sorts a folder as if its name ended with a slash."""
    name, (mode, _) = entry
    return name + b"/" if mode == FOLDER else name


def _keep(git_folder: GitFolder, name: str, data: bytes) -> None:
    place = f"{git_folder.objects}/{name[:2]}/{name[2:]}"
    if not os.path.exists(place):
        write_loose(place, memoryview(data), b"tree")
