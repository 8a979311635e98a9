"""The files of a project at one moment: a tree with an id, to compare, read and write out.

With git it is the tree that a commit of everything would have, so it equals `HEAD^{tree}` when all is committed. It
covers the whole repository, from any subfolder. Without git it is a list of hashes."""

import os
from _thread import get_ident
from collections.abc import Mapping, Sequence
from posixpath import dirname, join, normpath

from ...core.errors import Trouble
from ...store.codec import digest
from ...store.pins import Pin
from ...system import checkout as checkouts
from ...system.files import record_left_files
from ...system.git import FileChange, Git
from ...system.mirror import Mirror
from ...system.program import find_program
from ...system.tree_copy import Overlay
from ...system.walk import PREFIX, Walk

_MOST_MIRRORS = 32
_mirrors: dict[tuple[int, str, str, str, str], tuple[Mapping[str, str], Mirror]] = {}
# Mode and content id of a file; None if it is absent.
Entry = tuple[str, str] | None

GIT = "git"
WALK = "walk"


class Tree:
    """A tree. `root` is the top folder of the checkout. `kind` is git or walk."""

    def __init__(self, name: str, place: Mirror | Walk) -> None:
        self.id = name
        self.place = place
        if isinstance(place, Mirror):
            self.kind, self.root = GIT, place.git_folder.checkout.top
        else:
            self.kind, self.root = WALK, place.root

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Tree) and other.id == self.id

    def __hash__(self) -> int:
        return hash(self.id)

    def __repr__(self) -> str:
        return f"{self.kind} tree {self.id[:12]} of {self.root}"

    def ask(self, arguments: Sequence[str]) -> bytes:
        """Run git with access to the objects of this tree."""
        return self._git().ask(arguments)

    def _git(self) -> Git:
        if isinstance(self.place, Walk):
            raise Trouble(f"{self.root} is not in git; run git init there")
        return self.place.git()


def open_checkout(root: str, store_dir: str, environ: Mapping[str, str] | None = None) -> Tree:
    """Return the checkout's place without taking a tree, so it has no id."""
    return Tree("", _place(root, store_dir, environ))


def take_snapshot(root: str, store_dir: str, environ: Mapping[str, str] | None = None) -> Tree:
    """The tree of the files as they are now."""
    place = _place(root, store_dir, environ)
    return Tree(place.tree(), place)


def take_again(tree: Tree) -> Tree:
    """The tree of the same checkout as it is now."""
    return Tree(tree.place.tree(), tree.place)


def get_recorded(name: str, root: str, store_dir: str, environ: Mapping[str, str] | None = None) -> Tree:
    """Return a tree by an id that was recorded earlier, or that git reports for a commit."""
    return _get_from(_place(root, store_dir, environ), name, root)


def get_beside(tree: Tree, name: str, root: str) -> Tree:
    """Return another recorded tree of the same checkout."""
    return _get_from(tree.place, name, root)


def _get_from(place: Mirror | Walk, name: str, root: str) -> Tree:
    recorded_by_walk = name.startswith(PREFIX)
    if recorded_by_walk != isinstance(place, Walk):
        how = "without git, which is there now" if recorded_by_walk else "by git, which is gone now"
        raise Trouble(f"tree {name[:12]} of {root} was recorded {how}; start again: ulw <task>")
    return Tree(name, place)


def was_at_rest(tree: Tree, since: float) -> bool:
    """
    Return whether it is certain that no file of a just-taken tree was written since this moment, not even one
    that was restored.
    """
    return isinstance(tree.place, Mirror) and tree.place.was_at_rest(since)


def diff(before: Tree, after: Tree) -> list[FileChange]:
    """Return every path that differs, with added and removed lines, in path order; those inside submodules come
    last."""
    if before.kind != after.kind:
        raise Trouble(f"{before} and {after} cannot be compared: only one of them is from git")
    file_changes = after.place.changes(before.id, after.id)
    if isinstance(after.place, Mirror):
        links = [
            file_change.path for file_change in file_changes if file_change.submodule and file_change.status == "M"
        ]
        inner = (after.place.find_inner_changes(before.id, after.id, path) for path in links)
        file_changes += [change for changes in inner for change in changes]
    return file_changes


