"""Node: package scripts first, else the runner, linter or type checker that is configured."""

from ....core.patterns import compile_late
from ....core.verdict.gate import LINT, TEST, TYPES
from ..candidate import (
    FORMAT,
    SCRIPT_NAMES,
    Candidate,
    propose_command,
    propose_configured,
    propose_scripts,
)
from ..folder import ProjectFolder
from ..recipes.package import PACKAGE_FILE, find_manager, list_dependencies, make_script_argv
from ..trace import find_book

FAMILY = "node"
MANIFESTS = (PACKAGE_FILE,)
_RUNNERS = {
    "vitest": ("vitest", "run"),
    "jest": ("jest",),
    "mocha": ("mocha",),
    "ava": ("ava",),
    "tap": ("tap",),
}
_LINTERS = {"eslint": ("eslint", "."), "biome": ("biome", "check", "."), "xo": ("xo",)}
_CHECKERS = {"vue-tsc": ("vue-tsc", "--noEmit"), "svelte-check": ("svelte-check",)}
_TEST_FILE = compile_late(r".*[.-]test\.[cm]?[jt]sx?|test-.*\.[cm]?js|test\.[cm]?js")
_SOLUTION = compile_late(r'"files"\s*:\s*\[\s*\]')
_VERSION = compile_late(r"(\d+)\.(\d+)")
_MARKS = frozenset(("main", "module", "sideEffects", "type", "types"))
BUILDS_WITHOUT_WRITING = (5, 6)


def find(project: ProjectFolder) -> list[Candidate]:
    if not project.exists(PACKAGE_FILE) or not _is_package(project):
        return []
    scripts = find_book(project, "npm")
    found = []
    if scripts:
        found = propose_scripts(
            project, scripts, SCRIPT_NAMES, lambda name: make_script_argv(project, name)
        )
    scripted = {candidate.gate.kind for candidate in found if candidate.slot != FORMAT}
    for kind, look in ((TEST, _runner), (LINT, _linter), (TYPES, _checker)):
        found += [] if kind in scripted else look(project)
    return found if any(one.slot == FORMAT for one in found) else [*found, *_formatter(project)]


def _is_package(project: ProjectFolder) -> bool:
    """Below the root a manifest may say no more than how its folder's modules are loaded."""
    return project.where == "." or not project.read_json(PACKAGE_FILE).keys() <= _MARKS


def make_program_argv(project: ProjectFolder, name: str) -> list[str]:
    """The words that start a program from node_modules."""
    if project.find_upward(".pnp.cjs"):
        return ["yarn", "run", name]
    found = project.find_upward(f"node_modules/.bin/{name}")
    return [found or f"node_modules/.bin/{name}"]


def _runner(project: ProjectFolder) -> list[Candidate]:
    asked = list_dependencies(project)
    for runner, words in _RUNNERS.items():
        if runner in asked:
            argv = [*make_program_argv(project, words[0]), *words[1:]]
            return [_gate(project, TEST, argv, f"{runner} is a dependency in {PACKAGE_FILE}")]
    example = _example(project)
    if not example:
        return []
    argv = ["bun", "test"] if find_manager(project) == "bun" else ["node", "--test"]
    return [_gate(project, TEST, argv, f"tests for the built-in runner, such as {example}")]


def _example(project: ProjectFolder) -> str:
    for folder in ("", "test/", "tests/", "src/"):
        for name in project.names(folder or "."):
            if _TEST_FILE.fullmatch(name):
                return folder + name
    return ""


def _linter(project: ProjectFolder) -> list[Candidate]:
    for tool, words in _LINTERS.items():
        argv = [*make_program_argv(project, words[0]), *words[1:]]
        found = propose_configured(project, FAMILY, LINT, tool, argv)
        if found:
            return found
    return []


def _formatter(project: ProjectFolder) -> list[Candidate]:
    if "prettier" not in list_dependencies(project):
        return []
    argv = [*make_program_argv(project, "prettier"), "--check", "."]
    return propose_configured(project, FAMILY, LINT, "prettier", argv, slot=FORMAT)


def _checker(project: ProjectFolder) -> list[Candidate]:
    text = project.read("tsconfig.json")
    asked = list_dependencies(project)
    if text is None:
        return []
    for tool, words in _CHECKERS.items():
        if tool in asked:
            argv = [*make_program_argv(project, words[0]), *words[1:]]
            return [_gate(project, TYPES, argv, f"{tool} is a dependency", "tsconfig.json")]
    if "typescript" not in asked and not project.find_upward("node_modules/.bin/tsc"):
        project.leave_out("tsc", "tsconfig.json is there, but typescript is no dependency")
        return []
    return _tsc(project, text, asked.get("typescript", ""))


def _tsc(project: ProjectFolder, text: str, version: str) -> list[Candidate]:
    options = ["--noEmit"]
    if _SOLUTION.search(text) and '"references"' in text:
        found = _VERSION.search(version)
        if not found or (int(found[1]), int(found[2])) < BUILDS_WITHOUT_WRITING:
            project.leave_out(
                "tsc", "this tsconfig.json can only be built, which would write files"
            )
            return []
        options = ["-b", "--noEmit"]
    argv = [*make_program_argv(project, "tsc"), *options]
    return [_gate(project, TYPES, argv, "typescript is configured", "tsconfig.json")]


def _gate(
    project: ProjectFolder, kind: str, argv: list[str], reason: str, file: str = PACKAGE_FILE
) -> Candidate:
    source = file.rpartition("/")[2]
    reason = reason if source in reason or kind == TEST else f"{reason} in {source}"
    return propose_command(project, FAMILY, kind, argv, source=source, reason=reason)
