"""The files of a checkout as a tree that a commit can hold: everything not ignored, as git would store it.

Unlike in a receipt's tree, submodules are commits, and files that we added to a worktree are left out."""

import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from ...system import checkout as checkouts
from ...system import history
from ...system.checkout import Checkout
from ...system.files import list_left_files, read_bytes, record_left_files
from ...system.git import SUBMODULE, Git
from ...system.mirror import Mirror
from ...system.objects import TreeEntry
from . import filters
from .repository import Repository

_FILES = ("100644", "100755")


class Snapshot:
    """A snapshot. `since` is a commit in the repository, or nothing; `lent` are paths that we added; `smudged` are
    files as a filter wrote them: the hash of the text on disk and its git id."""

    def __init__(
        self,
        repository: Repository,
        checkout: Checkout,
        since: str,
        lent: Sequence[str] = (),
        smudged: Mapping[str, Sequence[str]] | None = None,
    ) -> None:
        self._repository = repository
        self._checkout = checkout
        self._since = since
        self._lent = list(lent)
        self._smudged = smudged or {}
        # Submodules with uncommitted files, and repositories that are not submodules.
        self.unsaved: list[str] = []
        self.foreign: list[str] = []
        # Submodules on another commit than before.
        self.links: dict[str, str] = {}

    def tree(self, held: str | None = None, *, copied: bool = True) -> str:
        """Return the tree. `held` is a tree that the repository already has completely. If not `copied`, only the
        mirror has the objects."""
        mirror = self._open_mirror()
        folder = mirror.git_folder.folder
        taken = mirror.tree()
        known = self._repository.find_tree(self._since) if self._since else None
        if taken == known:
            return taken
        index = f"{folder}/mended.{os.getpid()}.{os.urandom(4).hex()}"
        mended = self._mended(mirror, taken, known)
        tree = history.amend_tree(mirror.git(), taken, index, mended)
        if copied and tree not in (known, held):
            history.copy_objects(mirror, self._repository.git, tree, [known] if known else [])
        return tree

    def plan_settling(self) -> Callable[[], None]:
        """Start the mirror from the current index of a fresh checkout of `since`."""
        mirror = self._open_mirror()
        tree = self._repository.find_tree(self._since) or ""
        return partial(mirror.settle_fresh, tree, mirror.read_made())

    def _open_mirror(self) -> Mirror:
        mirror = self._repository.mirror(self._checkout)
        folder = mirror.git_folder.folder
        if not set(self._lent).issubset(list_left_files(folder)):
            os.makedirs(folder, mode=0o700, exist_ok=True)
            record_left_files(folder, self._lent)
        return mirror

    def _mended(self, mirror: Mirror, tree: str, known: str | None) -> dict[str, TreeEntry | None]:
        filtered = self._repository.filters.names
        if not self._lent and not filtered and not mirror.may_hold_submodules():
            return {}
        git = mirror.git()
        sides = git.diff_entries(known, tree) if known else {e.path: (None, e) for e in git.entries(tree)}
        before = {path for path, (was, _) in sides.items() if was}
        entries = [entry for _, entry in sides.values() if entry]
        mended: dict[str, TreeEntry | None] = {
            entry.path: None for entry in entries if self._is_lent(entry.path, before)
        }
        links = [entry for entry in entries if entry.mode == SUBMODULE]
        declared = before | self._declared(git, tree) if links else set()
        self.foreign = [entry.path for entry in links if entry.path not in declared]
        mended |= dict.fromkeys(self.foreign)
        mended |= {entry.path: self._commit(entry) for entry in links if entry.path in declared}
        files = [entry for entry in entries if entry.mode in _FILES and entry.path not in mended]
        return mended | self._cleaned(git, files)

    def _is_lent(self, path: str, before: set[str]) -> bool:
        """Return whether we added the path, even if the worker added it to its index."""
        inside = (path == lent or path.startswith(lent + "/") for lent in self._lent)
        return any(inside) and path not in before

    def _declared(self, git: Git, tree: str) -> set[str]:
        key = r"^submodule\..*\.path$"
        command = ["config", "-z", "--blob", f"{tree}:.gitmodules", "--get-regexp", key]
        printed = git.answer(command).out
        return {os.fsdecode(pair).partition("\n")[2] for pair in printed.split(b"\0") if pair}

    def _commit(self, entry: TreeEntry) -> TreeEntry:
        """Return a submodule's checked-out commit; the recorded one if it was not fetched."""
        place = f"{self._checkout.top}/{entry.path}"
        if checkouts.find_at(place) is None:
            return entry
        head = Git(place, self._repository.environ).head() or entry.id
        if head != entry.id:
            self.unsaved.append(entry.path)
        self.links[entry.path] = head
        return TreeEntry(SUBMODULE, head, entry.path)

    def _cleaned(self, git: Git, files: Sequence[TreeEntry]) -> dict[str, TreeEntry | None]:
        """Return filtered files as git stores them."""
        theirs = Git(self._checkout.top, self._repository.environ)
        under = self._repository.filters.attributes(theirs, [entry.path for entry in files])
        modes = {entry.path: entry.mode for entry in files}
        return {path: self._clean(git, path, modes[path], name) for path, name in under.items()}

    def _clean(self, git: Git, path: str, mode: str, name: str) -> TreeEntry | None:
        if name != filters.LFS:
            return TreeEntry(mode, self._filter(path, name), path)
        text = self._repository.filters.make_pointer(self._checkout, path)
        data = text.encode() if text else read_bytes(f"{self._checkout.top}/{path}")
        blob = git.ask(["hash-object", "-w", "--no-filters", "--stdin"], data).decode().strip()
        return TreeEntry(mode, blob, path)

    def _filter(self, path: str, name: str) -> str:
        """Return the git id of a file; one that is still as its filter wrote it is not filtered again."""
        known = self._smudged.get(path)
        if known and known[0] == filters.hash_file(f"{self._checkout.top}/{path}")[0]:
            return known[1]
        if self._checkout is self._repository.checkout:
            # The user's own file, with the user's own filter: git runs it anyway.
            git = Git(self._checkout.top, self._repository.environ)
            tree_entries = git.entries(self._since, [path]) if self._since else []
            if tree_entries and git.answer(["diff", "--quiet", self._since, "--", path]).exit == 0:
                return tree_entries[0].id
        repository = self._repository
        return repository.filters.clean(self._checkout, path, name, repository.environ)


def hash_smudged(repository: Repository, top: str, commit: str) -> dict[str, list[str]]:
    """Return for a fresh checkout what each filtered file, except LFS, looks like on disk."""
    if not repository.filters.names - {filters.LFS}:
        return {}
    git = Git(top, repository.environ)
    ids = {entry.path: entry.id for entry in git.entries(commit) if entry.mode in _FILES}
    under = repository.filters.attributes(git, ids)
    return {
        path: [filters.hash_file(f"{top}/{path}")[0], ids[path]]
        for path, name in under.items()
        if name != filters.LFS and os.path.isfile(f"{top}/{path}")
    }
