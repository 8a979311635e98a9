"""Lists of paths that follow from a tree alone, stored by its id, whose content never changes.

Stored as one text, with a zero byte before and after each path: searching 100,000 of them takes a tenth of the time of
splitting."""

import os
from collections.abc import Callable, Sequence
from contextlib import suppress

from ..store import atomic
from .files import read_bytes, remove_file

# Per kind; all paths of a tree are 3 MB for 100,000.
_MOST_KEPT = 4


def join_paths(paths: Sequence[str]) -> bytes:
    return os.fsencode("\0".join(["", *paths, ""])) if paths else b"\0"


def has_name(paths: bytes, word: str) -> bool:
    """Whether one of these paths ends in a file of this name, with any ending or none. Mostly the word is in none of them."""
    name = os.fsencode(word)
    pieces = (start + name + end for start in (b"/", b"\0") for end in (b".", b"\0"))
    return name in paths and any(piece in paths for piece in pieces)


class KeptLists:
    def __init__(self, folder: str) -> None:
        self._folder = folder

    def read(self, name: str, kind: str) -> bytes:
        """Return the text of a list; empty if none is stored."""
        return read_bytes(f"{self._folder}/{name}-{kind}")

    def remember(self, name: str, kind: str, make: Callable[[], Sequence[str]]) -> list[str]:
        """Return a list, made if needed; `kind` says what is listed, and by which rules."""
        paths = self.read(name, kind)
        if not paths:
            paths = join_paths(make())
            with suppress(OSError):  # what cannot be kept is made again
                self._keep(name, kind, paths)
        return os.fsdecode(paths)[1:].split("\0")[:-1]

    def _keep(self, name: str, kind: str, paths: bytes) -> None:
        os.makedirs(self._folder, mode=0o700, exist_ok=True)
        with os.scandir(self._folder) as entries:
            same = [entry for entry in entries if entry.name.partition("-")[2] == kind]
        same.sort(key=lambda entry: entry.stat().st_mtime_ns, reverse=True)
        for file in same[_MOST_KEPT - 1 :]:
            remove_file(file.path)
        atomic.write(f"{self._folder}/{name}-{kind}", paths, sync=False)
