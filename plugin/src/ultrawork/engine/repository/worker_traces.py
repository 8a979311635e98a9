"""Decide who changed something in the user's checkout: the worker, or someone else who works there.

The disk does not record who wrote a file. It is proved only if the worker's file tools were asked to write exactly
what is there now. Its shell commands, or the same new text in both places, make it likely; then the user decides. What
it printed or read proves nothing.

What changed is seen by the checkout as it was before the worker started. Files are a tree without ignored ones; of git
it is the branches, tags and stash, the configuration and the hooks, which all worktrees share. Our own refs and
remote-tracking refs are left out. A file that a worker wrote is restored; the user's index is not touched."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ...core.run.tool_calls import FileWrite, ToolInputs, replay
from ...system import checkout as checkouts
from ...system import history
from ...system.files import read_bytes
from ...system.git import SUBMODULE
from ...system.mirror import Mirror
from ...system.objects import LINK, PROGRAM, TreeEntry
from .repository import Repository
from .worktrees import Worktree

_NAME = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-/"
_WORDS = ("cd ", "pushd ", "-C ", "chdir(", "--directory ", "--prefix ")
_GOING = tuple(word + quote for word in _WORDS for quote in ("", '"', "'"))
# Commands of a worker that change what all worktrees share.
_CONFIGURING = ("git config", "git remote", "git submodule", "set-upstream", "push -u")
_DELETING = ("branch -D", "branch -d", "branch --delete", "tag -d", "update-ref -d")


class WorkerTraces:
    def __init__(self, repository: Repository, worktree: Worktree, tool_inputs: ToolInputs) -> None:
        self._repository = repository
        self._worktree = worktree
        self._text = "\n".join([*tool_inputs.commands, *(write.path for write in tool_inputs.writes)])
        self._tops = _names(repository.top, worktree.path, repository.environ.get("HOME", ""))
        self._writes: dict[str, list[FileWrite]] = {}
        for write in tool_inputs.writes:
            place = os.path.realpath(os.path.join(worktree.path, write.path))
            self._writes.setdefault(place, []).append(write)

    def find_written(self, place: str, before: bytes | None) -> bytes | None:
        """Return what the file tools made of this file; None if they did not write it, or not from that text."""
        writes = self._writes.get(os.path.realpath(place))
        if not writes:
            return None
        text = before.decode("utf-8", "surrogateescape") if before is not None else None
        made = replay(writes, text)
        return made.encode("utf-8", "surrogateescape") if made is not None else None

    def is_named(self, path: str) -> bool:
        if any(f"{top}/{path}" in self._text for top in self._tops):
            return True
        entered = any(self._is_entered(top) for top in self._tops)
        return entered and os.path.basename(path) in self._text

    def _is_entered(self, top: str) -> bool:
        """Return whether it went there or had a program go there."""
        start = 0
        while (position := self._text.find(top, start)) >= 0:
            start = position + len(top)
            after = self._text[start : start + 1]
            if (not after or after not in _NAME) and self._text[max(0, position - 24) : position].endswith(_GOING):
                return True
        return False

    def find_copied(self, changed: Mapping[str, TreeEntry | None]) -> set[str]:
        """Return the changed files that are in the worktree with the same new text."""
        checkout = checkouts.find_at(self._worktree.path)
        if checkout is None or not changed:
            return set()
        mirror = self._repository.mirror(checkout)
        git, tree, paths = mirror.git(), mirror.tree(), list(changed)
        now = {entry.path: entry for entry in git.entries(tree, paths)}
        base = {entry.path: entry for entry in git.entries(self._worktree.base, paths)}
        return {path for path, entry in changed.items() if _id(now.get(path)) == _id(entry) != _id(base.get(path))}

    def has_made(self, commit: str) -> bool:
        """Return whether a commit was made, or stood on, in the worktree since it began."""
        if checkouts.find_at(self._worktree.path) is None or commit == self._worktree.base:
            return False
        return commit in self._worktree.list_walked()

    def has_deleted(self, ref: str) -> bool:
        name = ref.split("/", 2)[-1]
        return name in self._text and any(words in self._text for words in _DELETING)

    def says(self, name: str) -> bool:
        """Return whether it typed a change to the configuration, to the stashes, or to a hook."""
        if name == "config":
            return any(words in self._text for words in _CONFIGURING)
        if name == STASHES:
            return "git stash" in self._text
        return name in self._text


def _names(top: str, worktree: str, home: str) -> list[str]:
    """Return how a program in the worktree may name the checkout."""
    names = [top, os.path.relpath(top, worktree)]
    if home and top.startswith(home + "/"):
        names += [variable + top[len(home) :] for variable in ("~", "$HOME", "${HOME}")]
    return names


def _id(entry: TreeEntry | None) -> str:
    return entry.id if entry else ""


_OURS = ("refs/heads/ultrawork/", "refs/heads/ultrawork-work/")
STASH = "refs/stash"
STASHES = "logs/refs/stash"  # the ref is only the newest of them
_WATCHED = ("refs/heads", "refs/tags", STASH)


@dataclass(slots=True)
class CheckoutState:
    """The state as names and storable values; `git` holds texts of files."""

    files: str
    refs: dict[str, str]
    git: dict[str, str]

    def document(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in sorted(self.__slots__)}

    @classmethod
    def of(cls, document: dict[str, Any]) -> "CheckoutState":
        return cls(**document)


def record_state(repository: Repository) -> CheckoutState:
    files = repository.mirror(repository.checkout).tree()
    listed_refs = history.list_refs(repository.git, *_WATCHED)
    refs = {name: value for name, value in listed_refs.items() if not name.startswith(_OURS)}
    return CheckoutState(files, refs, _texts(repository.checkout.common))


def _texts(common: str) -> dict[str, str]:
    """Return the configuration, the hooks and the list of stashes, by their place in the repository's folder."""
    hooks = sorted(os.listdir(common + "/hooks")) if os.path.isdir(common + "/hooks") else []
    names = ["config", STASHES, *(f"hooks/{name}" for name in hooks if not name.endswith(".sample"))]
    texts = {name: read_bytes(f"{common}/{name}").decode("latin-1") for name in names}
    return {name: text for name, text in texts.items() if text or name == "config"}


def restore_entry(mirror: Mirror, place: str, entry: TreeEntry | None) -> None:
    """Restore the file from the entry, or remove it; atomically, so that a kill leaves no partial file."""
    if entry is None:
        os.unlink(place)
    elif entry.mode not in (SUBMODULE, LINK):
        data = mirror.git().ask(["cat-file", "--filters", f"--path={entry.path}", entry.id])
        replace_file(place, data, 0o755 if entry.mode == PROGRAM else 0o644)


def replace_file(place: str, data: bytes, mode: int) -> None:
    temporary = f"{place}.ultrawork"
    with open(temporary, "wb") as file:
        file.write(data)
    os.chmod(temporary, mode)
    os.replace(temporary, place)
