"""Versions of the programs behind a check, cached per program file."""

import os
import re
from collections.abc import Mapping

from ...core.errors import UltraworkError
from ...core.toolchains.toolchain import get_built_in
from ...core.verdict.gate import Gate
from ...store import atomic, codec
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
