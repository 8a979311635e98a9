"""Files of a tree that are worth searching (not hidden, installed or built ones), and their texts."""

import os
from collections.abc import Iterator
from itertools import islice

from ..core.check import quote
from ..core.errors import NotFound, UsageError
from ..system.files import read_bytes

_INSTALLED = ("node_modules", "bower_components", "venv", "env", "site-packages", "vendor", "Pods")
_BUILT = ("__pycache__", "target", "build", "dist", "out", "coverage", "DerivedData")
SKIPPED = frozenset(_INSTALLED + _BUILT)
MOST = 50_000
MOST_BYTES = 1_000_000
LARGEST = 5_000_000


def walk(folder: str) -> Iterator[str]:
    """Regular files in a stable order, links not followed, at most 50,000."""
    left = MOST
    folders = [folder]
    while folders and left > 0:
        inner, files = _listed(folders.pop())
        folders += reversed(inner)
        yield from files[:left]
        left -= len(files)


def read_text(path: str) -> str:
    """Return the text with its line ends, because positions and edits depend on them."""
    try:
        if os.path.getsize(path) > LARGEST:
            raise UsageError(f"{quote(path)} is larger than 5 MB, too large for this")
        with open(path, "rb") as file:
            return file.read().decode("utf-8")
    except (FileNotFoundError, IsADirectoryError, NotADirectoryError):
        raise NotFound(f"{quote(path)} does not exist or is not a file") from None
    except UnicodeDecodeError:
        raise UsageError(f"{quote(path)} is not UTF-8 text") from None


def find_by_word(folder: str, endings: tuple[str, ...], word: str, most: int) -> list[str]:
    """Return files of these kinds that contain the word."""
    wanted = word.encode()
    paths = (path for path in walk(folder) if path.endswith(endings) and wanted in read_bytes(path, MOST_BYTES))
    return list(islice(paths, most))


def _listed(folder: str) -> tuple[list[str], list[str]]:
    inner: list[str] = []
    files: list[str] = []
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.name.startswith(".") or entry.name in SKIPPED:
                    continue
                if entry.is_dir(follow_symlinks=False):
                    inner.append(entry.path)
                elif entry.is_file(follow_symlinks=False):
                    files.append(entry.path)
    except OSError:
        return [], []
    return sorted(inner), sorted(files)
