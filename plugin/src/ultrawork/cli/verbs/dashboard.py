"""`ultrawork dashboard`: the board and the inbox as a live page, on this machine alone."""

import os
import sys

from ...core.errors import Trouble
from ...system.program import list_own_start
from ..command import Command, Result
from ..environment import NUMBER, Args, Flag, VerbEnvironment


def serve(args: Args, env: VerbEnvironment) -> Result:
    """Serve the page; it answers questions, so only a user may open it."""
    env.require_person("opens the dashboard", "open a terminal and run it there")
    try:
        from ...sight.dashboard import serve_dashboard
    except ImportError as error:
        raise Trouble(
            f"the dashboard needs {error.name}, which is not installed; run pip install starlette uvicorn"
        ) from None
    try:
        token, port = os.urandom(24).hex(), args.number("--port") or 0
        program = list_own_start()
        serve_dashboard(env.store, token, port, _tell, environ=env.environ, program=program)
    except OSError as error:
        raise Trouble(f"the port cannot be used ({error.strerror}); give another with --port") from None
    return Result({}, "")


def _tell(address: str) -> None:
    sys.stdout.write(f"dashboard: {address}\nOpen it in a browser on this machine. Ctrl-C ends it.\n")
    sys.stdout.flush()


COMMANDS = (
    Command(
        "",
        "Only this machine can open it; its address has a token",
        serve,
        flags=(Flag("--port", "the port to listen on (a free one without it)", kind=NUMBER),),
        example="ultrawork dashboard\nultrawork dashboard --port 8765",
    ),
)
