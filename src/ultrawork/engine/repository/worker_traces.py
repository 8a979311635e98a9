"""
Who changed something in the person's checkout: the worker, or somebody else who works there too.

Nothing on disk tells who wrote a file, so a change is a worker's only if something says so:
its output names the file by a path that leads into the checkout, or goes to the folder and then names
the file; or the file is now, in both places, the same new text. Anything else may be the person, an editor, a
build, another session: it is named, and left alone.
"""

import os
from collections.abc import Mapping, Sequence

from ...store import codec
from ...system import checkout as checkouts
from ...system.files import read_bytes
from ...system.objects import TreeEntry
from .checkout_state import STASHES
from .repository import Repository
from .worktrees import Worktree

_MOST = 64 << 20
_NAME = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-/"
_WORDS = (
    b"cd ",
    b"pushd ",
    b"-C ",
    b"chdir(",
    b"--directory ",
    b"--prefix ",
    b'"cwd":',
    b'"workdir":',
)
_QUOTES = (b"", b'"', b"'", b'\\"', b' "')
_GOING = tuple(word + quote for word in _WORDS for quote in _QUOTES)
# What a worker says that changes what all worktrees share.
_CONFIGURING = (b"git config", b"git remote", b"git submodule", b"set-upstream", b"push -u")
_DELETING = (b"branch -D", b"branch -d", b"branch --delete", b"tag -d", b"update-ref -d")


class WorkerTraces:
    __slots__ = ("_repository", "_text", "_tops", "_worktree")

    def __init__(self, repository: Repository, worktree: Worktree, outputs: Sequence[str]) -> None:
        self._repository = repository
        self._worktree = worktree
        self._text = b"\n".join(read_bytes(path)[-_MOST:] for path in outputs)
        self._tops = _names(repository.top, worktree.path, repository.environ.get("HOME", ""))

    def is_named(self, path: str) -> bool:
        if any(self._says(f"{top}/{path}") for top in self._tops):
            return True
        entered = any(self._is_entered(form) for top in self._tops for form in _forms(top))
        return entered and self._says(os.path.basename(path))

    def _says(self, text: str) -> bool:
        return any(form in self._text for form in _forms(text))

    def _is_entered(self, top: bytes) -> bool:
        """Whether it went there or had a program go there; that git told where it is says nothing."""
        start = 0
        while (found := self._text.find(top, start)) >= 0:
            start = found + len(top)
            after = self._text[start : start + 1]
            if (not after or after not in _NAME) and self._text[
                max(0, found - 24) : found
            ].endswith(_GOING):
                return True
        return False

    def find_copied(self, changed: Mapping[str, TreeEntry | None]) -> set[str]:
        """Those of the changed files that are, with the same new text, in the worktree too."""
        found = checkouts.find_at(self._worktree.path)
        if found is None or not changed:
            return set()
        mirror = self._repository.mirror(found)
        git, tree, paths = mirror.git(), mirror.tree(), list(changed)
        now = {entry.path: entry for entry in git.entries(tree, paths)}
        base = {entry.path: entry for entry in git.entries(self._worktree.base, paths)}
        return {
            path
            for path, entry in changed.items()
            if _id(now.get(path)) == _id(entry) != _id(base.get(path))
        }

    def has_made(self, commit: str) -> bool:
        """Whether a commit was made, or stood on, in the worktree since it began."""
        if checkouts.find_at(self._worktree.path) is None or commit == self._worktree.base:
            return False
        return commit in self._worktree.list_walked()

    def has_deleted(self, ref: str) -> bool:
        """Whether the output tells of the deletion of a branch or tag."""
        name = ref.split("/", 2)[-1]
        return self._says(name) and any(words in self._text for words in _DELETING)

    def says(self, name: str) -> bool:
        """Whether the output tells of a change to the configuration, to the stashes, or to a hook."""
        if name == "config":
            return any(words in self._text for words in _CONFIGURING)
        if name == STASHES:
            return b"git stash" in self._text
        return self._says(name)


def _names(top: str, worktree: str, home: str) -> list[str]:
    """How a program that stands in the worktree may call the checkout."""
    names = [top, os.path.relpath(top, worktree)]
    if home and top.startswith(home + "/"):
        names += [variable + top[len(home) :] for variable in ("~", "$HOME", "${HOME}")]
    return names


def _forms(text: str) -> list[bytes]:
    """As it is, and as it stands in a JSON string, which is how agents print."""
    return [os.fsencode(text), codec.dumps(text)[1:-1].encode("utf-8", "replace")]


def _id(entry: TreeEntry | None) -> str:
    return entry.id if entry else ""
