"""What an agent program is logged in with on this machine, and which account that is, by a name that reveals no
secret.

Only local files are read; no one is asked. Two machines with one login get the same name."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ...store.codec import digest, loads
from ...system.files import read_bytes

_LETTERS = 8  # of a digest: enough to tell accounts apart, far too few to find what it was made of
_SALT = "the account of an ultrawork worker"


@dataclass(frozen=True, slots=True)
class Login:
    """What a program logs in with: one of the variables, one of the files in its folder, or a word in another. `keys`
    of the variables hold a key, which identifies one account; `named` are files, here or in the home, and where in
    them the account is. On a Mac it may be in the `keychain`, which would ask the user."""

    keys: tuple[str, ...]
    folder: tuple[str, str]
    files: tuple[str, ...]
    named: tuple[tuple[str, str], ...]
    switches: tuple[str, ...] = ()
    setting: tuple[str, str] = ("", "")
    keychain: bool = False


def has_login(known: Login | None, environ: Mapping[str, str]) -> bool:
    """Return whether it is logged in; an unknown program is trusted."""
    if known is None or any(environ.get(name) for name in (*known.keys, *known.switches)):
        return True
    if known.keychain and os.uname().sysname == "Darwin":
        return True
    folder = _find_folder(known, environ)
    if any(os.path.isfile(f"{folder}/{name}") for name in known.files):
        return True
    name, word = known.setting
    return bool(word) and word.encode() in read_bytes(f"{folder}/{name}")


def find_account(backend: str, known: Login | None, environ: Mapping[str, str], host: str) -> str:
    """Return a short name of the login; if the owner is unknown, the machine counts as its own account."""
    identity = _find_identity(known, environ) if known else ""
    return digest(f"{_SALT} {backend} {identity}")[:_LETTERS] if identity else host


def _find_identity(known: Login, environ: Mapping[str, str]) -> str:
    if any(environ.get(name) for name in known.switches):
        return ""  # paid by a cloud's own account, which its own settings know
    key = next((environ[name] for name in known.keys if environ.get(name)), "")
    if key:
        return key
    folders = (_find_folder(known, environ), environ.get("HOME", ""))
    identities = (_read(f"{folder}/{name}", path) for name, path in known.named for folder in folders)
    return next((identity for identity in identities if identity), "")


def _find_folder(known: Login, environ: Mapping[str, str]) -> str:
    variable, below = known.folder
    return environ.get(variable) or f"{environ.get('HOME', '')}/{below}"


def _read(path: str, keys: str) -> str:
    try:
        document: Any = loads(read_bytes(path).decode("utf-8", "replace"))
    except (OSError, ValueError):
        return ""
    for key in keys.split("."):
        document = document.get(key) if isinstance(document, dict) else None
    return document if isinstance(document, str) else ""
