"""A session's turn with the repository, and cleanup after our git was killed during its turn; and records of worktrees
that are made in one.

The holder of the lock records that it is working, and git inherits the lock. If the next holder finds that record, the
earlier git is dead and its work is half done. Locks that others use too are removed only if they are no older than
that and do not go away by themselves.

A worktree is created with one git program, where `git worktree add` starts four, and its branch with none. Git's
record is moved into place whole; a branch is written and removed with git's locks. If git stores more (refs in tables,
per-worktree settings, a sparse checkout), git does it."""

import os
import time

from ...gates.trees.scratch import remove_folder
from ...store.atomic import LentLock
from ...store.codec import digest
from ...system.checkout import read_ref
from ...system.files import read_bytes, remove_file
from .repository import Repository

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


_MORE = (b"extensions", b"sparsecheckout", b"include", b"worktree")


def write_worktree(repository: Repository, name: str, path: str, commit: str, branch: str) -> bool:
    """Create it on a new branch at a commit; False, with nothing left, if git must do it."""
    common = repository.checkout.common
    record = f"{common}/worktrees/{repository.names.session}.{name}"
    config = read_bytes(common + "/config").lower()
    if any(word in config for word in _MORE) or os.path.lexists(record) or os.path.lexists(path):
        return False
    if not _write_branch(common, f"refs/heads/{branch}", commit):
        return False  # of an attempt that was begun before
    os.makedirs(path)
    _write(f"{path}/.git", f"gitdir: {record}\n")
    _write_record(repository, record, path, commit, branch)
    repository.git_in(path).ask(["read-tree", "--reset", "-u", commit])
    return True


def _write_branch(common: str, ref: str, commit: str) -> bool:
    """Create a new branch; False if git must do it."""
    place = f"{common}/{ref}"
    os.makedirs(os.path.dirname(place), exist_ok=True)
    try:
        with open(f"{place}.lock", "x", encoding="utf-8") as file:
            file.write(f"{commit}\n")
    except OSError:
        return False
    if read_ref(common, ref) != "" or os.path.lexists(place):
        remove_file(f"{place}.lock")
        return False
    os.rename(f"{place}.lock", place)
    return True


def remove_branch(common: str, ref: str, tip: str) -> bool:
    """Remove a branch at `tip`; False if git must do it."""
    locks: list[str] = []
    try:
        for lock in (f"{common}/packed-refs.lock", f"{common}/{ref}.lock"):
            os.close(os.open(lock, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o666))
            locks.append(lock)
        packed = read_bytes(f"{common}/packed-refs")
        if os.fsencode(ref) in packed or read_ref(common, ref) != tip:
            return False
        remove_file(f"{common}/logs/{ref}")
        os.unlink(f"{common}/{ref}")
    except OSError:
        return False
    finally:
        for lock in locks:
            remove_file(lock)
    return True


def name_unfinished(repository: Repository) -> str:
    return f"ultrawork-record.{digest(repository.names.session)[:16]}."


def _write_record(repository: Repository, record: str, path: str, commit: str, branch: str) -> None:
    """Write the record elsewhere first, because half of one would break git for everyone."""
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
