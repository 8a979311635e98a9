"""Where a checkout and its repository are, read from the disk: git itself refuses some of them."""

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


class Checkout:
    """`git_dir` belongs to this working tree, `common` to all working trees of the repository."""

    __slots__ = ("common", "git_dir", "top")

    def __init__(self, top: str, git_dir: str) -> None:
        self.top = top
        self.git_dir = git_dir
        told = _text(git_dir + "/commondir")
        self.common = os.path.normpath(os.path.join(git_dir, told)) if told else git_dir


def find(folder: str) -> Checkout | None:
    """The checkout that a folder belongs to."""
    for above in _upwards(os.path.realpath(folder)):
        found = at(above)
        if found:
            return found
    return None


def at(folder: str) -> Checkout | None:
    """The checkout whose top is this folder."""
    place = folder + "/.git"
    if os.path.isfile(place):
        told = _text(place)
        if not told.startswith("gitdir:"):
            return None
        place = os.path.normpath(os.path.join(folder, told[len("gitdir:") :].strip()))
    return Checkout(folder, place) if os.path.isfile(place + "/HEAD") else None


def _upwards(folder: str) -> "Iterator[str]":
    while True:
        yield folder
        above = os.path.dirname(folder)
        if above == folder:
            return
        folder = above


def _text(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            return file.read(4096).strip()
    except OSError:
        return ""
