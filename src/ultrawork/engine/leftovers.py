"""Lock files that a killed git has left behind, told from those of a git that is alive."""

import os
import time

from ..system.files import remove

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .ground import Ground

_PATIENCE = 3.0
_POLL = 0.05


def stale_lock(path: str) -> None:
    """Removes a lock that does not go away by itself."""
    first = _inode(path)
    end = time.monotonic() + _PATIENCE
    while first and _inode(path) == first and time.monotonic() < end:
        time.sleep(_POLL)
    if first and _inode(path) == first:
        os.unlink(path)


def own_locks(ground: "Ground") -> None:
    """On refs that nobody but us writes, and only under the lock that the caller holds: none is alive."""
    names = ground.names
    common = ground.checkout.common
    view = f"{common}/{names.view}.lock"
    if os.path.lexists(view):
        remove(view)
    for folder in (os.path.dirname(names.base), f"refs/heads/ultrawork-work/{names.session}"):
        for place, _, found in os.walk(f"{common}/{folder}"):
            for name in found:
                if name.endswith(".lock"):
                    remove(f"{place}/{name}")


def _inode(path: str) -> int:
    try:
        return os.stat(path).st_ino
    except OSError:
        return 0
