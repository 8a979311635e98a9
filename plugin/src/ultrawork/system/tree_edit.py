"""A tree with a few changed paths, made from the folders around them: no index of 100,000 files is written."""

import os

from .files import remove_file, write_loose
from .git_folder import GitFolder
from .index import DiskDifference
from .objects import FOLDER, Folder, hash_object, parse_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any


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
