"""Fingerprint what checks use: programs on the PATH and their versions, packages installed beside the project, their
runners, and this program. Taken when a session begins; differences at a verdict are reported.

Small files are hashed, large ones use size and time, packages the sizes and times of their sources. Versions are cached
per program file."""

import os
import re
from collections.abc import Iterable, Mapping
from glob import escape, glob

from ...core.errors import UltraworkError
from ...core.toolchains.toolchain import get_built_in
from ...core.verdict.gate import Gate
from ...store import atomic, codec
from ...store.codec import digest
from ...store.paths import find_home
from ...system.program import find_program
from .environment import build_environment

_KNOWN = get_built_in()
_MOST = 4
_DEADLINE = 10.0


def read_versions(gate: Gate, root: str, environ: Mapping[str, str]) -> dict[str, str]:
    """Return `{"make": "4.3", "python": "3.12.4"}`; programs that report no version are left out."""
    env = build_environment(gate, root, environ)
    memory = _Memory(environ)
    versions = {}
    for name in list_named_programs(gate):
        program = find_program(name, env)
        version = memory.version(name, program, root, env) if program else ""
        if version:
            versions["python" if name == "python3" else name] = version
    memory.keep()
    return versions


def list_named_programs(gate: Gate) -> list[str]:
    """Return the programs that the command names, and their languages."""
    words = [os.path.basename(word) for word in f"{' '.join(gate.argv)} {gate.command}".split()]
    families = _find_families()
    named = [word for word in dict.fromkeys([*words, gate.runner]) if word in families]
    programs, packages = _KNOWN.gather("programs"), _KNOWN.collect("package")
    direct = [name for name in named if name in programs or name in packages]
    beneath = [_KNOWN.ecosystems[families[name]].runtime for name in named]
    wanted = dict.fromkeys([*direct, *(name for name in beneath if name)])
    if "python3" in wanted:
        wanted.pop("python", None)
    return list(wanted)[:_MOST]


def _find_families() -> dict[str, str]:
    """Program or toolchain -> the ecosystem that it belongs to."""
    families = {name: str(table["family"]) for name, table in _KNOWN.tables.items()}
    managers = {program: name for name, row in _KNOWN.ecosystems.items() for program in row.programs}
    runtimes = {row.runtime: name for name, row in _KNOWN.ecosystems.items() if row.runtime}
    return {**families, **managers, **runtimes}


class _Memory:
    def __init__(self, environ: Mapping[str, str]) -> None:
        self._changed = False
        self._versions: dict[str, str] = {}
        try:
            self._path = find_home(environ).cache + "/tools.json"
            with open(self._path, encoding="utf-8") as file:
                self._versions = codec.loads(file.read())
        except UltraworkError:
            self._path = ""
        except (OSError, ValueError):
            pass

    def version(self, name: str, program: str, root: str, env: Mapping[str, str]) -> str:
        key = _key(program, root)
        if key not in self._versions:
            self._versions[key] = _ask(name, program, root, env)
            self._changed = True
        return self._versions[key]

    def keep(self) -> None:
        if not self._changed or not self._path:
            return
        try:
            os.makedirs(os.path.dirname(self._path), mode=0o700, exist_ok=True)
            atomic.write(self._path, codec.dumps(dict(list(self._versions.items())[-500:])))
        except OSError:  # it is asked again next time
            pass


def _key(program: str, root: str) -> str:
    """Return the cache key; a shim is another program in each project."""
    info = os.stat(program)
    where = f" in {root}" if "/shims/" in program else ""
    return f"{program} {info.st_mtime_ns} {info.st_size}{where}"


def _ask(name: str, program: str, root: str, env: Mapping[str, str]) -> str:
    from ...system.process import run_program

    ecosystem = _KNOWN.ecosystems[_find_families()[name]]
    question = (ecosystem.asks_version if name == ecosystem.runtime else "") or "--version"
    program_run = run_program([program, question], cwd=root, env=env, deadline=_DEADLINE, output_limit=4000)
    number = re.search(r"\d+\.\d+(?:\.\d+)*[\w.+-]*", program_run.output) if program_run.exit == 0 else None
    return number[0] if number else ""


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
