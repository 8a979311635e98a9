"""Every call leaves a line: in the session's trace where there is one, else in the log."""

import os
from time import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .call import Call

AGENT = "mcp"  # keeps these lines apart from the client's own account of the same calls


def record(call: "Call", seconds: float, *, failed: bool) -> None:
    from ..core.errors import UltraworkError
    from ..store import log, trace

    home, took = call.room.home, round(seconds * 1000)
    try:
        if call.session and os.path.isdir(home.session(call.session)):
            entry = {"at": round(time(), 3), "tool": call.tool, "ok": not failed, "ms": took}
            trace.append(home, call.session, {**entry, "agent": AGENT})
        else:
            log.write(home, "mcp", f"{call.tool} {'failed' if failed else 'ok'} {took} ms")
    except (OSError, UltraworkError):
        pass  # a full disk must not cost the answer, which is given already
