"""Every call leaves a line: in the session's trace where there is one, else in the log."""

import os
from time import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .room import Room

AGENT = "mcp"  # keeps these lines apart from the client's own account of the same calls


def record(room: "Room", tool: str, seconds: float, *, failed: bool) -> None:
    from ..core.errors import UltraworkError
    from ..store import log, trace

    entry = {"at": round(time(), 3), "tool": tool, "ok": not failed, "ms": round(seconds * 1000)}
    try:
        if room.session and os.path.isdir(room.home.session(room.session)):
            trace.append(room.home, room.session, {**entry, "agent": AGENT})
        else:
            log.write(room.home, "mcp", f"{tool} {'failed' if failed else 'ok'} {entry['ms']} ms")
    except (OSError, UltraworkError):
        pass  # a full disk must not cost the answer, which is given already
