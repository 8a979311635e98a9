"""What installing into a client means: its own commands, or entries in its settings file."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..core.errors import Conflict
from ..store import atomic
from ..store.codec import dumps_pretty, loads
from ..store.paths import MANIFEST

NAME = "ultrawork"
LAUNCHER = "${CLAUDE_PLUGIN_ROOT}/bin/ultrawork-hook"
# Our marketplace's name of the plugin.
PLUGIN = f"{NAME}@{NAME}"

Settings = dict[str, Any]


@dataclass(frozen=True, slots=True)
class SettingsEdit:
    """`put` adds our entry to a settings file; `take` removes it and returns whether it was there."""

    path: str
    says: str
    put: Callable[[Settings], None]
    take: Callable[[Settings], bool]


@dataclass(frozen=True, slots=True)
class ClientInstall:
    """`commands` are words for the client's own program, `removal` those that undo them; `watched` are files and
    folders that these may write, `noise` those that the client manages itself. `caches` are left by the client."""

    commands: tuple[tuple[str, ...], ...] = ()
    removal: tuple[tuple[str, ...], ...] = ()
    watched: tuple[str, ...] = ()
    noise: tuple[str, ...] = ()
    caches: tuple[str, ...] = ()
    edits: tuple[SettingsEdit, ...] = field(default=())
    note: str = ""


def find_marketplace(root: str) -> str:
    """The folder that clients install from; empty if this program is not part of a clone."""
    above = os.path.dirname(root)
    return above if os.path.isfile(f"{above}/{MANIFEST}/marketplace.json") else ""


def find_launcher(root: str) -> str:
    """Return the launcher of our hooks; empty in an installed package, whose code is elsewhere."""
    path = LAUNCHER.replace("${CLAUDE_PLUGIN_ROOT}", root)
    return path if os.path.isfile(path) and os.path.isdir(f"{root}/src") else ""


def apply_put(edit: SettingsEdit) -> None:
    text = render_put(edit)
    os.makedirs(os.path.dirname(edit.path), exist_ok=True)
    mode = os.stat(edit.path).st_mode & 0o777 if os.path.exists(edit.path) else 0o600
    atomic.write(edit.path, text, mode=mode)


def render_put(edit: SettingsEdit) -> str:
    """Return the settings file with our entry in it."""
    settings = _load(edit)
    edit.put(settings)
    return dumps_pretty(settings)


def has_taken_out(edit: SettingsEdit) -> bool:
    """Remove our entry from a file that others have changed since; False if it is not there."""
    settings = _load(edit)
    if not edit.take(settings):
        return False
    atomic.write(edit.path, dumps_pretty(settings), mode=os.stat(edit.path).st_mode & 0o777)
    return True


def _load(edit: SettingsEdit) -> Settings:
    try:
        with open(edit.path, encoding="utf-8") as file:
            document = loads(file.read() or "{}")
    except FileNotFoundError:
        return {}
    except (OSError, ValueError):
        document = None
    if not isinstance(document, dict):
        raise Conflict(f"{edit.path} is not plain JSON; change it by hand: {edit.says}")
    return document


def make_entry_edit(path: str, keys: tuple[str, ...], value: Any, says: str) -> SettingsEdit:
    """Return an edit for our entry below a key that may hold others' entries."""

    def put(settings: Settings) -> None:
        for key in keys[:-1]:
            settings = settings.setdefault(key, {})
        settings[keys[-1]] = value

    def take(settings: Settings) -> bool:
        return _take_entry(settings, keys)

    return SettingsEdit(path, says, put, take)


def _take_entry(settings: Settings, keys: tuple[str, ...]) -> bool:
    if len(keys) == 1:
        return settings.pop(keys[0], None) is not None
    inner = settings.get(keys[0])
    if not isinstance(inner, dict) or not _take_entry(inner, keys[1:]):
        return False
    if not inner:
        del settings[keys[0]]
    return True


def find_folder(environ: Mapping[str, str], variable: str, below: str) -> str:
    """Return a client's own folder, by its variable or below the home."""
    return (environ.get(variable) or f"{environ.get('HOME', '')}/{below}").rstrip("/")
