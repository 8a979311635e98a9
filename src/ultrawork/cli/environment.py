"""
The edge of the program: everything a verb may know about its surroundings, read once.

The version: the plugin's manifest has the one number.
"""

import os
import sys
from time import time

from ..core.errors import UsageError
from ..store import paths, sessions
from ..store.store import Store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..core.session.session import Session
    from .flags import Args

PERSON = "person"
AGENT = "agent"
_AGENT_VARIABLES = ("CLAUDECODE", "AI_AGENT", "CODEX_CI", *paths.SESSION_VARIABLES)
_INPUT_LIMIT = 10_000_000


class VerbEnvironment:
    __slots__ = ("_cwd", "environ", "json", "store")

    def __init__(self, environ: "Mapping[str, str]", *, json: bool = False) -> None:
        self.environ = environ
        self.json = json
        self._cwd: str | None = None
        self.store = Store(paths.find_home(environ), actor=guess_actor(environ), clock=time)

    @property
    def cwd(self) -> str:
        if self._cwd is None:
            try:
                self._cwd = os.getcwd()
            except OSError:
                raise UsageError("the current folder is gone; change to one that exists") from None
        return self._cwd

    @property
    def place(self) -> str:
        """The checkout that a session belongs to."""
        return paths.find_checkout(self.cwd)

    def session(self, args: "Args") -> "Session":
        """The session that is meant: the one named, else the client's own, else this checkout's newest."""
        name, own = self.session_name(args), paths.find_client_session(self.environ)
        return sessions.find_meant(self.store.database, name, own, self.place)

    def session_name(self, args: "Args") -> str | None:
        """The first document named a session by the path of its file; that is understood too."""
        name = args.text("--session")
        if name is not None and name.endswith("/session.json"):
            return name.split("/")[-2]
        return name

    def read(self, given: str, noun: str) -> str:
        """The text of `-` is standard input."""
        if given != "-":
            return given
        if sys.stdin is None:
            raise UsageError(f"standard input is closed; the {noun} is read from there")
        data = sys.stdin.buffer.read(_INPUT_LIMIT + 1)
        if len(data) > _INPUT_LIMIT:
            raise UsageError(f"the {noun} on standard input is larger than 10 MB; shorten it")
        return data.decode("utf-8", "replace")


def guess_actor(environ: "Mapping[str, str]") -> str:
    """Who is calling, as far as the environment tells; a hint for people, never a permission."""
    return AGENT if any(environ.get(name) for name in _AGENT_VARIABLES) else PERSON


def read_version() -> str:
    """From the plugin's manifest where the code runs from the plugin, else from the installed package."""
    import os

    from ..store.codec import loads

    root = os.path.dirname(os.path.abspath(__file__)).rsplit("/", 3)[0]
    try:
        with open(f"{root}/.claude-plugin/plugin.json", encoding="utf-8") as file:
            return str(loads(file.read())["version"])
    except (OSError, ValueError, KeyError):
        from importlib.metadata import version as installed

        return installed("ultrawork")