def diff_entries(before: Tree, after: Tree) -> dict[str, tuple[Entry, Entry]]:
    """Mode and content id of every path that differs, on both sides; None where a side has none."""
    if before.id == after.id:
        return {}
    return dict(after.place.diff_entries(before.id, after.id))


def compose(tree: Tree, entries: Mapping[str, Entry]) -> Tree:
    """Return the tree with other entries at these paths; only our own objects are written."""
    if not entries:
        return tree
    return Tree(tree.place.put_entries(tree.id, entries), tree.place)


def read(tree: Tree, path: str) -> bytes | None:
    """Return a file's content, a link's target; None if the tree has no such file."""
    return tree.place.read(tree.id, path)


def read_all(tree: Tree, paths: Sequence[str]) -> dict[str, bytes | None]:
    return tree.place.read_all(tree.id, paths)


def list_paths(tree: Tree) -> list[str]:
    return tree.place.names(tree.id)


def list_links(tree: Tree) -> dict[str, str]:
    """Return symbolic links with their targets inside the tree; links that lead out are omitted."""
    links = tree.place.list_links(tree.id)
    targets = {path: normpath(join(dirname(path), to)) for path, to in links.items()}
    return {path: to for path, to in targets.items() if not to.startswith(("..", "/"))}


def list_large(root: str, store_dir: str, environ: Mapping[str, str] | None = None) -> dict[str, int]:
    """Return files that are recorded by size and time alone, because they are too large to read at every scan."""
    return _place(root, store_dir, environ).list_large()


def leave_out(tree: Tree, paths: Sequence[str]) -> None:
    """Exclude files that our own run left behind from all trees of this checkout, unless tracked."""
    place = tree.place
    record_left_files(place.folder if isinstance(place, Walk) else place.git_folder.folder, paths)


def materialise(tree: Tree, target: str, *, overlay: Tree | None = None, paths: Sequence[str] = ()) -> int:
    """
    Write the files into a folder that is empty or not there yet, and say how many. With `overlay`, these
    paths are as they are in that tree, and absent where it has none.
    """
    over = Overlay(overlay.id, paths) if overlay else None
    return tree.place.write(tree.id, target, over)


def _place(root: str, store: str, environ: Mapping[str, str] | None) -> Mirror | Walk:
    environ = os.environ if environ is None else environ
    folder = os.path.realpath(root)
    checkout = checkouts.find(folder)
    if checkout is None or find_program("git", environ) is None:
        return Walk(checkout.top if checkout else folder, store)
    # A folder that the surrounding repository ignores is not part of its tree.
    if checkout.top != folder and Git(checkout.top, environ).ignores(folder):
        return Walk(folder, store)
    return _open_mirror(checkout, store, environ)


def _open_mirror(checkout: checkouts.Checkout, store: str, environ: Mapping[str, str]) -> Mirror:
    """Return our git folder over a checkout, the same one while the thread and its environment stay the same."""
    key = (get_ident(), checkout.top, checkout.git_dir, checkout.common, store)
    known, mirror = _mirrors.get(key, (None, None))
    if mirror is None or known != environ:
        if len(_mirrors) >= _MOST_MIRRORS:
            _mirrors.clear()
        mirror = Mirror(checkout, store, dict(environ))
        _mirrors[key] = (dict(environ), mirror)
    return mirror


def describe_ref_moves(place: str, environ: Mapping[str, str], pin: Pin) -> str:
    """Describe changes to the repository that no file shows; empty if there are none."""
    if pin.kind != GIT or not pin.head:
        return ""
    git = Git(place, environ)
    head = git.head()
    if head is not None and head != pin.head:
        return f"moved HEAD to {head[:7]}"
    return "moved branches or tags" if pin.refs != digest_all_refs(git) else ""


def digest_all_refs(git: Git) -> str:
    return digest(git.ask(["for-each-ref"]).decode("utf-8", "replace"))
