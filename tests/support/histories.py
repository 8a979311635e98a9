"""Repositories whose history is far larger than their files."""

import os
import random
import subprocess
from collections.abc import Callable

from .headless import Headless

PIECE = 1 << 23
_NO_EFFORT = ("core.bigFileThreshold=1m", "core.compression=0", "pack.compression=0")


def lay(project: Headless, pieces: int) -> None:
    """Add commits that each replace a file of 8 MB by another, and remove the last one: only the history has them."""
    dice = random.Random(1)
    _stream(project, pieces, lambda number: (f"big/{number}", dice.randbytes(PIECE)), replaced="D big/{}\n")
    project.git("rm", "-qr", "big")
    project.git("commit", "-qm", "Small again")


def lay_commits(project: Headless, count: int) -> None:
    _stream(project, count, lambda number: (f"many/{number % 100}", f"{number}\n".encode()))


def _stream(project: Headless, count: int, make: Callable[[int], tuple[str, bytes]], replaced: str = "") -> None:
    """Add commits with a file each, one after another. Git need not look for differences of random pieces."""
    settings = [word for setting in _NO_EFFORT for word in ("-c", setting)]
    git = subprocess.Popen(["git", *settings, "fast-import", "--quiet"], cwd=project.place, stdin=subprocess.PIPE)
    assert git.stdin is not None
    with git.stdin as stream:
        for number in range(count):
            name, data = make(number)
            who = f"committer Pat <pat@example.org> {1700000000 + number} +0000\ndata 4\nMany\n"
            after = replaced.format(number - 1) if number else "from refs/heads/main^0\n"
            head = f"commit refs/heads/main\n{who}{after}M 644 inline {name}\ndata {len(data)}\n"
            stream.write(head.encode() + data + b"\n")
    assert git.wait() == 0
    project.git("reset", "-q", "--hard")


def drop(project: Headless) -> None:
    """Remove the contents that only the history has: whoever reads one fails."""
    names = project.git("rev-list", "--objects", "--no-object-names", "HEAD").splitlines()
    kept = project.git("rev-list", "--objects", "--no-object-names", "-1", "HEAD").splitlines()
    for name in set(names) - set(kept):
        place = f"{project.place}/.git/objects/{name[:2]}/{name[2:]}"
        if project.git("cat-file", "-t", name) == "blob":
            os.unlink(place)


def measure(folder: str) -> int:
    """Return the bytes of all files below a folder."""
    files = (f"{place}/{name}" for place, _, names in os.walk(folder) for name in names)
    return sum(os.lstat(file).st_size for file in files)
