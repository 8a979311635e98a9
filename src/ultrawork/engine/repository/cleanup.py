"""
Worktrees taken away, each after proof that nothing exists only there.

Its files are those of a commit that a ref holds (its result, its base, or one that is made now), and so
is every commit that was made in it. Files that the repository ignores are not work and not looked at.
A worktree for which that cannot be shown stays, and is named with the reason.
"""

import os

from ...core.errors import UltraworkError
from ...gates.trees.scratch import remove_folder
from ...system import commits
from ...system.commits import RefMove
from ...system.git import Git
from . import worktrees
from .merge_queue import SCRATCH

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .repository import Repository
    from .worktrees import Worktree


class Cleanup:
    """`kept` are names of attempts with the reason why each is still there."""

    __slots__ = ("kept", "removed")

    def __init__(self, removed: list[str], kept: list[tuple[str, str]]) -> None:
        self.removed = removed
        self.kept = kept


def remove_worktrees(ground: "Repository") -> Cleanup:
    removed, kept = [], []
    for name in sorted(os.listdir(ground.folder)):
        if os.path.isdir(f"{ground.folder}/{name}") and name not in worktrees.NOT_WORKTREES:
            reason = remove_worktree(ground, name)
            if reason:
                kept.append((name, reason))
            else:
                removed.append(name)
    remove_folder(f"{ground.folder}/{worktrees.TRASH}")
    return Cleanup(removed, kept)


def remove_worktree(ground: "Repository", name: str) -> str:
    """Why a worktree is still there; empty if it is gone."""
    with ground.lock():
        found = worktrees.find(ground, name)
        if found and name != SCRATCH:
            try:
                _keep(ground, found)
            except (UltraworkError, OSError) as error:
                return str(error)
        grave = worktrees.move_to_trash(ground, name)
        _forget_branch(ground, name)
    remove_folder(grave)
    return ""


def _keep(ground: "Repository", found: "Worktree") -> None:
    git = ground.git
    tree = found.tree()
    held = [commit for commit in (git.commit(found.result), found.base) if commit]
    alone = _unheld(ground, found, held)
    if not alone and tree in [git.tree_id(commit) for commit in held]:
        return
    message = f"What was in the worktree of {found.name}\n"
    kept = commits.write(git, tree, [found.base, *alone], message)
    commits.set_ref(git, ground.names.kept("work", found.name), kept)


def _unheld(ground: "Repository", found: "Worktree", held: list[str]) -> list[str]:
    """Commits that were made there and that nothing else leads to."""
    git = Git(found.path, ground.environ)
    walked = git.answer(["log", "-g", "--format=%H", "HEAD"]).out.decode().split()
    tip = git.commit(f"refs/heads/{found.branch}") or found.base
    every = list(dict.fromkeys([tip, git.head() or tip, *walked]))
    not_held = [*(f"^{commit}" for commit in held), f"^{ground.head()}"]
    missing = set(git.ask(["rev-list", *every, *not_held]).decode().split())
    tips = [commit for commit in every if commit in missing]
    return git.ask(["merge-base", "--independent", *tips]).decode().split() if tips else []


def _forget_branch(ground: "Repository", name: str) -> None:
    ref = f"refs/heads/{ground.names.work(name)}"
    tip = ground.git.commit(ref)
    if tip and not os.path.exists(f"{ground.folder}/{name}"):
        commits.move_refs(ground.git, [RefMove(ref, "", tip)], "ultrawork: closed")
