"""What earlier systems of this family left on a machine: ultrapower, oh-my-claudecode, hardworker."""

import os
from collections.abc import Iterator
from dataclasses import dataclass

from ..clients.find import list_client_plugins
from ..core.wording import count_things
from ..store import checkouts, legacy
from ..system.files import read_bytes
from .environment import VerbEnvironment

_PLUGINS = {"ultrapower": "ultrapower", "oh-my-claudecode": "oh-my-claudecode"}
_OWN = "ultrawork"
_FOREIGN_MARKET = "/hardworker-marketplace/"
# What their installers wrote into the user's own files.
_HOOKS = (b"persistent-mode.mjs", b"keyword-detector.mjs")
_GUIDE = b"<!-- OMC:START -->"
_LEVEL = b"nforcementLevel"


@dataclass(frozen=True, slots=True)
class MigrationFinding:
    """`is_conflict` if it works against us; `is_taken` if `doctor --fix` takes it over."""

    what: str
    cure: str
    is_conflict: bool = False
    is_taken: bool = False

    @property
    def line(self) -> str:
        return f"{self.what}: {self.cure}"


def list_findings(env: VerbEnvironment) -> list[MigrationFinding]:
    return [*_list_plugins(env), *_list_files(env), *_list_project(env), *_list_sessions(env)]


def _list_plugins(env: VerbEnvironment) -> Iterator[MigrationFinding]:
    for name, path in list_client_plugins(env.environ.get("HOME", "")):
        known = _PLUGINS.get(name)
        if name == _OWN and _FOREIGN_MARKET in path:
            known = "hardworker-marketplace's ultrawork"
        if known:
            yield MigrationFinding(
                f"{known} is installed and also decides when a session may stop; keep one of the two",
                f"claude plugin uninstall {name}",
                is_conflict=True,
            )


def _list_files(env: VerbEnvironment) -> Iterator[MigrationFinding]:
    folder = f"{env.environ.get('HOME', '')}/.claude"
    if any(mark in read_bytes(f"{folder}/settings.json") for mark in _HOOKS):
        yield MigrationFinding(
            f"{folder}/settings.json still starts hooks of oh-my-claudecode at every event",
            "remove its entries under hooks",
            is_conflict=True,
        )
    if _GUIDE in read_bytes(f"{folder}/CLAUDE.md"):
        yield MigrationFinding(
            f"{folder}/CLAUDE.md carries the guide of oh-my-claudecode into every conversation",
            "delete the lines from OMC:START to OMC:END",
            is_conflict=True,
        )
    if _LEVEL in read_bytes(f"{folder}/.omc-config.json"):
        yield MigrationFinding(
            f"{folder}/.omc-config.json sets how strictly edits are left to agents",
            "the same here: ultrawork features on delegation=strict",
        )


def _list_project(env: VerbEnvironment) -> Iterator[MigrationFinding]:
    """`.omc` has the same layout here: notes, memory and plans are read as they are once features are on."""
    folder = f"{env.place}/.omc"
    names = [name for name in ("notepad.md", "project-memory.json", "plans") if os.path.exists(f"{folder}/{name}")]
    if names and not checkouts.read_features(env.store.home, env.place):
        yield MigrationFinding(
            f"{folder} holds {', '.join(names)} of an earlier system; they are used as they are",
            "ultrawork features on",
        )


def _list_sessions(env: VerbEnvironment) -> Iterator[MigrationFinding]:
    old = list_old_sessions(env)
    if old:
        yield MigrationFinding(
            f"{count_things(len(old), 'session')} of hardworker's ultrawork can be imported",
            f"ultrawork session import {env.store.home.root}",
            is_taken=True,
        )


def list_old_sessions(env: VerbEnvironment) -> list[str]:
    """Return session folders in an earlier layout that the database does not know yet."""
    if not os.path.exists(env.store.home.database):
        return legacy.find_sessions(env.store.home.root)
    known = {name for (name,) in env.store.database.rows("SELECT id FROM sessions")}
    sessions = legacy.find_sessions(env.store.home.root)
    return [path for path in sessions if os.path.basename(path) not in known]
