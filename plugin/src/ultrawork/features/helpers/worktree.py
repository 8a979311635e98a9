"""A copy of the worktree for a helper that may write: the last commit, and afterwards its changes as a patch.

Nothing reaches the user's own files by itself; the caller decides whether the patch is applied."""

import os
from collections.abc import Mapping

from ...core.errors import UsageError
from ...store import atomic
from ...system.git import Git

TREE = "tree"
PATCH = "changes.patch"


def add(top: str, folder: str, environ: Mapping[str, str]) -> str:
    git = Git(top, environ)
    head = git.head()
    if head is None:
        raise UsageError("a helper that writes needs a commit to start from; commit once")
    git.worktree_add(f"{folder}/{TREE}", head)
    return f"{folder}/{TREE}"


def take_changes(top: str, folder: str, environ: Mapping[str, str]) -> list[str]:
    """Write the changes as a patch file beside the job, remove the copy, and return what to tell the caller."""
    tree = f"{folder}/{TREE}"
    if not os.path.isdir(tree):
        return []
    git = Git(tree, environ)
    git.ask(["add", "--all"])
    patch = git.ask(["diff", "--cached", "--binary", "--no-color", "--no-ext-diff", "HEAD"])
    Git(top, environ).worktree_remove(tree)
    if not patch:
        return ["it changed no file"]
    atomic.write(f"{folder}/{PATCH}", patch.decode("utf-8", "surrogateescape"))
    return [f"its changes are in {folder}/{PATCH}; review them, then run git apply"]
