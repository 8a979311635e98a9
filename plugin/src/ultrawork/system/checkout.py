"""Where a checkout and its repository are, read from disk: git itself refuses some of them. File times show whether
branches and commits moved."""

import os
from collections.abc import Iterator, Sequence

from ..store.codec import digest, dumps
from .files import read_bytes


class Checkout:
    """`git_dir` belongs to this working tree, `common` to all working trees of the repository."""

    def __init__(self, top: str, git_dir: str) -> None:
        self.top = top
        self.git_dir = git_dir
        text = _text(git_dir + "/commondir")
        self.common = os.path.normpath(os.path.join(git_dir, text)) if text else git_dir


def find(folder: str) -> Checkout | None:
    """The checkout that a folder belongs to."""
    for above in _upwards(os.path.realpath(folder)):
        checkout = find_at(above)
        if checkout:
            return checkout
    return None


def find_at(folder: str) -> Checkout | None:
    """Return the checkout whose top is this folder."""
    place = folder + "/.git"
    if os.path.isfile(place):
        text = _text(place)
        if not text.startswith("gitdir:"):
            return None
        place = os.path.normpath(os.path.join(folder, text[len("gitdir:") :].strip()))
    return Checkout(folder, place) if os.path.isfile(place + "/HEAD") else None


def read_head(folder: str) -> str:
    """Return the checked-out commit from its files; empty if git must be asked."""
    checkout = find(folder)
    text = _text(checkout.git_dir + "/HEAD") if checkout else ""
    if checkout and text.startswith("ref: refs/heads/"):
        text = _text(f"{checkout.common}/{text.removeprefix('ref: ')}")
    return text if _is_id(text) else ""


def read_ref(common: str, ref: str) -> str | None:
    """Return a ref's value from its files, empty if there is none; None if git must be asked."""
    text = _text(f"{common}/{ref}")
    if _is_id(text):
        return text
    if text or os.path.isdir(common + "/reftable"):
        return None
    # After the file: packing removes that last.
    packed = read_bytes(common + "/packed-refs")
    return None if os.fsencode(ref) in packed else ""


def _is_id(text: str) -> bool:
    return len(text) in (40, 64) and not text.strip("0123456789abcdef")


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
    checkout = find(place)
    if checkout is None:
        return "none"
    if os.path.isdir(checkout.common + "/reftable"):
        return ""
    files = [f"{checkout.git_dir}/HEAD", *(f"{checkout.common}/{name}" for name in ("config", "packed-refs"))]
    for folder, _, names in os.walk(checkout.common + "/refs"):
        files += [folder, *(f"{folder}/{name}" for name in sorted(names))]
        if len(files) > MOST_REF_FILES:
            return ""
    return digest(dumps(read_signature(files)))


def read_signature(paths: Sequence[str]) -> list[list[int]]:
    """Return what changes whenever one of these files is written."""
    return [read_times(path) for path in paths]


def read_times(path: str) -> list[int]:
    try:
        status = os.stat(path)
    except OSError:
        return []
    return [status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns]
