"""What tools and editors drop beside the work: part of no tree, unless somebody tracks it."""

import os
from collections.abc import Iterable

from ..store import atomic
from ..store.omc.folder import OWN_NAMES as OMC

MOST_LEFT_FILES = 500
FOLDERS = frozenset(
    ("__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".hypothesis", "node_modules")
)
NAMES = frozenset((".DS_Store", ".coverage"))
ENDINGS = (".pyc", ".swp", ".swo", "~")
# `.coverage.host.123` is data, `.coveragerc` is configuration.
STARTS = (".coverage.", ".#")

_OMC = ".omc/"

# The same for git, so that it does not even look into such folders.
PATTERNS = (
    *(f"{name}/" for name in sorted(FOLDERS)),
    *sorted(NAMES),
    *(f"*{ending}" for ending in ENDINGS),
    *(f"{start}*" for start in STARTS),
    r"\#*#",
    *(f"/{_OMC}{name}" for name in OMC),
)


def is_excluded(path: str) -> bool:
    *folders, name = path.split("/")
    if not FOLDERS.isdisjoint(folders) or name in NAMES or name in FOLDERS:
        return True
    if path.startswith(_OMC) and _is_ours(path[len(_OMC) :]):
        return True
    between_hashes = len(name) > 1 and name[0] == name[-1] == "#"
    return name.endswith(ENDINGS) or name.startswith(STARTS) or between_hashes


def _is_ours(path: str) -> bool:
    return any(path.startswith(name) if name[-1] == "/" else path == name for name in OMC)


def find_own_folder(top: str, store: str) -> str | None:
    """Our own files, where they lie inside the project: they change with every tree that is taken."""
    home = os.path.dirname(os.path.realpath(store))
    ours = home if os.path.exists(home + "/ultrawork.db") else os.path.realpath(store)
    return ours[len(top) + 1 :] if ours.startswith(top + "/") else None


def list_left_files(folder: str) -> list[str]:
    """Paths that runs of ours have left in a checkout; `folder` is where we keep what we know of it."""
    try:
        with open(folder + "/left", encoding="utf-8") as file:
            return file.read().splitlines()
    except OSError:
        return []


def record_left_files(folder: str, paths: Iterable[str]) -> None:
    """From now on these are part of no tree, unless somebody tracks them."""
    plain = [path for path in paths if path.isprintable()]
    known = list(dict.fromkeys([*list_left_files(folder), *plain]))[-MOST_LEFT_FILES:]
    atomic.write(folder + "/left", "".join(path + "\n" for path in known))
