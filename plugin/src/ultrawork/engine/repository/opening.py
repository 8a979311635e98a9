"""Open the repository of a session: one sentence if it cannot be worked on, notes for what the user should know.

Opening again finds the same baseline and results, whatever was moved meanwhile."""

import os
from collections.abc import Mapping
from dataclasses import asdict, replace
from time import monotonic, sleep

from ...core.errors import Conflict, NotFound
from ...store import atomic, codec
from ...store.paths import Home
from ...store.settings import PROJECT_FILES, load_from
from ...system import checkout as checkouts
from ...system import history
from ...system.checkout import Checkout
from ...system.files import read_bytes
from ...system.git import Git
from .cleanup import rename_refs
from .git_hooks import describe_rules, read_rules
from .large_files import refuse_untracked
from .lock import RepositoryLock
from .repository import CheckoutStart, RefNames, Repository
from .results import settle_refs
from .snapshot import Snapshot
from .worktrees import NOTE

_START = "start.json"
# Seconds that a checkout must be missing before it counts as moved, and between two tests.
_MOMENT, _LOOK = 2.0, 0.1
_MESSAGE = "Files as they were when ultrawork began\n\nUltrawork-Base: {}\n"
# Files in git's folder that mark an unfinished operation.
_UNFINISHED = {
    "MERGE_HEAD": ("a merge", "git merge"),
    "CHERRY_PICK_HEAD": ("a cherry-pick", "git cherry-pick"),
    "REVERT_HEAD": ("a revert", "git revert"),
    "rebase-merge": ("a rebase", "git rebase"),
    "rebase-apply": ("a rebase", "git rebase"),
}


def open_repository(
    place: str, home: Home, session: str, environ: Mapping[str, str], *, begun_at: float = 0.0
) -> Repository:
    """Open the repository; raise one sentence if nothing can be done here. State of another session of this name,
    which began at another time, is renamed."""
    repository = Repository(require_checkout(place, environ), home, session, environ)
    os.makedirs(repository.folder, mode=0o700, exist_ok=True)
    _make_way(repository, begun_at)
    with RepositoryLock(repository):
        repository.start = _read_start(repository) or _begin(repository, begun_at)
        settle_refs(repository)
    files = repository.git.read_all(repository.base, PROJECT_FILES)
    settings = load_from(environ, home, files)
    repository.setup = str(settings["run.setup"])
    repository.largest_file = int(settings["run.largest_file"])
    repository.notes += describe_start(repository)
    return repository


def _make_way(repository: Repository, begun_at: float) -> None:
    """Rename the state of an earlier session of this name, so that a new one starts from the current files."""
    start = _find_start(repository)
    if start is None or not begun_at or start.begun_at in (0.0, begun_at):
        return
    other = f"{repository.names.session}.{os.urandom(3).hex()}"
    if start.top == repository.top:
        repository.start = start
        rename_refs(repository, other)
    os.rename(repository.folder, f"{os.path.dirname(repository.folder)}/{other}")
    os.makedirs(repository.folder, mode=0o700)


def _read_start(repository: Repository) -> CheckoutStart | None:
    start = _find_start(repository)
    if start is None or start.top == repository.top:
        return start
    if not has_moved(start.top, repository.top, repository.session, repository.environ):
        raise Conflict(f"session {repository.session} belongs to {start.top}; run it there")
    moved = replace(start, top=repository.top)
    _point_worktrees(repository, start.top)
    _write_start(repository, moved)
    repository.notes.append(f"the repository moved here from {start.top}")
    return moved


def has_moved(before: str, place: str, session: str, environ: Mapping[str, str]) -> bool:
    """
    Return whether this checkout is the one a session started in: the old place is gone for good, and its baseline
    is here.
    """
    if os.path.isdir(before) or Git(place, environ).commit(RefNames(session).base) is None:
        return False
    end = monotonic() + _MOMENT
    while monotonic() < end:
        if os.path.isdir(before) or not os.path.isdir(place):
            return False
        sleep(_LOOK)
    return True


