"""The edge of the program: everything a verb may know about its surroundings, read once."""

import os
import sys
from time import time

from ..core.errors import UsageError
from ..store import client, paths, sessions
from ..store.state import Store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..core.session import Session
    from .flags import Args

PERSON = "person"
AGENT = "agent"
_AGENT_VARIABLES = ("CLAUDECODE", "AI_AGENT", "CODEX_CI", *client.SESSION_VARIABLES)
_INPUT_LIMIT = 10_000_000


class Edge:
    __slots__ = ("_cwd", "environ", "json", "store")

    def __init__(self, environ: "Mapping[str, str]", *, json: bool = False) -> None:
        self.environ = environ
        self.json = json
        self._cwd: str | None = None
        self.store = Store(paths.home(environ), actor=actor(environ), clock=time)

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
        return paths.checkout(self.cwd)

    def session(self, args: "Args") -> "Session":
        """The session that is meant: the one named, else the client's own, else this checkout's newest."""
        name, own = self.session_name(args), client.own_session(self.environ)
        return sessions.meant(self.store.database, name, own, self.place)

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


def actor(environ: "Mapping[str, str]") -> str:
    """Who is calling, as far as the environment tells; a hint for people, never a permission."""
    return AGENT if any(environ.get(name) for name in _AGENT_VARIABLES) else PERSON
