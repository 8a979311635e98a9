"""The program of a session: a copy in the state folder, made when the session is turned on.

Hooks of a marketplace folder run from a live clone. A pull, another branch or a removed file there would change or
remove the judge during a session. `hooks.json` looks for the copy first."""

import os
from collections.abc import Iterator
from shutil import copy2, copytree, rmtree

from . import markers
from .codec import digest
from .paths import MANIFEST, Home, find_root

# What a hook needs: its launcher, its code, and the pages that it reads.
_PARTS = (MANIFEST, "agents", "bin", "content", "skills", "src")
_LEFT_OUT = ("__pycache__", "demo")
_OLD = 7 * 86400.0


def keep_copy(home: Home, session: str, now: float) -> None:
    """Make the copy of this very version if there is none yet, and let the session run on it."""
    root = find_root()
    if root.startswith(f"{_folder(home)}/") or not os.path.exists(f"{root}/bin/ultrawork-hook"):
        return
    paths = sorted(_list_files(root))
    copy = f"{_folder(home)}/{_name_version(root, paths)}"
    if not os.path.isdir(copy):
        for path in list_unused(home, now - _OLD):
            rmtree(path, ignore_errors=True)
            rmtree(f"{home.cache}/bytecode{path}", ignore_errors=True)
        _make_copy(home, root, paths, copy)
    markers.put_text(home, markers.PROGRAM, session, copy)


def _folder(home: Home) -> str:
    return f"{home.root}/programs"


def _list_files(root: str) -> Iterator[str]:
    for part in _PARTS:
        for folder, folders, files in os.walk(f"{root}/{part}"):
            folders[:] = [name for name in folders if name not in _LEFT_OUT]
            yield from (f"{folder[len(root) + 1 :]}/{name}" for name in files)


def _name_version(root: str, paths: list[str]) -> str:
    """Return a name by sizes and times: reading a thousand files would delay the prompt."""
    facts = ((path, os.stat(f"{root}/{path}")) for path in paths)
    lines = [f"{path} {fact.st_size} {fact.st_mtime_ns}" for path, fact in facts]
    return digest("\n".join([root, *lines]))[:16]


def _make_copy(home: Home, root: str, paths: list[str], copy: str) -> None:
    """Copy with existing bytecode, so that the first event does not compile it again."""
    unfinished = f"{copy}.{os.getpid()}"
    compiled = f"{home.cache}/bytecode"
    try:
        for path in paths:
            target = f"{unfinished}/{path}"
            os.makedirs(os.path.dirname(target), mode=0o700, exist_ok=True)
            copy2(f"{root}/{path}", target)
        os.rename(unfinished, copy)
    except FileExistsError:
        rmtree(unfinished, ignore_errors=True)  # another process was quicker
    except OSError:
        rmtree(unfinished, ignore_errors=True)
        raise
    _copy_compiled(f"{compiled}{root}/src", f"{compiled}{copy}/src")


def _copy_compiled(source: str, target: str) -> None:
    if os.path.isdir(source):
        copytree(source, target, dirs_exist_ok=True)


def list_unused(home: Home, before: float = float("inf")) -> list[str]:
    """Copies that no session runs on, last touched before a time."""
    used = set(markers.list_texts(home, markers.PROGRAM))
    try:
        with os.scandir(_folder(home)) as entries:
            old = [entry.path for entry in entries if entry.stat().st_mtime < before]
    except OSError:
        return []
    return [path for path in old if path not in used]
