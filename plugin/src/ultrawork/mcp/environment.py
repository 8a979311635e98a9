"""The surroundings of the tools: where they work, and what they share while the server lives."""

import os
from _thread import allocate_lock
from time import time

from ..core.check import quote
from ..core.errors import UsageError
from ..core.registry import ask
from ..store import paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ..codeintel.lsp.service import Languages
    from ..codeintel.repl import PythonSessions
    from ..store.omc.folder import Omc
    from ..store.paths import Home


class ToolEnvironment:
    """`top` is the worktree: no tool reads or writes a path outside it. `server` names another model's program that is
    asked here; empty for the toolbox."""

    def __init__(self, environ: "Mapping[str, str]", cwd: str, server: str = "") -> None:
        self.environ = environ
        self.server = server
        # Made before the first serving child: all that follow share it.
        self.began = f"{os.getpid()}-{time():.3f}"
        self.home: Home = paths.find_home(environ)
        self.top = paths.find_checkout(environ.get(paths.PROJECT) or cwd)
        self._lock = allocate_lock()
        self._languages: dict[tuple[bool, str], Languages] = {}
        self._pythons: PythonSessions | None = None
        self._parts: dict[str, Any] = {}

    @property
    def session(self) -> str:
        """The client's own session, if it names one."""
        return paths.find_client_session(self.environ)

    @property
    def extras(self) -> str:
        """Where packages are that a user adds to the plugin; one folder per Python version."""
        from sys import version_info

        return f"{self.home.root}/extras/{version_info.major}.{version_info.minor}"

    def languages(self, *, confined: bool) -> "Languages":
        """Return the language servers: the project's too if the user works with us there, else only those on PATH.
        Never in a sandbox, where the agent could have put one into the project."""
        from ..store import checkouts

        own = not confined and checkouts.is_recorded(self.home, self.top, checkouts.KNOWN)
        cure = "" if own or confined else checkouts.CURE
        with self._lock:
            if (own, cure) not in self._languages:
                from ..codeintel.lsp.service import Languages

                self._languages[own, cure] = Languages(self.top, own=own, cure=cure)
            return self._languages[own, cure]

    @property
    def pythons(self) -> "PythonSessions":
        with self._lock:
            if self._pythons is None:
                from ..codeintel.repl import PythonSessions

                self._pythons = PythonSessions(self.top)
            return self._pythons

    def open_part(self, feature: str) -> "Any":
        """Return what a feature keeps while the server lives; it is closed with the server."""
        with self._lock:
            if feature not in self._parts:
                self._parts[feature] = ask(feature, "open_part")(self)
            return self._parts[feature]

    def has_helper(self) -> bool:
        """Return whether the program that is asked here is on the PATH; one that we started asks no one itself."""
        if self.environ.get("ULTRAWORK_DISABLE"):
            return False
        folders = self.environ.get("PATH", os.defpath).split(os.pathsep)
        return any(os.access(f"{folder}/{self.server}", os.X_OK) for folder in folders if folder)

    @property
    def person(self) -> str:
        """The home folder of the client's user."""
        return self.environ.get("HOME", "") or "/nonexistent"

    def omc(self, folder: str | None) -> "Omc":
        """Return the `.omc` of a folder's checkout, which must lie in the worktree."""
        from ..store.omc.folder import Omc

        return Omc(paths.find_checkout(self.inside(folder or ".")))

    def inside(self, given: str) -> str:
        """The real path of what a client named, links resolved; refused outside the worktree."""
        path = "" if "\0" in given else os.path.realpath(os.path.join(self.top, given))
        if path != self.top and not path.startswith(self.top + "/"):
            raise UsageError(f"{quote(given)} is outside the worktree; give a path inside it")
        return path

    def close(self) -> None:
        with self._lock:
            for languages in self._languages.values():
                languages.close()
            if self._pythons is not None:
                self._pythons.close()
            for part in self._parts.values():
                part.close()
            self._languages, self._pythons = {}, None
