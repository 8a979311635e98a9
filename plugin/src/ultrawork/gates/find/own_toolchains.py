"""The user's own toolchains: files in `.ultrawork/toolchains` of the repository or the home folder.

They have the same form as the built-in ones. What they make ultrawork run is a check like any other: it is shown, it
needs consent, and its file belongs to its definition."""

import os
from collections.abc import Mapping
from tomllib import TOMLDecodeError, load
from typing import Any, Protocol

from ...core.errors import UltraworkError
from ...core.toolchains import schema, toolchain

FOLDER = ".ultrawork/toolchains"
_ENDING = ".toml"
_MOST = 100


class ProjectFiles(Protocol):
    """The methods of a project folder that are used here."""

    def exists(self, name: str) -> bool: ...
    def names(self, folder: str = ".") -> list[str]: ...
    def read_toml(self, name: str) -> dict[str, Any]: ...
    def leave_out(self, name: str, why: str) -> None: ...


def read_own_toolchains(root: ProjectFiles) -> toolchain.Toolchains:
    """Return all toolchains of a project: its own take precedence over the home folder's, those over the built-in
    ones."""
    own = {**_read_home(root, os.environ), **_read_project(root)}
    return toolchain.extend(own)


def _read_project(root: ProjectFiles) -> dict[str, dict[str, Any]]:
    if not root.exists(FOLDER):
        return {}
    tables: dict[str, dict[str, Any]] = {}
    for name in [entry for entry in root.names(FOLDER) if entry.endswith(_ENDING)][:_MOST]:
        tables |= _flatten(root, f"{FOLDER}/{name}", root.read_toml(f"{FOLDER}/{name}"))
    return tables


def _read_home(root: ProjectFiles, environ: Mapping[str, str]) -> dict[str, dict[str, Any]]:
    folder = f"{environ.get('HOME', '')}/{FOLDER}"
    tables: dict[str, dict[str, Any]] = {}
    if not environ.get("HOME") or not os.path.isdir(folder):
        return tables
    for name in [entry for entry in sorted(os.listdir(folder)) if entry.endswith(_ENDING)][:_MOST]:
        try:
            with open(f"{folder}/{name}", "rb") as file:
                tables |= _flatten(root, f"~/{FOLDER}/{name}", load(file))
        except (OSError, TOMLDecodeError, UnicodeDecodeError) as error:
            root.leave_out(f"~/{FOLDER}/{name}", f"cannot be read: {error}")
    return tables


def _flatten(root: ProjectFiles, path: str, table: Mapping[str, Any]) -> dict[str, Any]:
    """Return the flat table; empty, with a note, if the file is invalid."""
    try:
        schema.check_toolchain(table, path)
    except UltraworkError as error:
        root.leave_out(path, str(error))
        return {}
    stem = path.rpartition("/")[2].removesuffix(_ENDING)
    return toolchain.split_file(stem, table, path)
