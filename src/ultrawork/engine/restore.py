"""Files of a checkout put back to what they were; the person's index is only told that it was right."""

import os

from ..system.git import SUBMODULE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ..system.git import Entry
    from ..system.mirror import Mirror
    from .ground import Ground

_LINK = "120000"
_PROGRAM = "100755"


def restore(ground: "Ground", mirror: "Mirror", wrong: "Mapping[str, Entry | None]") -> None:
    """Each path as the entry says, gone where there is none. What is in a submodule is not ours to judge."""
    if not wrong:
        return
    for path in sorted(wrong, reverse=True):
        _remove(ground.top, path)
    kept = [entry for entry in wrong.values() if entry and entry.mode != SUBMODULE]
    clean = _clean(ground, kept)
    if clean:
        listed = os.fsencode("".join(path + "\0" for path in clean))
        git = ground.git_in(ground.top)
        git.ask(["checkout-index", "--force", "--quiet", "-u", "-z", "--stdin"], listed)
    for entry in kept:
        if entry.path not in clean:
            _write(ground, mirror, entry)


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
    if os.path.isdir(place) and not os.path.islink(place):
        return
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
