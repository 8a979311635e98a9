"""
Answer a permission request: permit the commands of a small table, each logged before it is permitted. Give no opinion
on anything else.

git is permitted only in the project's own repository, and only if none of its settings names a program to start: git
obeys the settings of every repository that it looks into.
"""

import os

from ..core.permission import command_table
from ..store import log
from ..store.paths import PROJECT, find_checkout, read_git_link
from .event import Answer, Event

# Subcommands that read submodules, each of which has its own settings.
_DEEP = ("status", "diff", "log", "show")
# The mode of a submodule in any version of the index: 160000 in octal.
_LINK = b"\x00\x00\xe0\x00"


def may_ask_git(event: Event, subcommand: str) -> bool:
    top = find_checkout(event.environ.get(PROJECT) or event.cwd)
    if event.place != top or _looks_like_one(os.path.realpath(event.cwd), top):
        return False
    folder = _settings(top)
    if not folder or (subcommand in _DEEP and _has_submodules(top, folder)):
        return False
    return _names_no_program(folder)


def _looks_like_one(folder: str, top: str) -> bool:
    """Return whether git would take a folder between this one and the top for a repository."""
    while folder != top:
        if os.path.exists(folder + "/HEAD") and os.path.exists(folder + "/objects"):
            return True
        folder = os.path.dirname(folder)
    return False


def _settings(top: str) -> str:
    """Return the folder with the repository's index; empty if a worktree file leads to one inside the worktree."""
    if os.path.isdir(top + "/.git"):
        return top + "/.git"
    folder = os.path.realpath(os.path.join(top, read_git_link(top)))
    return "" if folder == top or folder.startswith(top + "/") else folder


def _names_no_program(folder: str) -> bool:
    """Return whether no setting names a program; an unreadable file may. git writes its index while it reads, and has
    a hook for that."""
    try:
        common = folder
        if os.path.exists(f"{folder}/commondir"):
            common = os.path.join(folder, _bytes(f"{folder}/commondir").decode().strip())
        texts = [
            _bytes(path).decode()
            for path in (f"{common}/config", f"{common}/config.worktree", f"{folder}/config.worktree")
            if os.path.lexists(path)
        ]
    except (OSError, ValueError):
        return False
    return all(map(command_table.are_harmless, texts)) and not os.path.lexists(f"{common}/hooks/post-index-change")


def _has_submodules(top: str, folder: str) -> bool:
    """Return whether there are submodules; an unreadable file may hold one."""
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


def decide(event: Event) -> Answer | None:
    """Permit, or give no opinion: then the client asks the user, or refuses without one."""
    command = command_table.read_command(event.text("tool_name"), event.mapping("tool_input"))
    kind = command_table.classify(command)
    if not kind or not _allowed(event, kind, command) or event.adapter.is_refused(event, command):
        return None
    facts = {"session": event.session, "place": event.place, "command": command, "as": kind}
    try:
        log.write_audit(event.home, "permitted", facts, event.environ, event.clock())
    except OSError:
        return None
    return Answer(permit=True)


def _allowed(event: Event, kind: str, command: str) -> bool:
    if kind == command_table.CHECK:
        return event.text("permission_mode") != "plan" and _consented(event, command)
    words = command_table.split_command(command)
    is_fine = words[:1] != ["git"] or may_ask_git(event, words[1])
    return is_fine and _stays_inside(event, words)


def _stays_inside(event: Event, words: list[str]) -> bool:
    """Return whether words that are files here really lead inside."""
    joins = [os.path.join(event.cwd, word) for word in words]
    real = [os.path.realpath(path) for path in joins if os.path.lexists(path)]
    return all(path == event.place or path.startswith(event.place + "/") for path in real)


def _consented(event: Event, command: str) -> bool:
    """Return whether the user allowed this command: a check executes what the agent wrote."""
    from ..store import receipts

    return os.path.exists(event.home.database) and receipts.is_allowed(event.store.database, event.place, command)
