"""Fingerprint what checks use: programs on the PATH, packages installed beside the project, their runners, and this
program. Taken when a session begins; differences at a verdict are reported.

Small files are hashed, large ones use size and time, packages the sizes and times of their sources."""

import os
from collections.abc import Iterable, Mapping
from glob import escape, glob

from ...core.toolchains.toolchain import get_built_in
from ...core.verdict.gate import Gate
from ...store.codec import digest
from ...system.program import find_program
from .environment import build_environment
from .versions import list_named_programs

OURSELVES = "ultrawork itself"
_PACKAGE = os.path.dirname(os.path.abspath(__file__)).rsplit("/", 2)[0]
_SHELL = ("sh",)
_STARTED_BY_PYTHON = ("*.pth", "sitecustomize*", "usercustomize*")
_SOURCES = (".py", ".js", ".cjs", ".mjs", ".so", ".node", ".sh")
_NOT_SOURCES = ("__pycache__", "node_modules")
_OWN_FILES = (".npmrc", ".pypirc", ".config/pip/pip.conf", ".config/go/env", ".cargo/config.toml", ".yarnrc.yml")
_SMALL = 65536
_MOST_FILES = 3000
_MOST_PROGRAMS = 500


def take_seals(place: str, environ: Mapping[str, str], gates: Iterable[Gate]) -> dict[str, str]:
    """Return the fingerprint of each thing, by its display name."""
    seals = {OURSELVES: _weigh(_PACKAGE)}
    home = environ.get("HOME", "")
    for gate in gates:
        env = build_environment(gate, place, environ)
        for name in (*_SHELL, *list_named_programs(gate)):
            program = find_program(name, env)
            seals[name] = f"{program} {_stamp(program)}" if program else ""
        for folder in env["PATH"].split(os.pathsep):
            # A shell profile may name a folder of the project that does not exist yet.
            if folder.startswith(place + "/") and os.path.isdir(folder):
                seals |= _seal_installed(place, os.path.dirname(folder), folder)
    if home:
        seals |= {f"~/{name}": _stamp(f"{home}/{name}") for name in _OWN_FILES}
        for site in glob(f"{escape(home)}/.local/lib/python3*/site-packages"):
            seals |= _seal_packages(site, "~/.local/…")
    return {name: seal for name, seal in seals.items() if seal}


def _seal_installed(place: str, top: str, programs: str) -> dict[str, str]:
    """Return a virtual environment or `node_modules`: its programs, and the runners among its packages."""
    shown = os.path.relpath(programs, place)
    names = sorted(os.listdir(programs))[:_MOST_PROGRAMS]
    seals = {f"{shown}/{name}": _stamp(f"{programs}/{name}") for name in names}
    for site in (top, *glob(f"{escape(top)}/lib/python3*/site-packages")):
        seals |= _seal_packages(site, f"{os.path.relpath(top, place)}/…")
    return seals


def _seal_packages(site: str, shown: str) -> dict[str, str]:
    started = [path for name in _STARTED_BY_PYTHON for path in glob(f"{escape(site)}/{name}")]
    seals = {f"{shown}/{os.path.basename(path)}": _stamp(path) for path in started}
    there = [name for name in get_built_in().gather("modules") if os.path.isdir(f"{site}/{name}")]
    return {**seals, **{f"{shown}/{name}": _weigh(f"{site}/{name}") for name in there}}


def _stamp(path: str) -> str:
    """Return a file's fingerprint; empty if it does not exist."""
    try:
        info = os.stat(path)
        if info.st_size > _SMALL:
            return f"{info.st_size} {info.st_mtime_ns}"
        with open(path, "rb") as file:
            return digest(file.read(_SMALL).decode("latin-1"))[:16]
    except OSError:
        return ""


def _weigh(folder: str) -> str:
    lines: list[str] = []
    _list_sources(folder, "", lines)
    return digest("\n".join(sorted(lines)))[:16]


def _list_sources(folder: str, below: str, lines: list[str]) -> None:
    """List sources with relative paths, so that a copy with the same sizes and times counts as the same program."""
    try:
        with os.scandir(folder) as scan:
            entries = list(scan)
    except OSError:
        return
    for entry in entries:
        if entry.name.endswith(_SOURCES) and len(lines) < _MOST_FILES:
            info = entry.stat(follow_symlinks=False)
            lines.append(f"{below}{entry.name} {info.st_size} {info.st_mtime_ns}")
        elif entry.name not in _NOT_SOURCES and entry.is_dir(follow_symlinks=False):
            _list_sources(entry.path, f"{below}{entry.name}/", lines)


def list_broken(before: Mapping[str, str], now: Mapping[str, str]) -> list[str]:
    """Return names of what changed, appeared or disappeared."""
    return [name for name in dict.fromkeys([*before, *now]) if before.get(name) != now.get(name)]
