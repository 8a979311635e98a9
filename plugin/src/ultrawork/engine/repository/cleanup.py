"""Remove worktrees, each after proof that nothing exists only there.

Its files are those of a commit that a ref holds (its result, its baseline, or one made now), and so is every commit
made in it. Ignored files are not work and are not examined. A worktree without such proof stays, and is named with the
reason."""

import os
from collections.abc import Mapping
from dataclasses import dataclass

from ...clients.find import STORE_BY_FOLDER, get_client
from ...core.errors import Conflict, UltraworkError
from ...gates.trees.scratch import remove_folder
from ...store.paths import Home
from ...system import checkout as checkouts
from ...system import history
from ...system.checkout import read_ref
from ...system.git import Git
from ...system.history import RefMove
from . import worktrees
from .lock import RepositoryLock, remove_branch
from .repository import RefNames, Repository
from .worktrees import Worktree


@dataclass(frozen=True, slots=True)
class Cleanup:
    """The result. `kept` maps attempts to the reason why each still exists."""

    removed: list[str]
    kept: list[tuple[str, str]]


def remove_worktrees(repository: Repository) -> Cleanup:
    """Remove all worktrees. Results stay, and our refs keep what no result holds."""
    removed, kept = [], []
    for name in sorted(os.listdir(repository.folder)):
        if os.path.isdir(f"{repository.folder}/{name}") and name not in worktrees.NOT_WORKTREES:
            reason = remove_worktree(repository, name)
            if reason:
                kept.append((name, reason))
            else:
                removed.append(name)
    remove_folder(f"{repository.folder}/{worktrees.TRASH}")
    return Cleanup(removed, kept)


def remove_worktree(repository: Repository, name: str, *, own: bool = False) -> str:
    """Remove an unused worktree; return why it still exists, empty if it is gone. `own` is our own clone."""
    tip: str | None = None
    worktree = worktrees.find(repository, name) if name != worktrees.SCRATCH else None
    try:  # looking takes longest, and others need not wait for it
        seen = _look(repository, worktree) if worktree else None
    except (UltraworkError, OSError) as error:
        return str(error)
    with RepositoryLock(repository):
        if worktree and seen:
            try:
                _keep(repository, worktree, seen)
            except (UltraworkError, OSError) as error:
                return str(error)
            tip = seen.tip
        trash = worktrees.move_to_trash(repository, name)
        _forget_branch(repository, name, tip, own=own)
    remove_folder(trash)
    _keep_conversations(repository, name)
    return ""


def _keep_conversations(repository: Repository, name: str) -> None:
    """Keep the agents' conversations with the session: clients store them by the folder's path. A machine that only
    lends its processor has no folder of the session, and keeps none."""
    home = repository.home
    kept = home.conversations(repository.session) if os.path.isdir(home.session(repository.session)) else ""
    for client in STORE_BY_FOLDER:
        get_client(client).keep_conversations(worktrees.name_path(repository, name), kept, repository.environ)


@dataclass(frozen=True, slots=True)
class _Sight:
    """What was found: `tip` of its branch, empty if gone; its files; commits that nothing else reaches."""

    tip: str
    tree: str
    alone: list[str]
    is_held: bool


def _look(repository: Repository, worktree: Worktree) -> _Sight:
    result, tip, head = _read_tips(repository, worktree)
    collected = repository.find_tree(result) if result else None
    tree = worktree.tree(collected)
    held = [commit for commit in (result, worktree.base) if commit]
    stood_on = [tip or worktree.base, head or tip or worktree.base, *worktree.list_walked()]
    alone = _list_unheld(repository, stood_on, held)
    is_held = not alone and tree in (collected, repository.find_tree(worktree.base))
    return _Sight(tip or "", tree, alone, is_held)


