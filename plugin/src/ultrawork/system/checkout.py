"""Where a checkout and its repository are, read from disk: git itself refuses some of them. File times show whether
branches and commits moved."""

import os
from collections.abc import Iterator

from ..store.codec import digest, dumps
from .files import read_bytes


class Checkout:
    """`git_dir` belongs to this working tree, `common` to all working trees of the repository."""

    def __init__(self, top: str, git_dir: str) -> None:
        self.top = top
        self.git_dir = git_dir
        told = _text(git_dir + "/commondir")
        self.common = os.path.normpath(os.path.join(git_dir, told)) if told else git_dir


def find(folder: str) -> Checkout | None:
    """The checkout that a folder belongs to."""
    for above in _upwards(os.path.realpath(folder)):
        found = find_at(above)
        if found:
            return found
    return None


def find_at(folder: str) -> Checkout | None:
    """Return the checkout whose top is this folder."""
    place = folder + "/.git"
    if os.path.isfile(place):
        told = _text(place)
        if not told.startswith("gitdir:"):
            return None
        place = os.path.normpath(os.path.join(folder, told[len("gitdir:") :].strip()))
    return Checkout(folder, place) if os.path.isfile(place + "/HEAD") else None


def read_head(folder: str) -> str:
    """Return the checked-out commit from its files; empty if git must be asked."""
    found = find(folder)
    told = _text(found.git_dir + "/HEAD") if found else ""
    if found and told.startswith("ref: refs/heads/"):
        told = _text(f"{found.common}/{told.removeprefix('ref: ')}")
    return told if _is_id(told) else ""


def read_ref(common: str, ref: str) -> str | None:
    """Return a ref's value from its files, empty if there is none; None if git must be asked."""
    told = _text(f"{common}/{ref}")
    if _is_id(told):
        return told
    if told or os.path.isdir(common + "/reftable"):
        return None
    # After the file: packing removes that last.
    packed = read_bytes(common + "/packed-refs")
    return None if os.fsencode(ref) in packed else ""


def _is_id(told: str) -> bool:
    return len(told) in (40, 64) and not told.strip("0123456789abcdef")


def _upwards(folder: str) -> Iterator[str]:
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


MOST_REF_FILES = 2000


def digest_refs(place: str) -> str:
    """Return a digest that changes when a ref of the repository moves; empty if that is not cheap."""
    found = find(place)
    if found is None:
        return "none"
    if os.path.isdir(found.common + "/reftable"):
        return ""
    files = [
        f"{found.git_dir}/HEAD",
        *(f"{found.common}/{name}" for name in ("config", "packed-refs")),
    ]
    for folder, _, names in os.walk(found.common + "/refs"):
        files += [folder, *(f"{folder}/{name}" for name in sorted(names))]
        if len(files) > MOST_REF_FILES:
            return ""
    return digest(dumps([read_times(path) for path in files]))


def read_times(path: str) -> list[int]:
    try:
        found = os.stat(path)
    except OSError:
        return []
    return [found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns]
