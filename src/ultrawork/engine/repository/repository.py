"""
The repository that a session works on: what it began from, and where its results come together.

The base is the person's files as they were at the start. If those are not committed, it is a commit
of ours that holds them; their index, stash and branch are not touched. Results go to a ref of ours,
which the branch `ultrawork/<session>` follows. Opening again finds the same base and the same results.
"""

import os

from ...core.errors import Conflict, Trouble
from ...store import atomic, codec
from ...store.settings import load
from ...system import commits
from ...system.commits import RefMove
from ...system.git import Git
from ...system.mirror import Mirror
from . import opening
from .filters import Filters
from .lock import RepositoryLock
from .names import RefNames, choose_worktrees_folder
from .snapshot import Snapshot

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ...store.paths import Home
    from ...system.checkout import Checkout
    from .checkout_state import CheckoutState
    from .cleanup import Cleanup
    from .delivery import Delivery
    from .outside_changes import OutsideChanges
    from .worktrees import Worktree

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
_START = "start.json"
_MESSAGE = "Files as they were when ultrawork began\n\nUltrawork-Base: {}\n"


class CheckoutStart:
    """How the checkout was found. `branch` is empty for a detached HEAD, `head` before a first commit."""

    __slots__ = ("base", "branch", "head", "top")

    def __init__(self, top: str, branch: str, head: str, base: str) -> None:
        self.top = top
        self.branch = branch
        self.head = head
        self.base = base

    @property
    def was_clean(self) -> bool:
        return self.base == self.head


class Repository:
    __slots__ = (
        "checkout", "environ", "filters", "folder", "git", "home", "identity", "names", "notes", "session",
        "setup", "start",
    )  # fmt: skip
    setup: str
    start: CheckoutStart

    def __init__(
        self, checkout: "Checkout", home: "Home", session: str, environ: "Mapping[str, str]"
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

    @classmethod
    def open(
        cls, place: str, home: "Home", session: str, environ: "Mapping[str, str]"
    ) -> "Repository":
        """Raises one sentence if nothing can be done here; `notes` are what one should know."""
        ground = cls(opening.require_checkout(place, environ), home, session, environ)
        os.makedirs(ground.folder, mode=0o700, exist_ok=True)
        with ground.lock():
            ground.start = ground._known() or ground._begin()
            ground._settle()
        ground.setup = str(load(environ, home, ground._read_text)["run.setup"])
        ground.notes += opening.describe_start(ground)
        return ground

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

    def lock(self) -> RepositoryLock:
        return RepositoryLock(self)

    def git_in(self, path: str) -> Git:
        """For what merges and writes files: the same whatever a person has set for themselves."""
        extra = {**self.identity, "GIT_NO_LAZY_FETCH": "0"}
        settings = [*_SETTINGS, *self.filters.settings()]
        return Git(path, self.environ, extra=extra, settings=settings, patience=GIT_PATIENCE)

    def mirror(self, checkout: "Checkout") -> Mirror:
        return Mirror(checkout, self.home.cache, self.environ)

    def worktree(self, subject: str, epoch: int, onto: str | None = None) -> "Worktree":
        """
        A worktree of its own for an attempt, ready to work in; `onto` is a commit, the merged results
        if not given. Asked again for the same attempt, it is the same one, with all that is in it.
        """
        from .worktrees import prepare

        return prepare(self, subject, epoch, onto or self.head())

    def fence(self) -> "CheckoutState":
        """The person's checkout as it is before a worker begins."""
        from .checkout_state import record_state

        return record_state(self)

    def trespass(
        self,
        fence: "CheckoutState",
        worktree: "Worktree",
        outputs: "Sequence[str]" = (),
        *,
        alone: bool = False,
    ) -> "OutsideChanges":
        """
        What this worker changed in the person's checkout, undone and kept. `outputs` are files with
        what it printed; `alone` says that nobody else can have worked there meanwhile.
        """
        from .outside_changes import examine

        return examine(self, fence, worktree, outputs, alone=alone)

    def deliver(self) -> "Delivery":
        """Moves the person's branch forward to the results, or says why not and what to type."""
        from .delivery import deliver

        return deliver(self)

    def dismiss(self, worktree: "Worktree") -> str:
        """Takes a worktree away that nobody works in any more; why not, if it holds what nothing else does."""
        from .cleanup import remove_worktree

        return remove_worktree(self, worktree.name)

    def close(self) -> "Cleanup":
        """Takes all worktrees away. Results stay, and so does what no result holds, by refs of ours."""
        from .cleanup import remove_worktrees

        return remove_worktrees(self)

    def advance(self, new: str, old: str, reason: str) -> bool:
        """Moves results on; False if they were not at `old` any more."""
        with self.lock():
            seen = self.git.commit(self.names.view) or ""
            moves = [RefMove(self.names.integration, new, old), RefMove(self.names.view, new, seen)]
            if seen not in (old, new):
                moves += self._keep(seen)
            return commits.move_refs(self.git, moves, f"ultrawork: {reason}")

    def _known(self) -> CheckoutStart | None:
        try:
            with open(f"{self.folder}/{_START}", encoding="utf-8") as file:
                start = CheckoutStart(**codec.loads(file.read()))
        except FileNotFoundError:
            return None
        if start.top != self.top:
            raise Conflict(f"session {self.session} works on {start.top}; run it there")
        return start

    def _begin(self) -> CheckoutStart:
        opening.refuse_unfinished(self.checkout)
        opening.refuse_taken_names(self)
        head = self.git.head() or ""
        snapshot = Snapshot(self, self.checkout, head)
        tree = snapshot.tree()
        self.notes += opening.describe_left_out(snapshot)
        base = head
        if not head or self.git.tree_id(head) != tree:
            message = _MESSAGE.format(self.session)
            base = commits.write(self.git, tree, [head] if head else [], message)
        branch = self.git.line("symbolic-ref", "--quiet", "HEAD") or ""
        start = CheckoutStart(self.top, branch, head, base)
        record = {name: getattr(start, name) for name in CheckoutStart.__slots__}
        commits.set_ref(self.git, self.names.base, base)
        atomic.write(f"{self.folder}/{_START}", codec.dumps(record))
        return start

    def _settle(self) -> None:
        """Refs as they should be, whatever was deleted or moved since, or never made."""
        base, results = self._now(self.names.base), self._now(self.names.integration)
        view = self._now(self.names.view)
        moves = []
        if base != self.base:
            moves.append(RefMove(self.names.base, self.base, base))
        if not results:
            moves.append(RefMove(self.names.integration, self.base, ""))
        if view != (results or self.base):
            moves.append(RefMove(self.names.view, results or self.base, view))
            moves += self._keep(view)
        if moves and not commits.move_refs(self.git, moves, "ultrawork: begin"):
            raise Conflict(f"refs of session {self.session} are being moved by another program")

    def _keep(self, commit: str) -> list[RefMove]:
        """For what somebody put onto the branch of results: it is not lost, and it is not a result."""
        ref = self.names.kept("salvage", commit[:12])
        if not commit or self._now(ref) == commit:
            return []
        self.notes.append(f"{self.branch} was moved by somebody; what it held is kept as {ref}")
        return [RefMove(ref, commit, self._now(ref))]

    def _now(self, ref: str) -> str:
        return self.git.commit(ref) or ""

    def _read_text(self, path: str) -> str | None:
        data = self.git.read(self.base, path)
        return None if data is None else data.decode("utf-8", "replace")