def _read_tips(repository: Repository, worktree: Worktree) -> list[str | None]:
    """Return its result, its branch and its HEAD; ref files usually show them without git."""
    branch = f"refs/heads/{worktree.branch}"
    if worktree.is_on_branch:
        common = repository.checkout.common
        tips = [read_ref(common, worktree.result), read_ref(common, branch)]
        if None not in tips:
            return [tips[0], tips[1], tips[1]]
    names = (worktree.result, branch, worktree.head_name)
    return repository.git.resolve(*(f"{name}^{{commit}}" for name in names))


def _keep(repository: Repository, worktree: Worktree, seen: _Sight) -> None:
    """Keep what nothing else holds by our own ref."""
    if not seen.is_held:
        message = f"What was in the worktree of {worktree.name}\n"
        kept = history.write(repository.git, seen.tree, [worktree.base, *seen.alone], message)
        history.set_ref(repository.git, repository.names.ref_for("work", worktree.name), kept)


def _list_unheld(repository: Repository, stood_on: list[str], held: list[str]) -> list[str]:
    git = repository.git
    every = list(dict.fromkeys(stood_on))
    if set(every).issubset(held):
        return []
    merged = git.commit(repository.names.integration)  # a machine of a cluster merges nothing
    not_held = [f"^{commit}" for commit in (*held, merged) if commit]
    missing = set(git.ask(["rev-list", *every, *not_held]).decode().split())
    tips = [commit for commit in every if commit in missing]
    return git.ask(["merge-base", "--independent", *tips]).decode().split() if tips else []


def _forget_branch(repository: Repository, name: str, tip: str | None, *, own: bool) -> None:
    """Delete a branch. `tip` is None if it was not read yet."""
    ref = f"refs/heads/{repository.names.work_branch(name)}"
    if tip is None:
        tip = repository.git.commit(ref)
    if not tip or os.path.exists(f"{repository.folder}/{name}"):
        return
    if not own or not remove_branch(repository.checkout.common, ref, tip):
        history.move_refs(repository.git, [RefMove(ref, "", tip)], "ultrawork: closed")


def rename_refs(repository: Repository, other: str) -> None:
    """Rename the refs of an older session of the same name to unique names, so that it keeps its results."""
    remove_worktrees(repository)
    theirs, ours = RefNames(other), repository.names
    below = (f"refs/ultrawork/{ours.session}/", f"refs/heads/ultrawork-work/{ours.session}/")
    moves = []
    for ref, commit in history.list_refs(repository.git, *below, ours.view).items():
        moved = ref.replace(f"/{ours.session}", f"/{theirs.session}", 1)
        moves += [RefMove(moved, commit, ""), RefMove(ref, "", commit)]
    if moves and not history.move_refs(repository.git, moves, "ultrawork: set aside"):
        raise Conflict(f"another process is changing refs of the older session {ours.session}; try again")


def _is_held_alone(git: Git, ref: str, commit: str) -> bool:
    listed = git.ask(["for-each-ref", f"--contains={commit}", "--format=%(refname)", "refs/heads"])
    return listed.decode().split("\n")[:-1] == [ref]


def forget_session(place: str, home: Home, session: str, environ: Mapping[str, str]) -> str:
    """
    Remove all worktrees and refs of an ended session on the user's command. Remove its results branch too if
    another ref holds its commits; otherwise keep and name it.
    """
    checkout = checkouts.find(place)
    if checkout is None:
        return ""
    repository = Repository(checkout, home, session, environ)
    if os.path.isdir(repository.folder):
        if repository.git.commit(repository.names.integration):
            remove_worktrees(repository)
        remove_folder(repository.folder)
    names, git = repository.names, repository.git
    below = (f"refs/ultrawork/{names.session}/", f"refs/heads/ultrawork-work/{names.session}/")
    ours = history.list_refs(git, *below)
    view = git.commit(names.view)
    kept = names.branch if view and _is_held_alone(git, names.view, view) else ""
    if view and not kept:
        ours[names.view] = view
    moves = [RefMove(ref, "", commit) for ref, commit in ours.items()]
    if moves and not history.move_refs(git, moves, "ultrawork: cleaned"):
        raise Conflict(f"another program is changing the refs of session {session}; try again")
    return kept
