"""Write a tree into its own folder: a small repository with borrowed objects.

Checks ask git for versions and file lists, so a copy has the refs and the HEAD of the original; changes to them affect
no one. No filter runs: a file that LFS stores is copied from its store."""

import os
from collections.abc import Mapping, Sequence

from ..core.value import Value
from . import checkout as checkouts
from .git import SUBMODULE, Git
from .git_folder import GitFolder, read_git_file, render_configuration
from .objects import LINK, POINTER_SIZES, TreeEntry, check_copy, hash_content, name_stored, read_pointer

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
