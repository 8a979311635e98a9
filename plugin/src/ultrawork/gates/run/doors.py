"""Reach programs that a check starts through make and scripts.

A run passes options in variables. If a recipe sets those itself, or a program accepts only arguments, a program of the
same name comes first on the PATH, adds what is missing and replaces itself with the real one."""

import os
import shlex
from collections.abc import Mapping

from ...core.verdict.gate import Gate
from ...store.codec import loads
from ...system.program import find_program

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
