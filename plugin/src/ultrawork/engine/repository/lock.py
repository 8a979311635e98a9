"""
A session's turn with the repository, and cleanup after our git was killed during its turn.

The holder of the lock records that it is working, and git inherits the lock. If the next holder finds that record,
the earlier git is dead and its work is half done. Locks that others use too are removed only if they are no older
than that and do not go away by themselves.
"""

import os
import time

from ...gates.trees.scratch import remove_folder
from ...store.atomic import LentLock
from ...system.files import read_bytes, remove_file
from .repository import Repository
from .worktree_record import name_unfinished

# Writing all files of a large repository takes time, and others wait for their turn.
PATIENCE = 3600.0
_STALE = 3.0
_POLL = 0.05
_SHARED = ("index.lock", "HEAD.lock", "ORIG_HEAD.lock")


class RepositoryLock(LentLock):
    def __init__(self, repository: Repository) -> None:
        super().__init__(repository.folder + "/lock", patience=PATIENCE)
        self._repository = repository
        self._busy = repository.folder + "/busy"

    def __enter__(self) -> "RepositoryLock":
        super().__enter__()
        try:
            if os.path.exists(self._busy):
                recover(self._repository, os.stat(self._busy).st_mtime)
            with open(self._busy, "w", encoding="utf-8"):
                pass
        except BaseException:
            super().__exit__()
            raise
        return self

    def __exit__(self, *trouble: object) -> None:
        """Keep the mark after an error, so that the next holder cleans up: we killed a git that was too slow."""
        if not any(trouble):
            remove_file(self._busy)
        super().__exit__()


def recover(repository: Repository, since: float) -> None:
    _clear_own_locks(repository)
    _clear_half_made(repository)
    checkout = repository.checkout
    branch = read_bytes(checkout.git_dir + "/HEAD").decode("utf-8", "replace").strip()
    places = [f"{checkout.git_dir}/{name}" for name in _SHARED]
    places.append(checkout.common + "/packed-refs.lock")
    places.append(f"{checkout.common}/{branch.removeprefix('ref: ')}.lock")
    for place in places:
        _clear_stale(place, since)


def _clear_own_locks(repository: Repository) -> None:
    """Remove locks on refs that only we write."""
    names, common = repository.names, repository.checkout.common
    for folder in (os.path.dirname(names.base), f"refs/heads/ultrawork-work/{names.session}"):
        for place, _, files in os.walk(f"{common}/{folder}"):
            for name in files:
                if name.endswith(".lock"):
                    remove_file(f"{place}/{name}")
    view = f"{common}/{names.view}.lock"
    if os.path.lexists(view):
        remove_file(view)


def _clear_half_made(repository: Repository) -> None:
    """Remove git's record of one of our worktrees if it is incomplete, because git fails on it for everyone."""
    common = repository.checkout.common
    for name in os.listdir(common):
        if name.startswith(name_unfinished(repository)):
            remove_folder(f"{common}/{name}")
    folder = common + "/worktrees"
    for name in os.listdir(folder) if os.path.isdir(folder) else []:
        record = f"{folder}/{name}"
        link = os.fsdecode(read_bytes(record + "/gitdir")).strip()
        whole = all(read_bytes(f"{record}/{part}").strip() for part in ("HEAD", "commondir"))
        if link.startswith(repository.folder + "/") and not whole:
            remove_folder(record)


def _clear_stale(path: str, since: float) -> None:
    first = _stamp(path)
    if not first or first[1] < since - 1.0:
        return
    end = time.monotonic() + _STALE
    while _stamp(path) == first and time.monotonic() < end:
        time.sleep(_POLL)
    if _stamp(path) == first:
        remove_file(path)


def _stamp(path: str) -> tuple[int, float] | None:
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_ino, status.st_mtime
