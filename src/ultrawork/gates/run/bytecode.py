"""
Bytecode for one run: fresh for the project, kept for what is installed.

Python trusts a compiled file whose source has the same size and the same second of change. An edit can
have both, and the run would test the code before it. So compiled files of the project go to an empty
folder for each run. Those of the interpreter and of libraries are kept: making them takes seconds.
"""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence

from ...system.program import find_program
from ..trees.dependencies import VENVS

_SYSTEM = ("/usr", "/opt", "/Library", "/nix", "/home/linuxbrew", "/snap")
_HOME = (
    ".pyenv", ".local", ".cache", ".asdf", ".rye", ".conda", ".mise", ".virtualenvs", "Library",
    "anaconda3", "mambaforge", "micromamba", "miniconda3", "miniforge3",
)  # fmt: skip
_INNER = 500


def prepare(prefix: str, kept: str, roots: Sequence[str], environ: Mapping[str, str]) -> None:
    """Makes `prefix` a folder for PYTHONPYCACHEPREFIX; `roots` are the folders to compile anew."""
    os.makedirs(prefix, exist_ok=True)
    fresh = [os.path.realpath(root) for root in roots]
    linked: list[str] = []
    for folder in _libraries(environ):
        for part in _around(folder, fresh):
            if not _is_within(part, linked):
                _join(prefix, part, kept, part)
                linked.append(part)
    for venv in [f"{root}/{name}" for root in dict.fromkeys(fresh) for name in VENVS]:
        if os.path.isdir(venv) and not _is_within(venv, linked):
            _join(prefix, venv, kept, os.path.realpath(venv))


def _libraries(environ: Mapping[str, str]) -> Iterator[str]:
    yield from _SYSTEM
    if home := environ.get("HOME", ""):
        yield from (f"{home}/{name}" for name in _HOME)
    for name in ("python3", "python"):
        if program := find_program(name, environ):
            yield _above(os.path.realpath(program))
            if os.path.isfile(_above(program) + "/pyvenv.cfg"):
                yield _above(program)


def _above(program: str) -> str:
    return os.path.dirname(os.path.dirname(program))


def _around(folder: str, fresh: Sequence[str]) -> Iterator[str]:
    """The folder, or, where a folder to compile anew lies inside, all the others in it."""
    if folder in fresh or folder == "/" or not os.path.isdir(folder):
        return
    if not _holds(folder, fresh):
        yield folder
        return
    for name in os.listdir(folder)[:_INNER]:
        inner = f"{folder}/{name}"
        if not os.path.islink(inner):
            yield from _around(inner, fresh)


def _holds(folder: str, fresh: Iterable[str]) -> bool:
    return any(root.startswith(folder + "/") for root in fresh)


def _is_within(folder: str, others: Iterable[str]) -> bool:
    return any(folder == other or folder.startswith(other + "/") for other in others)


def _join(prefix: str, folder: str, kept: str, source: str) -> None:
    os.makedirs(kept + source, mode=0o700, exist_ok=True)
    os.makedirs(os.path.dirname(prefix + folder), exist_ok=True)
    os.symlink(kept + source, prefix + folder)
