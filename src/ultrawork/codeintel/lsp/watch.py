"""Files that changed behind a server's back: servers rely on their client to be told."""

import os
import time

from ..files import walk
from .documents import uri_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_CREATED, _CHANGED, _DELETED = 1, 2, 3
_SHARE = 20  # looking may take at most a twentieth of the time

Stamps = dict[str, tuple[int, int]]


class Watch:
    def __init__(self, folder: str, endings: "Sequence[str]", names: "Sequence[str]") -> None:
        self._folder = folder
        self._endings = tuple(endings)
        self._names = frozenset(names)
        self._seen: Stamps | None = None
        self._rest_until = 0.0

    def changes(self) -> list[dict[str, object]]:
        """File events since the last look; a look at a very large tree is not taken every time."""
        now = time.monotonic()
        if now < self._rest_until:
            return []
        before, self._seen = self._seen, self._look()
        took = time.monotonic() - now
        self._rest_until = now + took * _SHARE if took > 0.1 else 0.0
        return [] if before is None else events(before, self._seen)

    def _look(self) -> Stamps:
        found: Stamps = {}
        for path in walk(self._folder):
            if path.endswith(self._endings) or os.path.basename(path) in self._names:
                try:
                    status = os.stat(path)
                except OSError:
                    continue
                found[path] = (status.st_mtime_ns, status.st_size)
        return found


def events(
    before: "Mapping[str, object]", after: "Mapping[str, object]"
) -> list[dict[str, object]]:
    kinds = {path: _CREATED for path in after if path not in before}
    kinds |= {path: _DELETED for path in before if path not in after}
    kinds |= {path: _CHANGED for path in after if path in before and after[path] != before[path]}
    return [{"uri": uri_of(path), "type": kind} for path, kind in kinds.items()]
