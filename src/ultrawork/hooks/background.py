"""Work beside a session: processes of our own that outlive the hook and end with the client."""

import os
import sys

from ..store.fast import dumps
from .table import JOBS, skipped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .event import Event

_START = os.path.dirname(os.path.abspath(__file__)) + "/start.py"


def start(event: "Event", job: str) -> None:
    """Begins a job with what this event knows, in a session of its own, silent, gone with the client."""
    if skipped(event.environ, JOBS[job][0][0]):
        return
    data = {
        "session_id": event.session,
        "cwd": event.cwd,
        "permission_mode": event.text("permission_mode"),
        "transcript_path": event.text("transcript_path"),
        "turn_id": event.text("turn_id"),
        "client": os.getppid(),
    }
    if not event.is_codex:
        del data["turn_id"]
    reading, writing = os.pipe()
    os.write(writing, dumps(data).encode("utf-8", "replace"))
    os.close(writing)
    prefix = f"pycache_prefix={event.home.cache}/bytecode"
    argv = [sys.executable, "-I", "-S", "-X", prefix, _START, job]
    silent = [(os.POSIX_SPAWN_OPEN, number, os.devnull, os.O_WRONLY, 0) for number in (1, 2)]
    actions = [(os.POSIX_SPAWN_DUP2, reading, 0), *silent]
    try:
        os.posix_spawn(sys.executable, argv, event.environ, file_actions=actions, setsid=True)
    finally:
        os.close(reading)
