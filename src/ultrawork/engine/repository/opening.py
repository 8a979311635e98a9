"""What can be worked on: one sentence for what cannot, and notes for what one should know."""

import os

from ...core.errors import Conflict, NotFound
from ...system import checkout as checkouts
from ...system.git import Git

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from ...system.checkout import Checkout
    from .repository import Repository
    from .snapshot import Snapshot

# What git keeps in the folder of a checkout while something is going on there.
_UNFINISHED = {
    "MERGE_HEAD": ("a merge", "git merge"),
    "CHERRY_PICK_HEAD": ("a cherry-pick", "git cherry-pick"),
    "REVERT_HEAD": ("a revert", "git revert"),
    "rebase-merge": ("a rebase", "git rebase"),
    "rebase-apply": ("a rebase", "git rebase"),
}


def require_checkout(place: str, environ: "Mapping[str, str]") -> "Checkout":
    if not os.path.isdir(place):
        raise NotFound(f"there is no folder {place}; name the checkout to work on")
    if Git(place, environ).line("rev-parse", "--is-bare-repository") == "true":
        raise Conflict(
            f"{place} is a bare repository, without files; run in a worktree of it: git worktree add"
        )
    found = checkouts.find(place)
    if found is None:
        raise NotFound(f"{place} is not in git, which keeps workers apart; run git init there")
    return found


def refuse_unfinished(found: "Checkout") -> None:
    for name, (what, command) in _UNFINISHED.items():
        if os.path.exists(f"{found.git_dir}/{name}"):
            raise Conflict(
                f"{what} is not finished in {found.top}; finish it, or {command} --abort, then run again"
            )


def refuse_taken_names(ground: "Repository") -> None:
    """No branch can lie below another one."""
    for name in ("ultrawork", "ultrawork-work"):
        if ground.git.commit(f"refs/heads/{name}"):
            raise Conflict(
                f"the branch {name} is in the way of ours; rename it: git branch -m {name} NAME"
            )


def describe_start(ground: "Repository") -> list[str]:
    found = []
    if not ground.start.head:
        found.append("no commit yet: the files as they are became the base")
    elif not ground.start.was_clean:
        found.append(
            "changes that are not committed are part of the base, and stay as they are here"
        )
    if ground.filters.missing:
        names = ", ".join(ground.filters.missing)
        found.append(
            f"the program of filter {names} is not installed; its files stay as git has them"
        )
    return found


def describe_left_out(snapshot: "Snapshot") -> list[str]:
    """What is in the checkout and cannot be in a base."""
    unsaved = [
        f"changes in the submodule {path} are not committed there, so workers do not see them"
        for path in snapshot.unsaved
    ]
    return unsaved + [
        f"{path} is a repository of its own and no submodule, so workers do not see it"
        for path in snapshot.foreign
    ]
