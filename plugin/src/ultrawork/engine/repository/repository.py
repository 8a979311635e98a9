"""The repository of a session: its baseline, its worktrees, the names of its branches and refs, and where results are
merged.

The baseline is the user's files at the start. If those are not committed, our own commit holds them; their index,
stash and branch are not touched. Results go to our own ref, which the branch `ultrawork/<session>` follows."""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from ...clients.find import GUARDED
from ...core.check import require_session_id, require_task_id
from ...core.errors import Trouble
from ...store import atomic
from ...store.paths import Home
from ...system import history
from ...system.checkout import Checkout
from ...system.files import read_bytes
from ...system.git import Git
from ...system.mirror import Mirror
from .filters import Filters


def choose_worktrees_folder(home: Home, top: str, environ: Mapping[str, str]) -> str:
    """Return the folder of all worktrees: in the state folder, unless a client guards that or it is inside the
    checkout; then in the user's own state folder, else in a temporary one."""
    home_folder = environ.get("HOME", "")
    state = environ.get("XDG_STATE_HOME") or (home_folder and home_folder + "/.local/state")
    temporary = f"{environ.get('TMPDIR', '/var/tmp').rstrip('/')}/ultrawork-{os.getuid()}"  # noqa: S108 (made for one user alone, below)
    for folder in (home.root, state and state + "/ultrawork", temporary):
        place = os.path.realpath(folder) + "/worktrees"
        if (
            folder.startswith("/")
            and not any(guarded_part in place for guarded_part in GUARDED)
            and not (place == top or place.startswith(top.rstrip("/") + "/"))
        ):
            return _make_private_folder(place)
    raise Trouble(f"every folder for worktrees is inside {top}; set ULTRAWORK_HOME to a folder outside")


def _make_private_folder(place: str) -> str:
    """Create a folder that only we own, because a worktree runs whatever is in it."""
    try:
        os.makedirs(place, mode=0o700, exist_ok=True)
        owner = os.stat(os.path.dirname(place)).st_uid
    except OSError as error:
        raise Trouble(f"could not create {place}: {error.strerror}") from error
    if owner != os.getuid():
        raise Trouble(f"{os.path.dirname(place)} belongs to another user; set ULTRAWORK_HOME")
    return place


class RefNames:
    """Ref names of one session. Attempts have their own prefix: no branch can be below another."""

    def __init__(self, session: str) -> None:
        self.session = _part(require_session_id(session))
        self.branch = f"ultrawork/{self.session}"
        self.view = f"refs/heads/{self.branch}"
        self.base = f"refs/ultrawork/{self.session}/base"
        self.integration = f"refs/ultrawork/{self.session}/integration"

    def attempt_name(self, subject: str, epoch: int) -> str:
        return _part(f"{require_task_id(subject)}.{epoch}")

    def work_branch(self, attempt: str) -> str:
        return f"ultrawork-work/{self.session}/{attempt}"

    def ref_for(self, kind: str, name: str) -> str:
        """Return a ref that keeps something that no branch holds."""
        return f"refs/ultrawork/{self.session}/{kind}/{name}"


def _part(name: str) -> str:
    """Return the name as part of a ref, which may not contain two dots or end in `.` or `.lock`."""
    plain = name.replace("..", "%2E%2E")
    return plain + "%" if plain.endswith((".", ".lock")) else plain


GIT_PATIENCE = 1800.0
_LAST = "results"
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
    """
    How the checkout was found. `branch` is empty for a detached HEAD, `head` before a first commit. `begun_at`
    distinguishes sessions of the same name. `rules` are those for commits, None in a run of an older version.
    """

    base: str
    branch: str
    head: str
    top: str
    begun_at: float = 0.0
    rules: dict[str, str] | None = None

    @property
    def was_clean(self) -> bool:
        return self.base == self.head


def _go_on() -> None:
    """Continue; the default without orders."""


def _ignore_commit(_commit: str) -> None:
    """Ignore the commit; the default without a listener."""


class Repository:
    """
    `notes`: what the user should know about it. `start` and `setup` are known once it was opened, and so is
    `largest_file`, the megabytes a file may have (0: any). `tick` is called during long operations and raises if
    they must end. `announce` gets a commit before results move to it, and raises if they must not.
    """

    setup: str
    start: CheckoutStart

    def __init__(self, checkout: Checkout, home: Home, session: str, environ: Mapping[str, str]) -> None:
        self.checkout = checkout
        self.home = home
        self.session = session
        self.environ = environ
        self.names = RefNames(session)
        self.identity = history.read_identity(Git(checkout.top, environ), environ)
        self.git = Git(checkout.top, environ, extra=self.identity, patience=GIT_PATIENCE)
        self.filters = Filters(self.git, environ)
        self.folder = f"{choose_worktrees_folder(home, checkout.top, environ)}/{self.names.session}"
        self.notes: list[str] = []
        self.largest_file = 0
        self.tick: Callable[[], None] = _go_on
        self.announce: Callable[[str], None] = _ignore_commit
        self._trees: dict[str, str | None] = {}
        self._mirrors: dict[tuple[str, str], Mirror] = {}

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
        """Return the commit with all merged results; deleted refs are written again."""
        return self.git.commit(self.names.integration) or self._restore_refs()

    def _restore_refs(self) -> str:
        last, names = self.read_last(), self.names
        if self.git.commit(last) is None:
            raise Trouble(f"{names.integration} and its commits are no longer in {self.top}; start a new run")
        for ref, commit in ((names.base, self.base), (names.integration, last), (names.view, last)):
            history.set_ref(self.git, ref, commit)
        return last

    def read_last(self) -> str:
        """Return the last commit of the results, for the case that the ref is missing."""
        return os.fsdecode(read_bytes(f"{self.folder}/{_LAST}")).strip() or self.base

    def write_last(self, commit: str) -> None:
        atomic.write(f"{self.folder}/{_LAST}", f"{commit}\n", sync=False)

    def find_tree(self, commit: str) -> str | None:
        """Return the tree of a commit, cached because it never changes."""
        if not self._trees.get(commit):
            self._trees[commit] = self.git.tree_id(commit)
        return self._trees[commit]

    def write(self, tree: str, parents: Sequence[str], message: str) -> str:
        """Return a new commit that no ref holds yet."""
        commit = history.write(self.git, tree, parents, message)
        self._trees[commit] = tree
        return commit

    def git_in(self, path: str) -> Git:
        """Return git for merging and writing files, independent of the user's settings."""
        extra = {**self.identity, "GIT_NO_LAZY_FETCH": "0"}
        settings = [*_SETTINGS, *self.filters.settings()]
        return Git(path, self.environ, extra=extra, settings=settings, patience=GIT_PATIENCE)

    def mirror(self, checkout: Checkout) -> Mirror:
        """Return our git folder over a checkout of this repository, opened once."""
        key = (checkout.top, checkout.git_dir)
        if key not in self._mirrors:
            self._mirrors[key] = Mirror(checkout, self.home.cache, self.environ)
        return self._mirrors[key]
