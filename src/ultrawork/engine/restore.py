"""Files of a checkout put back to what they were; the person's index is only told that it was right."""

import os

from ..system.git import SUBMODULE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ..system.git import Entry
    from ..system.mirror import Mirror
    from .ground import Ground

    Sides = Mapping[str, tuple[Entry | None, Entry | None]]

_LINK = "120000"
_PROGRAM = "100755"


def restore(ground: "Ground", mirror: "Mirror", sides: "Sides", now: str) -> None:
    """Each path from its second side to its first, if it is the second one in the tree `now`."""
    if not sides:
        return
    there = {entry.path: entry for entry in mirror.git().entries(now, list(sides))}
    wrong = {
        path: before
        for path, (before, after) in sides.items()
        if _key(there.get(path)) == _key(after) and not _is_submodule(before, after)
    }
    for path in sorted(wrong, reverse=True):
        _remove(ground.top, path)
    kept = [entry for entry in wrong.values() if entry]
    clean = _clean(ground, kept)
    if clean:
        listed = os.fsencode("".join(path + "\0" for path in clean))
        git = ground.git_in(ground.top)
        git.ask(["checkout-index", "--force", "--quiet", "-u", "-z", "--stdin"], listed)
    for entry in kept:
        if entry.path not in clean:
            _write(ground, mirror, entry)


def _key(entry: "Entry | None") -> tuple[str, str] | None:
    return (entry.mode, entry.id) if entry else None


def _is_submodule(*entries: "Entry | None") -> bool:
    """A commit in a submodule is not undone: what is in there is not ours to judge."""
    return any(entry is not None and entry.mode == SUBMODULE for entry in entries)


def _clean(ground: "Ground", entries: "Iterable[Entry]") -> set[str]:
    """Those that were as the person's index has them: git writes them as it did before."""
    printed = os.fsdecode(ground.git.ask(["ls-files", "-s", "-z"]))
    index = set()
    for record in printed.split("\0"):
        head, _, path = record.partition("\t")
        index.add((*head.split(" ")[:2], path))
    return {e.path for e in entries if (e.mode, e.id, e.path) in index}


def _remove(top: str, path: str) -> None:
    """With the folders that are empty then."""
    place = f"{top}/{path}"
    if os.path.lexists(place):
        os.unlink(place)
    folder = os.path.dirname(path)
    while folder:
        try:
            os.rmdir(f"{top}/{folder}")
        except OSError:
            return
        folder = os.path.dirname(folder)


def _write(ground: "Ground", mirror: "Mirror", entry: "Entry") -> None:
    place = f"{ground.top}/{entry.path}"
    os.makedirs(os.path.dirname(place), exist_ok=True)
    git = mirror.git()
    if entry.mode == _LINK:
        os.symlink(os.fsdecode(git.ask(["cat-file", "blob", entry.id])), place)
        return
    data = git.ask(["cat-file", "--filters", f"--path={entry.path}", entry.id])
    with open(place, "wb") as file:
        file.write(data)
    os.chmod(place, 0o755 if entry.mode == _PROGRAM else 0o644)
