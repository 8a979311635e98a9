"""
Whether git may be asked here without a question. It obeys the settings of every repository it looks into, and they may
name programs: so it must be the project's own one, alone, with its settings where no agent edits files.
"""

import os

from ..store import paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .event import Event

# Subcommands that look into submodules, each of which has settings of its own.
_DEEP = ("status", "diff", "log", "show")
# The mode of a submodule as an index holds it, in whatever version: 160000 in octal digits.
_LINK = b"\x00\x00\xe0\x00"


def may_ask(event: "Event", subcommand: str) -> bool:
    top = paths.checkout(event.environ.get("CLAUDE_PROJECT_DIR") or event.cwd)
    if event.place != top or _looks_like_one(os.path.realpath(event.cwd), top):
        return False
    folder = _settings(top)
    return bool(folder) and not (subcommand in _DEEP and _has_submodules(top, folder))


def _looks_like_one(folder: str, top: str) -> bool:
    """A folder on the way up to the top that git would take for a repository."""
    while folder != top:
        if os.path.exists(folder + "/HEAD") and os.path.exists(folder + "/objects"):
            return True
        folder = os.path.dirname(folder)
    return False


def _settings(top: str) -> str:
    """The folder with the repository's index; empty where a file in the worktree leads to one that lies in it."""
    if os.path.isdir(top + "/.git"):
        return top + "/.git"
    try:
        with open(top + "/.git", encoding="utf-8", errors="replace") as file:
            named = file.readline(4096).strip().removeprefix("gitdir: ")
    except OSError:
        return ""
    folder = os.path.realpath(os.path.join(top, named))
    return "" if folder == top or folder.startswith(top + "/") else folder


def _has_submodules(top: str, folder: str) -> bool:
    """What cannot be read may hold one."""
    if os.path.lexists(top + "/.gitmodules"):
        return True
    try:
        names = [name for name in os.listdir(folder) if name.startswith(("index", "sharedindex."))]
        return any(_LINK in _bytes(f"{folder}/{name}") for name in names)
    except OSError:
        return True


def _bytes(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()
