"""The surroundings of a check: its variables, its needs, files that shadow its runner, and what is passed to programs
that it starts through make and scripts.

A run passes options in variables. If a recipe sets those itself, or a program accepts only arguments, a program of the
same name comes first on the PATH, adds what is missing and replaces itself with the real one."""

import os
import shlex
import socket
from collections.abc import Iterable, Iterator, Mapping
from re import fullmatch

from ...core.agent_variables import remove_agent_variables
from ...core.toolchains.toolchain import get_built_in
from ...core.verdict.gate import TEST, Gate
from ...store.codec import loads
from ...system.process_tree import MARK
from ...system.program import find_program
from ..trees.scratch import VENVS

_KNOWN = get_built_in()
_OURS = "ULTRAWORK_"
# What an outer run left behind, or what would make a result depend on the caller; toolchains define the rest.
_OUTER = frozenset(
    (
        "FORCE_COLOR", "CLICOLOR_FORCE", "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY",
        "GIT_PREFIX", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_COMMON_DIR", "GIT_NAMESPACE",
        *_KNOWN.gather("cleared"),
    )
)  # fmt: skip
_WATCHES = _KNOWN.gather("watches")
_PYTHON_SITE = ("sitecustomize", "usercustomize")
_CONNECT = 1.0
_SHELL_WORDS = frozenset((".", ":", "cd", "command", "eval", "exec", "exit", "export", "set", "source", "time"))


def build_environment(gate: Gate, root: str, environ: Mapping[str, str]) -> dict[str, str]:
    """Return the given variables without the agent's, with the project's programs first on the PATH."""
    declared = {need[4:] for need in gate.needs if need.startswith("env:")}
    agent_variables = remove_agent_variables(environ, declared)
    env = {name: value for name, value in agent_variables.items() if _is_handed_on(name)}
    if gate.kind == TEST and _may_watch(gate):
        env["CI"] = "1"
    folders = list(_upwards(root, gate.where))
    venv = next((place for folder in folders if (place := _venv(folder))), None)
    if venv:
        env["VIRTUAL_ENV"] = venv
        env.pop("PYTHONHOME", None)
    own = [f"{folder}/node_modules/.bin" for folder in folders] + ([venv + "/bin"] if venv else [])
    present = [folder for folder in own if os.path.isdir(folder)]
    env["PATH"] = os.pathsep.join([*present, env.get("PATH", os.defpath)])
    env.update(gate.env)
    return env


def find_lacking(gates: Iterable[Gate], root: str, environ: Mapping[str, str]) -> dict[str, str]:
    """Return the program that is not there, by the name of its check. A lookup only: what a program starts itself is
    not followed."""
    return {
        gate.name: program
        for gate in gates
        if (program := _name_program(gate))
        and not has_program(program, os.path.join(root, gate.where), build_environment(gate, root, environ))
    }


def _name_program(gate: Gate) -> str:
    """Return the program that the check starts; of a shell's text only the first of plain words."""
    if tuple(gate.argv[:2]) != ("sh", "-c"):
        return gate.argv[0]
    words = gate.command.split()
    plain = words and fullmatch(r"[\w./@:+, -]+", gate.command) and words[0] not in _SHELL_WORDS
    return words[0] if plain else ""


def has_program(program: str, folder: str, env: Mapping[str, str]) -> bool:
    if "/" in program:
        return os.path.exists(os.path.join(folder, program))
    return find_program(program, env) is not None


def _may_watch(gate: Gate) -> bool:
    """Return whether the runner would wait for edits by default."""
    text = f"{gate.runner} {gate.command} {gate.definition}"
    return any(name in text for name in _WATCHES)


def _is_handed_on(name: str) -> bool:
    return name == MARK or not (name.startswith(_OURS) or name in _OUTER)


def _upwards(root: str, where: str) -> Iterator[str]:
    """Yield the folder a check runs in, and those above it up to the root."""
    folder = os.path.normpath(f"{root}/{where}")
    while folder.startswith(root + "/"):
        yield folder
        folder = os.path.dirname(folder)
    yield root


def _venv(folder: str) -> str | None:
    for name in VENVS:
        if os.access(f"{folder}/{name}/bin/python", os.X_OK):
            return f"{folder}/{name}"
    return None


def list_missing_needs(gate: Gate, env: Mapping[str, str]) -> list[str]:
    """Return the declared needs that are missing."""
    return [name for need in gate.needs if (name := _lacking(need, env))]


def _lacking(need: str, env: Mapping[str, str]) -> str:
    if need.startswith("tcp:"):
        address = need[4:]
        return "" if _answers(address) else address
    if need.startswith("env:"):
        return "" if env.get(need[4:]) else need[4:]
    return "" if find_program(need, env) else need


