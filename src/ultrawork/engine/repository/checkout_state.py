"""
The person's checkout before a worker begins, to see afterwards what became of it.

Files are a tree, ignored ones left out; of git it is the branches, tags and stash, the configuration
and the hooks, which all worktrees share. Refs of ours and those that follow a remote are left out.
Files that a worker changed are put back to it; the person's index is only told that it was right.
"""

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ...system import commits
from ...system.files import read_bytes
from ...system.git import SUBMODULE
from ...system.mirror import Mirror
from ...system.objects import TreeEntry
from .repository import Repository

_OURS = ("refs/heads/ultrawork/", "refs/heads/ultrawork-work/")
STASH = "refs/stash"
STASHES = "logs/refs/stash"  # the ref is only the newest of them
_WATCHED = ("refs/heads", "refs/tags", STASH)


@dataclass(slots=True)
class CheckoutState:
    """Everything by a name and a value that can be written down; `git` holds texts of files."""

    files: str
    refs: dict[str, str]
    git: dict[str, str]

    def document(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in sorted(self.__slots__)}

    @classmethod
    def of(cls, document: dict[str, Any]) -> "CheckoutState":
        return cls(**document)


def record_state(repository: Repository) -> CheckoutState:
    """As it is before a worker begins."""
    files = repository.mirror(repository.checkout).tree()
    found = commits.list_refs(repository.git, *_WATCHED)
    refs = {name: value for name, value in found.items() if not name.startswith(_OURS)}
    return CheckoutState(files, refs, _texts(repository.checkout.common))


def _texts(common: str) -> dict[str, str]:
    """The configuration, the hooks and the list of stashes, by their place in the repository's folder."""
    hooks = sorted(os.listdir(common + "/hooks")) if os.path.isdir(common + "/hooks") else []
    names = [
        "config",
        STASHES,
        *(f"hooks/{name}" for name in hooks if not name.endswith(".sample")),
    ]
    found = {name: read_bytes(f"{common}/{name}").decode("latin-1") for name in names}
    return {name: text for name, text in found.items() if text or name == "config"}


_LINK = "120000"
_PROGRAM = "100755"


def restore_entries(
    repository: Repository, mirror: Mirror, wrong: Mapping[str, TreeEntry | None]
) -> None:
    """Each path as the entry says, gone where there is none. What is in a submodule is not ours to judge."""
    if not wrong:
        return
    for path in sorted(wrong, reverse=True):
        _remove(repository.top, path)
    kept = [entry for entry in wrong.values() if entry and entry.mode != SUBMODULE]
    clean = _clean(repository, kept)
    if clean:
        listed = os.fsencode("".join(path + "\0" for path in clean))
        git = repository.git_in(repository.top)
        git.ask(["checkout-index", "--force", "--quiet", "-u", "-z", "--stdin"], listed)
    for entry in kept:
        if entry.path not in clean:
            _write(repository, mirror, entry)


def _clean(repository: Repository, entries: Iterable[TreeEntry]) -> set[str]:
    """Those that were as the person's index has them: git writes them as it did before."""
    printed = os.fsdecode(repository.git.ask(["ls-files", "-s", "-z"]))
    index = set()
    for record in printed.split("\0"):
        head, _, path = record.partition("\t")
        index.add((*head.split(" ")[:2], path))
    return {e.path for e in entries if (e.mode, e.id, e.path) in index}


def _remove(top: str, path: str) -> None:
    """With the folders that are empty then."""
    place = f"{top}/{path}"
    if os.path.isdir(place) and not os.path.islink(place):
        return
    if os.path.lexists(place):
        os.unlink(place)
    folder = os.path.dirname(path)
    while folder:
        try:
            os.rmdir(f"{top}/{folder}")
        except OSError:
            return
        folder = os.path.dirname(folder)


def _write(repository: Repository, mirror: Mirror, entry: TreeEntry) -> None:
    place = f"{repository.top}/{entry.path}"
    os.makedirs(os.path.dirname(place), exist_ok=True)
    git = mirror.git()
    if entry.mode == _LINK:
        os.symlink(os.fsdecode(git.ask(["cat-file", "blob", entry.id])), place)
        return
    data = git.ask(["cat-file", "--filters", f"--path={entry.path}", entry.id])
    with open(place, "wb") as file:
        file.write(data)
    os.chmod(place, 0o755 if entry.mode == _PROGRAM else 0o644)
