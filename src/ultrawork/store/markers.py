"""
Small files that tell a shell, without a database, whether a session is on.

Arming leaves two markers, one in the state folder and one in the client's folder for the plugin; the
switch is a third file that only a person's word makes. A shell tests them with `[ -e … ]`.
"""

import os

from . import atomic
from .fast import dumps, loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from .paths import Home

ACTIVE = "active"
OFF = "off"


def _folders(home: "Home", environ: "Mapping[str, str]") -> list[str]:
    data = environ.get("CLAUDE_PLUGIN_DATA", "")
    return [
        f"{home.root}/{ACTIVE}",
        *([f"{data.rstrip('/')}/{ACTIVE}"] if data.startswith("/") else []),
    ]


def arm(
    home: "Home", environ: "Mapping[str, str]", session: str, content: "dict[str, Any]"
) -> None:
    for folder in _folders(home, environ):
        os.makedirs(folder, mode=0o700, exist_ok=True)
        atomic.write(f"{folder}/{session}", dumps(content) + "\n")
    _remove(f"{home.root}/{OFF}/{session}")


def disarm(home: "Home", environ: "Mapping[str, str]", session: str) -> None:
    for folder in _folders(home, environ):
        _remove(f"{folder}/{session}")


def armed(home: "Home", session: str) -> bool:
    return bool(session) and os.path.exists(f"{home.root}/{ACTIVE}/{session}")


def trouble(home: "Home", environ: "Mapping[str, str]", session: str) -> str:
    """What is wrong with an armed session's markers; empty when all is well."""
    for folder in _folders(home, environ):
        content = read(f"{folder}/{session}")
        if content is None:
            return "a marker of this session was removed or garbled"
    return ""


def content(home: "Home", session: str) -> "dict[str, Any] | None":
    return read(f"{home.root}/{ACTIVE}/{session}")


def read(path: str) -> "dict[str, Any] | None":
    try:
        with open(path, "rb") as file:
            value = loads(file.read(65536).decode("utf-8", "replace"))
    except (OSError, ValueError):
        return None
    return value if isinstance(value, dict) else None


def switch_off(home: "Home", session: str) -> None:
    """The person's switch: needs no lock, no database, no readable state."""
    os.makedirs(f"{home.root}/{OFF}", mode=0o700, exist_ok=True)
    with open(f"{home.root}/{OFF}/{session}", "w", encoding="utf-8"):
        pass


def switched_off(home: "Home", session: str) -> bool:
    return bool(session) and os.path.exists(f"{home.root}/{OFF}/{session}")


def _remove(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        pass
