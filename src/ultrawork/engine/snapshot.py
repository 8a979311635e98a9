"""
The files of a checkout as a tree that a commit can hold: all that is not ignored, filters not run.

Unlike the tree that a receipt names, its objects are in the repository, its submodules are commits,
and what we lent to a worktree is not in it.
"""

import os

from ..system import checkout as checkouts
from ..system import commits
from ..system.git import SUBMODULE, Git
from ..system.litter import leave, left

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..system.checkout import Checkout
    from ..system.git import Entry
    from .ground import Ground


class Snapshot:
    """`since` is a commit that the repository has, or nothing; `lent` are paths of ours."""

    __slots__ = ("_checkout", "_ground", "_lent", "_since", "foreign", "unsaved")

    def __init__(
        self, ground: "Ground", checkout: "Checkout", since: str, lent: "Sequence[str]" = ()
    ) -> None:
        self._ground = ground
        self._checkout = checkout
        self._since = since
        self._lent = list(lent)
        # Submodules with files that are committed nowhere, and repositories that are no submodules.
        self.unsaved: list[str] = []
        self.foreign: list[str] = []

    def tree(self) -> str:
        mirror = self._ground.mirror(self._checkout)
        folder = mirror.twin.folder
        if not set(self._lent).issubset(left(folder)):
            os.makedirs(folder, mode=0o700, exist_ok=True)
            leave(folder, self._lent)
        tree = mirror.tree()
        known = self._ground.git.tree_id(self._since) if self._since else None
        if tree != known:
            commits.bring(mirror, self._ground.git, tree, [known] if known else [])
        return self._mended(tree)

    def _mended(self, tree: str) -> str:
        git = self._ground.git
        entries = git.entries(tree)
        before = {entry.path for entry in git.entries(self._since)} if self._since else set()
        lent = [entry.path for entry in entries if self._is_lent(entry.path, before)]
        found = [entry for entry in entries if entry.mode == SUBMODULE]
        declared = before | self._declared(tree) if found else before
        self.foreign = [entry.path for entry in found if entry.path not in declared]
        links = {entry.path: self._commit(entry) for entry in found if entry.path in declared}
        index = f"{self._ground.folder}/index.{os.getpid()}.{os.urandom(4).hex()}"
        return commits.amended(git, tree, index, [*lent, *self.foreign], links)

    def _is_lent(self, path: str, before: set[str]) -> bool:
        """Also where the worker has added it to its index."""
        inside = (path == lent or path.startswith(lent + "/") for lent in self._lent)
        return any(inside) and path not in before

    def _declared(self, tree: str) -> set[str]:
        key = r"^submodule\..*\.path$"
        command = ["config", "-z", "--blob", f"{tree}:.gitmodules", "--get-regexp", key]
        printed = self._ground.git.answer(command).out
        return {os.fsdecode(pair).partition("\n")[2] for pair in printed.split(b"\0") if pair}

    def _commit(self, entry: "Entry") -> str:
        """What a submodule has checked out; as it is recorded where it was not fetched."""
        place = f"{self._checkout.top}/{entry.path}"
        if checkouts.at(place) is None:
            return entry.id
        head = Git(place, self._ground.environ).head()
        if head != entry.id:
            self.unsaved.append(entry.path)
        return head or entry.id
