"""Whether branches and commits are where they were, told by the times of the files that hold them."""

import os

from ..store.fast import digest, dumps
from ..system import checkout as checkouts

MANY = 2000


def signature(place: str) -> str:
    """The same as long as no ref of the repository moves; empty if that cannot be told cheaply."""
    found = checkouts.find(place)
    if found is None:
        return "none"
    files = [
        f"{found.git_dir}/HEAD",
        *(f"{found.common}/{name}" for name in ("config", "packed-refs")),
    ]
    for folder, _, names in os.walk(found.common + "/refs"):
        files += [folder, *(f"{folder}/{name}" for name in sorted(names))]
        if len(files) > MANY:
            return ""
    return digest(dumps([_times(path) for path in files]))


def _times(path: str) -> list[int]:
    try:
        found = os.stat(path)
    except OSError:
        return []
    return [found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns]
