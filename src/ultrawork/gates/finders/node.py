"""Node: package scripts first, else the runner, linter or type checker that is configured."""

import re

from ...core.gate import LINT, TEST, TYPES
from .candidate import Candidate, of_command
from .package import FILE, dependencies, manager, run
from .place import Place
from .scripts import SCRIPT_NAMES, checks
from .settings import configured
from .trail import book

FAMILY = "node"
_RUNNERS = {
    "vitest": ("vitest", "run"),
    "jest": ("jest",),
    "mocha": ("mocha",),
    "ava": ("ava",),
    "tap": ("tap",),
}
_LINTERS = {"eslint": ("eslint", "."), "biome": ("biome", "check", "."), "xo": ("xo",)}
_CHECKERS = {"vue-tsc": ("vue-tsc", "--noEmit"), "svelte-check": ("svelte-check",)}
_PACKAGES = {"biome": "@biomejs/biome"}
_TEST_FILE = re.compile(r".*[.-]test\.[cm]?[jt]sx?|test-.*\.[cm]?js|test\.[cm]?js")
_SOLUTION = re.compile(r'"files"\s*:\s*\[\s*\]')
_VERSION = re.compile(r"(\d+)\.(\d+)")
BUILDS_WITHOUT_WRITING = (5, 6)


def find(place: Place) -> list[Candidate]:
    if not place.exists(FILE):
        return []
    scripts = book(place, "npm")
    found = []
    if scripts:
        found = checks(place, scripts, SCRIPT_NAMES, lambda name: run(place, name))
    scripted = {candidate.gate.kind for candidate in found}
    for kind, look in ((TEST, _runner), (LINT, _linter), (TYPES, _checker)):
        found += [] if kind in scripted else look(place)
    return found


def program(place: Place, name: str) -> list[str]:
    """The words that start a program from node_modules."""
    if place.upward(".pnp.cjs"):
        return ["yarn", "run", name]
    found = place.upward(f"node_modules/.bin/{name}")
    return [found or f"node_modules/.bin/{name}"]


def _runner(place: Place) -> list[Candidate]:
    asked = dependencies(place)
    for runner, words in _RUNNERS.items():
        if runner in asked:
            argv = [*program(place, words[0]), *words[1:]]
            return [_gate(place, TEST, argv, f"{runner} is a dependency in {FILE}")]
    example = _example(place)
    if not example:
        return []
    argv = ["bun", "test"] if manager(place) == "bun" else ["node", "--test"]
    return [_gate(place, TEST, argv, f"tests for the built-in runner, such as {example}")]


def _example(place: Place) -> str:
    for folder in ("", "test/", "tests/", "src/"):
        for name in place.names(folder or "."):
            if _TEST_FILE.fullmatch(name):
                return folder + name
    return ""


def _linter(place: Place) -> list[Candidate]:
    for tool, words in _LINTERS.items():
        setting = configured(place, tool)
        if setting:
            argv = [*program(place, words[0]), *words[1:]]
            return [_gate(place, LINT, argv, f"{tool} is configured", setting.file)]
    return []


def _checker(place: Place) -> list[Candidate]:
    text = place.read("tsconfig.json")
    asked = dependencies(place)
    if text is None:
        return []
    for tool, words in _CHECKERS.items():
        if tool in asked:
            argv = [*program(place, words[0]), *words[1:]]
            return [_gate(place, TYPES, argv, f"{tool} is a dependency", "tsconfig.json")]
    if "typescript" not in asked and not place.upward("node_modules/.bin/tsc"):
        place.leave("tsc", "tsconfig.json is there, but typescript is no dependency")
        return []
    return _tsc(place, text, asked.get("typescript", ""))


def _tsc(place: Place, text: str, version: str) -> list[Candidate]:
    options = ["--noEmit"]
    if _SOLUTION.search(text) and '"references"' in text:
        found = _VERSION.search(version)
        if not found or (int(found[1]), int(found[2])) < BUILDS_WITHOUT_WRITING:
            place.leave("tsc", "this tsconfig.json can only be built, which would write files")
            return []
        options = ["-b", "--noEmit"]
    argv = [*program(place, "tsc"), *options]
    return [_gate(place, TYPES, argv, "typescript is configured", "tsconfig.json")]


def _gate(place: Place, kind: str, argv: list[str], reason: str, file: str = FILE) -> Candidate:
    source = file.rpartition("/")[2]
    reason = reason if source in reason or kind == TEST else f"{reason} in {source}"
    return of_command(place, FAMILY, kind, argv, source=source, reason=reason)
