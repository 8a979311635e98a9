"""
Hold back files that are too large to be part of the work.

An agent's dump or build output is stopped before history keeps it. A large untracked file of the user is named before
a run starts, because every worker would get a copy.
"""

import os

from ...core.errors import Conflict
from ...system.git import Git
from ...system.objects import TreeEntry
from .repository import Repository

_MEGA = 1_000_000
_MOST_UNTRACKED = 100 * _MEGA
_MANY = 3
# Smaller new files count together: build output and dumps come in hundreds of them.
_TOGETHER = 10


def refuse_large(repository: Repository, base: str, tree: str, place: str) -> None:
    """Raise Conflict for files in `place` that are new and too large, or grew past the limit."""
    most = repository.largest_file * _MEGA
    if not most:
        return
    sides = repository.git.diff_entries(base, tree)
    known = {before.id for before, _ in sides.values() if before}  # what only moved is no new content
    sizes = {path: _measure(f"{place}/{path}") for path, (_, after) in sides.items() if after and after.id not in known}
    _refuse_many({path: size for path, size in sizes.items() if sides[path][0] is None}, repository.largest_file)
    large = {path: size for path, size in sizes.items() if size > most}
    if not large:
        return
    grown = [path for path in large if _has_grown(repository.git, sides[path], most)]
    if grown:
        listing = _list(grown, large)
        raise Conflict(
            f"{listing} would be committed. Delete it, add it to .gitignore, or raise run.largest_file"
            f" ({repository.largest_file} MB)"
        )


def _refuse_many(added: dict[str, int], limit: int) -> None:
    """Raise Conflict if new files are large together, wherever they are."""
    if sum(added.values()) <= _TOGETHER * limit * _MEGA:
        return
    largest = sorted(added, key=lambda path: -added[path])
    raise Conflict(
        f"{len(added)} new files ({sum(added.values()) / _MEGA:.0f} MB), such as {_list(largest[:1], added)}, would be"
        f" committed. Delete them, add them to .gitignore, or raise run.largest_file ({limit} MB)"
    )


def refuse_untracked(repository: Repository) -> None:
    """Raise Conflict before the current files become a baseline, naming huge files that git does not track."""
    git = repository.git_in(repository.top)
    printed = git.ask(["ls-files", "--others", "--exclude-standard", "-z"])
    paths = [path for path in os.fsdecode(printed).split("\0") if path]
    sizes = {path: _measure(f"{repository.top}/{path}") for path in paths}
    large = {path: size for path, size in sizes.items() if size > _MOST_UNTRACKED}
    if large:
        listing = _list(sorted(large, key=lambda path: -large[path]), large)
        raise Conflict(f"{listing} is not tracked, and every worker would get a copy. Add it to .gitignore, or move it")


def _has_grown(git: Git, sides: tuple[TreeEntry | None, TreeEntry | None], most: int) -> bool:
    before, after = sides
    is_large = after is not None and _read_size(git, after.id) > most
    return is_large and (before is None or _read_size(git, before.id) <= most)


def _list(paths: list[str], sizes: dict[str, int]) -> str:
    shown = [f"{path} ({sizes[path] / _MEGA:.0f} MB)" for path in paths[:_MANY]]
    more = len(paths) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more > 0 else "")


def _measure(path: str) -> int:
    try:
        status = os.lstat(path)
    except OSError:
        return 0
    return status.st_size


def _read_size(git: Git, blob: str) -> int:
    return int(git.line("cat-file", "-s", blob) or 0)
