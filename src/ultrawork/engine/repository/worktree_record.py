"""
A worktree written by two programs of git side by side, where `git worktree add` starts four, one after the other.

Only for a clone that is ours: git's record of it is written as git would, and comes to its place whole. Where git
keeps more than that (refs that are no files, settings of each worktree, a sparse checkout), git is left to do it.
"""

import os
import time
from concurrent.futures import ThreadPoolExecutor

from ...gates.trees.scratch import remove_folder
from ...store.codec import digest
from ...system import commits
from ...system.commits import RefMove
from ...system.files import read_bytes
from .repository import Repository

_MORE = (b"extensions", b"sparsecheckout", b"include", b"worktree")


def write_worktree(repository: Repository, name: str, path: str, commit: str, branch: str) -> bool:
    """On a new branch at a commit; False, and nothing is left of it, where git has to be asked."""
    common = repository.checkout.common
    record = f"{common}/worktrees/{repository.names.session}.{name}"
    config = read_bytes(common + "/config").lower()
    if any(word in config for word in _MORE) or os.path.lexists(record) or os.path.lexists(path):
        return False
    os.makedirs(path)
    _write(f"{path}/.git", f"gitdir: {record}\n")
    _write_record(repository, record, path, commit, branch)
    move = RefMove(f"refs/heads/{branch}", commit, "")
    with ThreadPoolExecutor(1) as beside:
        moving = beside.submit(commits.move_refs, repository.git, [move], "ultrawork: begun")
        repository.git_in(path).ask(["read-tree", "--reset", "-u", commit])
    if not moving.result():  # of an attempt that was begun before
        remove_folder(path)
        remove_folder(record)
        return False
    return True


def name_unfinished(repository: Repository) -> str:
    """How records begin that have not come to their place, of this session alone."""
    return f"ultrawork-record.{digest(repository.names.session)[:16]}."


def _write_record(repository: Repository, record: str, path: str, commit: str, branch: str) -> None:
    """Half of one would be in git's way, for everybody; so it is written elsewhere."""
    made = f"{repository.checkout.common}/{name_unfinished(repository)}{os.urandom(8).hex()}"
    os.makedirs(f"{made}/logs", mode=0o700)
    _write(f"{made}/gitdir", f"{path}/.git\n")
    _write(f"{made}/commondir", "../..\n")
    _write(f"{made}/HEAD", f"ref: refs/heads/{branch}\n")
    who = repository.identity
    signed = f"{who['GIT_COMMITTER_NAME']} <{who['GIT_COMMITTER_EMAIL']}> {int(time.time())} +0000"
    _write(f"{made}/logs/HEAD", f"{'0' * len(commit)} {commit} {signed}\tultrawork: begun\n")
    os.makedirs(os.path.dirname(record), exist_ok=True)
    os.rename(made, record)


def _write(path: str, text: str) -> None:
    with open(path, "w", encoding="utf-8", errors="surrogateescape") as file:
        file.write(text)
