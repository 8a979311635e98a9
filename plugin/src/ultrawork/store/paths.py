"""Define all our paths, with the folder that this program runs from; no other module spells one.

Also identifies the calling client from its environment."""

import os

from ..core.check import require_session_id
from ..core.errors import Trouble
from .codec import loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

# Held in a session's folder by its engine.
ENGINE_LOCK = "engine.lock"
_PARTS = ("/HEAD", "/objects", "/refs")


class Home:
    """The state folder: `$ULTRAWORK_HOME`, else `~/.claude/ultrawork`."""

    __slots__ = ("_known", "cache", "database", "logs", "models", "reviews", "root", "sessions", "settings")

    def __init__(self, root: str) -> None:
        self.root = root
        self._known: set[str] = set()
        self.database = root + "/ultrawork.db"
        self.sessions = root + "/sessions"
        self.settings = root + "/config.toml"
        self.models = root + "/models.toml"
        self.reviews = root + "/reviews.jsonl"
        self.logs = root + "/logs"
        self.cache = root + "/cache"

    def session(self, name: str) -> str:
        """Return a session's folder of views. A symbolic link in its place is refused: it would lead out."""
        if name not in self._known:
            self._known.add(require_session_id(name))
        folder = f"{self.sessions}/{name}"
        if os.path.islink(folder) or os.path.islink(self.sessions):
            raise Trouble(f"{folder} is a symbolic link; replace it with a folder")
        return folder

    def conversations(self, name: str) -> str:
        """Return the folder of what a session's agents said, where their client would lose it."""
        return f"{self.session(name)}/conversations"


def find_home(environ: "Mapping[str, str]") -> Home:
    ultrawork_home = environ.get("ULTRAWORK_HOME", "")
    if ultrawork_home:
        return Home(_absolute(ultrawork_home, "ULTRAWORK_HOME"))
    base = environ.get("HOME", "")
    if not base:
        raise Trouble("neither ULTRAWORK_HOME nor HOME is set; set ULTRAWORK_HOME to a folder")
    return Home(_absolute(base, "HOME") + "/.claude/ultrawork")


def _absolute(path: str, variable: str) -> str:
    if not path.startswith("/") or "\0" in path:
        from ..core.check import quote

        raise Trouble(f"{variable} is {quote(path)}; set it to an absolute path")
    return path.rstrip("/")


def find_checkout(cwd: str) -> str:
    """Return the folder that a session belongs to: the nearest one upward with a repository, else `cwd`."""
    folder = os.path.realpath(cwd)
    start = folder
    while True:
        if _has_repository(folder):
            return folder
        above = os.path.dirname(folder)
        if above == folder:
            return start
        folder = above


def _has_repository(folder: str) -> bool:
    """
    Return whether a `.git` folder belongs to a repository; git ignores an empty one. A damaged one still counts:
    removing its HEAD must not move a session elsewhere.
    """
    place = folder + "/.git"
    if not os.path.lexists(place):
        return False
    return not os.path.isdir(place) or any(os.path.lexists(place + part) for part in _PARTS)


def read_git_link(place: str) -> str:
    """Return the folder that the `.git` file of a linked worktree names; empty without one."""
    try:
        with open(place + "/.git", encoding="utf-8", errors="replace") as file:
            return file.readline(4096).strip().removeprefix("gitdir: ")
    except OSError:
        return ""


def find_main_checkout(place: str) -> str:
    """Return the checkout of a linked worktree, by its `.git` file; any other place is its own."""
    named = read_git_link(place)
    top, separator, _ = named.rpartition("/.git/worktrees/")
    return os.path.normpath(os.path.join(place, top)) if separator else place


SESSION_VARIABLES = ("CLAUDE_CODE_SESSION_ID", "CODEX_SESSION_ID")
# Variables of an agent's shell.
SHELL_SIGNS = ("CLAUDECODE", "AI_AGENT", "CODEX_CI")
# Variables from a client to a plugin: its folder, one for its own files, the project; Codex uses the same names.
PLUGIN_ROOT, PLUGIN_DATA = "CLAUDE_PLUGIN_ROOT", "CLAUDE_PLUGIN_DATA"
PROJECT = "CLAUDE_PROJECT_DIR"


def find_client_session(environ: "Mapping[str, str]") -> str:
    """Return the client's own session; empty if it reports none."""
    return next((environ[name] for name in SESSION_VARIABLES if environ.get(name)), "")


# The folder with the plugin's manifest.
MANIFEST = ".claude-plugin"


def find_root() -> str:
    """Return the folder that this program runs from: the plugin, a checkout, or an installed package's."""
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    installed = f"{package}/root"
    return installed if os.path.isdir(installed) else package.rsplit("/", 2)[0]


def read_version() -> str:
    """Return the version from the plugin's manifest, else from the installed package."""
    try:
        with open(f"{find_root()}/{MANIFEST}/plugin.json", encoding="utf-8") as file:
            return str(loads(file.read())["version"])
    except (OSError, ValueError, KeyError):
        from importlib.metadata import version

        return version("ultrawork")
