"""
The person's checkout before a worker begins, to see afterwards what became of it.

Files are a tree, ignored ones left out; of git it is the branches, tags and stash, the configuration
and the hooks, which all worktrees share. Refs of ours and those that follow a remote are left out.
"""

import os

from ..system import commits
from ..system.files import contents

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .ground import Ground

_OURS = ("refs/heads/ultrawork/", "refs/heads/ultrawork-work/")
STASH = "refs/stash"
STASHES = "logs/refs/stash"  # the ref is only the newest of them
_WATCHED = ("refs/heads", "refs/tags", STASH)


class Fence:
    """Everything by a name and a value that can be written down; `git` holds texts of files."""

    __slots__ = ("files", "git", "refs")

    def __init__(self, files: str, refs: dict[str, str], git: dict[str, str]) -> None:
        self.files = files
        self.refs = refs
        self.git = git

    def document(self) -> "dict[str, Any]":
        return {name: getattr(self, name) for name in self.__slots__}

    @classmethod
    def of(cls, document: "dict[str, Any]") -> "Fence":
        return cls(**document)


def take(ground: "Ground") -> Fence:
    files = ground.mirror(ground.checkout).tree()
    found = commits.refs(ground.git, *_WATCHED)
    refs = {name: value for name, value in found.items() if not name.startswith(_OURS)}
    return Fence(files, refs, _texts(ground.checkout.common))


def _texts(common: str) -> dict[str, str]:
    """The configuration, the hooks and the list of stashes, by their place in the repository's folder."""
    hooks = sorted(os.listdir(common + "/hooks")) if os.path.isdir(common + "/hooks") else []
    names = [
        "config",
        STASHES,
        *(f"hooks/{name}" for name in hooks if not name.endswith(".sample")),
    ]
    found = {name: contents(f"{common}/{name}").decode("latin-1") for name in names}
    return {name: text for name, text in found.items() if text or name == "config"}
