"""Record the user's checkout before a worker starts, to see afterwards what changed.

Files are a tree without ignored ones; of git it is the branches, tags and stash, the configuration and the hooks,
which all worktrees share. Our own refs and remote-tracking refs are left out. A file that a worker wrote is restored;
the user's index is not touched."""

import os
from dataclasses import dataclass
from typing import Any

from ...system import history
from ...system.files import read_bytes
from ...system.git import SUBMODULE
from ...system.mirror import Mirror
from ...system.objects import LINK, PROGRAM, TreeEntry
from .repository import Repository

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