def _answers(address: str) -> bool:
    host, _, port = address.rpartition(":")
    try:
        with socket.create_connection((host.strip("[]"), int(port)), timeout=_CONNECT):
            return True
    except (OSError, ValueError, OverflowError):
        return False


def find_shadows(gate: Gate, root: str) -> list[str]:
    """Return files of the project, from its root, that are loaded in place of the runner or before it."""
    where = os.path.normpath(gate.where)
    folders = ["."] if where == "." else [".", where]
    paths = []
    for folder in folders:
        paths += [f"{folder}/{name}" for name in _list_shadowing(gate)]
    modules = [os.path.normpath(path) for path in paths if os.path.isfile(f"{root}/{path}")]
    return [path.removesuffix("/__init__.py") for path in modules]


def _list_shadowing(gate: Gate) -> list[str]:
    """Return file names that shadow the runner; of any runner if it is unknown, because make and scripts hide it."""
    names = []
    for name, table in _KNOWN.tables.items():
        ecosystem = _KNOWN.ecosystems[table["family"]]
        if name == gate.runner or not gate.runner:
            shadows = [*table.get("shadows", ())]
            shadows += _PYTHON_SITE if shadows and ecosystem.name == "python" else ()
            names += [shadow + end for shadow in shadows for end in ecosystem.module_files]
    return list(dict.fromkeys(names))


# Which tests to run, by runner; read by `inside` in each interpreter, and by the wrappers below.
ONLY = "ULTRAWORK_ONLY"
# Interpreters of a project load this folder, because it comes first on their path.
INSIDE = os.path.dirname(os.path.abspath(__file__)) + "/inside"
_PYTHONS = ("python", "python3", "pytest")
_PYTHON_DOOR = """#!/bin/sh
case ":$PYTHONPATH:" in
  *":{inside}:"*) ;;
  *) export PYTHONPATH="{inside}${{PYTHONPATH:+:$PYTHONPATH}}" ;;
esac
exec {real} "$@"
"""
_NODE_DOOR = """#!/bin/sh
for word do
  if test "$word" = --test; then
    exec {real} --test-name-pattern={told} "$@"
  fi
done
exec {real} "$@"
"""
_CARGO_DOOR = """#!/bin/sh
tests=
for word do
  case "$word" in
    test | t) tests=1 ;;
    --) exec {real} "$@" {told} ;;
  esac
done
if test -n "$tests"; then
  exec {real} "$@" -- {told}
fi
exec {real} "$@"
"""


def lead_inside(env: Mapping[str, str], gate: Gate, folder: str) -> dict[str, str]:
    """Return the variables of a narrowed run whose runner is not the check's own command."""
    selection = loads(env[ONLY]) if ONLY in env else {}
    if not selection:
        return dict(env)
    os.makedirs(folder, exist_ok=True)
    texts = {}
    if "unittest" in selection:
        named = "PYTHONPATH" in f"{gate.command} {gate.definition}"
        # For recipes that set the variable themselves (`PYTHONPATH=src pytest`).
        texts = dict.fromkeys(_PYTHONS, _PYTHON_DOOR) if named else {}
    if "node" in selection:
        texts["node"] = _NODE_DOOR
    if "cargo" in selection:
        texts["cargo"] = _CARGO_DOOR
    words = {name: " ".join(map(shlex.quote, selection.get(name, ()))) or "''" for name in texts}
    paths = [INSIDE, *filter(None, [env.get("PYTHONPATH")])] if "unittest" in selection else []
    path = {"PYTHONPATH": os.pathsep.join(paths)} if paths else {}
    return {**env, **path, **_lay_doors(texts, env, folder, words)}


def _lay_doors(
    doors: Mapping[str, str], env: Mapping[str, str], folder: str, words: Mapping[str, str]
) -> dict[str, str]:
    """Write a wrapper for each existing program with the `words` it adds; return the PATH that leads to them."""
    programs = {name: find_program(name, env) for name in doors}
    for name, real in programs.items():
        if real is not None:
            place = shlex.quote(os.path.abspath(real))
            arguments = words.get(name, "''")
            text = doors[name].format(inside=INSIDE, real=place, told=arguments)
            with open(f"{folder}/{name}", "w", encoding="utf-8") as file:
                file.write(text)
            os.chmod(f"{folder}/{name}", 0o700)
    path = os.pathsep.join([folder, env.get("PATH", os.defpath)])
    return {"PATH": path} if any(programs.values()) else {}
