"""Create a worktree with one git program, where `git worktree add` starts four, and its branch with none.

Git's record is moved into place whole; a branch is written and removed with git's locks. If git stores more (refs in
tables, per-worktree settings, a sparse checkout), git does it."""

import os
import time

from ...store.codec import digest
from ...system.checkout import read_ref
from ...system.files import read_bytes, remove_file
from .repository import Repository

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
