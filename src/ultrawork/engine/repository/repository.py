"""
The repository that a session works on: what it began from, and where its results come together.

The base is the person's files as they were at the start. If those are not committed, it is a commit
of ours that holds them; their index, stash and branch are not touched. Results go to a ref of ours,
which the branch `ultrawork/<session>` follows.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ...core.errors import Trouble
from ...store.paths import Home
from ...system import commits
from ...system.checkout import Checkout
from ...system.git import Git
from ...system.mirror import Mirror
from .filters import Filters
from .names import RefNames, choose_worktrees_folder

GIT_PATIENCE = 1800.0
_SETTINGS = (
    "gc.auto=0",
    "maintenance.auto=false",
    "merge.conflictStyle=diff3",
    "merge.directoryRenames=false",
    "merge.ff=true",
    "merge.renames=true",
    "merge.verifySignatures=false",
    "rerere.enabled=false",
    "submodule.recurse=false",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckoutStart:
    """How the checkout was found. `branch` is empty for a detached HEAD, `head` before a first commit."""

    base: str
    branch: str
    head: str
    top: str

    @property
    def was_clean(self) -> bool:
        return self.base == self.head


class Repository:
    """`notes` are what a person should know of it. `start` and `setup` are known once it was opened."""

    __slots__ = (
        "_trees", "checkout", "environ", "filters", "folder", "git", "home", "identity", "names", "notes",
        "session", "setup", "start",
    )  # fmt: skip
    setup: str
    start: CheckoutStart

    def __init__(
        self, checkout: Checkout, home: Home, session: str, environ: Mapping[str, str]
    ) -> None:
        self.checkout = checkout
        self.home = home
        self.session = session
        self.environ = environ
        self.names = RefNames(session)
        self.identity = commits.read_identity(Git(checkout.top, environ), environ)
        self.git = Git(checkout.top, environ, extra=self.identity, patience=GIT_PATIENCE)
        self.filters = Filters(self.git, environ)
        self.folder = f"{choose_worktrees_folder(home, checkout.top, environ)}/{self.names.session}"
        self.notes: list[str] = []
        self._trees: dict[str, str | None] = {}

    @property
    def top(self) -> str:
        return self.checkout.top

    @property
    def base(self) -> str:
        return self.start.base

    @property
    def branch(self) -> str:
        """The branch that results come together on, for people."""
        return self.names.branch

    def head(self) -> str:
        """The commit that all merged results are in."""
        found = self.git.commit(self.names.integration)
        if found is None:
            raise Trouble(f"{self.names.integration} is gone from {self.top}; start a new run")
        return found

    def find_tree(self, commit: str) -> str | None:
        """The files of a commit, by its id; asked once, as they never change."""
        if not self._trees.get(commit):
            self._trees[commit] = self.git.tree_id(commit)
        return self._trees[commit]

    def write(self, tree: str, parents: Sequence[str], message: str) -> str:
        """A commit that no ref holds yet."""
        commit = commits.write(self.git, tree, parents, message)
        self._trees[commit] = tree
        return commit

    def git_in(self, path: str) -> Git:
        """For what merges and writes files: the same whatever a person has set for themselves."""
        extra = {**self.identity, "GIT_NO_LAZY_FETCH": "0"}
        settings = [*_SETTINGS, *self.filters.settings()]
        return Git(path, self.environ, extra=extra, settings=settings, patience=GIT_PATIENCE)

    def mirror(self, checkout: Checkout) -> Mirror:
        return Mirror(checkout, self.home.cache, self.environ)