def _write_start(repository: Repository, start: CheckoutStart) -> None:
    atomic.write(f"{repository.folder}/{_START}", codec.dumps(asdict(start)))


def _find_start(repository: Repository) -> CheckoutStart | None:
    try:
        with open(f"{repository.folder}/{_START}", encoding="utf-8") as file:
            return CheckoutStart(**codec.loads(file.read()))
    except FileNotFoundError:
        return None


def _begin(repository: Repository, begun_at: float) -> CheckoutStart:
    refuse_unfinished(repository.checkout)
    refuse_taken_names(repository)
    refuse_untracked(repository)
    git = repository.git
    head = git.head() or ""
    snapshot = Snapshot(repository, repository.checkout, head)
    tree = snapshot.tree()
    repository.notes += describe_left_out(snapshot)
    base = head
    if not head or repository.find_tree(head) != tree:
        message = _MESSAGE.format(repository.session)
        base = history.write(git, tree, [head] if head else [], message)
    branch = git.line("symbolic-ref", "--quiet", "HEAD") or ""
    start = CheckoutStart(
        base=base, branch=branch, head=head, top=repository.top, begun_at=begun_at, rules=read_rules(repository)
    )
    history.set_ref(git, repository.names.base, base)
    _write_start(repository, start)
    return start


def require_checkout(place: str, environ: Mapping[str, str]) -> Checkout:
    if not os.path.isdir(place):
        raise NotFound(f"no folder {place}; name an existing checkout")
    if Git(place, environ).line("rev-parse", "--is-bare-repository") == "true":
        raise Conflict(f"{place} is a bare repository. Run in a worktree of it: git worktree add")
    checkout = checkouts.find(place)
    if checkout is None:
        raise NotFound(f"{place} is not a git repository. Run git init there")
    return checkout


def refuse_unfinished(checkout: Checkout) -> None:
    for name, (operation, command) in _UNFINISHED.items():
        if os.path.exists(f"{checkout.git_dir}/{name}"):
            raise Conflict(
                f"{operation} is in progress in {checkout.top}. Finish it, or run {command} --abort, then try again"
            )


def refuse_taken_names(repository: Repository) -> None:
    """Raise if a branch name blocks ours: no branch can be below another one."""
    names = ("ultrawork", "ultrawork-work")
    taken = repository.git.resolve(*(f"refs/heads/{name}^{{commit}}" for name in names))
    for name, commit in zip(names, taken, strict=True):
        if commit:
            raise Conflict(f"the branch {name} blocks the branches of ultrawork. Rename it: git branch -m {name} NAME")


def describe_start(repository: Repository) -> list[str]:
    rules = describe_rules(repository)
    if not repository.start.head:
        rules.append("the repository has no commit, so the current files are the baseline")
    elif not repository.start.was_clean:
        rules.append("uncommitted changes are part of the baseline and stay as they are here")
    if repository.filters.missing:
        names = ", ".join(repository.filters.missing)
        rules.append(f"the program of filter {names} is not installed, so its files stay as git stores them")
    return rules


def describe_left_out(snapshot: Snapshot) -> list[str]:
    """Return what is in the checkout and cannot be in a baseline."""
    unsaved = [
        f"changes in the submodule {path} are not committed there, so workers do not see them"
        for path in snapshot.unsaved
    ]
    return unsaved + [
        f"{path} is a separate repository and not a submodule, so workers do not see it" for path in snapshot.foreign
    ]


def _point_worktrees(repository: Repository, before: str) -> None:
    """Update worktrees after the repository moved, because each stores its path. Git's own repair would also write
    into the user's worktrees."""
    for name in os.listdir(repository.folder):
        place = f"{repository.folder}/{name}/{NOTE}"
        note = codec.loads(os.fsdecode(read_bytes(place)) or "{}")
        if str(note.get("git_dir", "")).startswith(before + "/"):
            note["git_dir"] = note["git_dir"].replace(before, repository.top, 1)
            atomic.write(f"{note['path']}/.git", f"gitdir: {note['git_dir']}\n", mode=0o644)
            atomic.write(place, codec.dumps(note))
