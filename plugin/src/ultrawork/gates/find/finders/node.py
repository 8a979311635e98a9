"""Node: package scripts first, else the configured runner, linter or type checker."""

from ....core.patterns import compile_late
from ....core.verdict.gate import LINT, TEST, TYPES
from ..candidate import FORMAT, SCRIPT_NAMES, Candidate, propose_command, propose_scripts
from ..folder import ProjectFolder
from ..recipes.recipe import PACKAGE_FILE, find_manager, list_dependencies, make_script_argv
from ..table import find_described
from ..trace import find_book

FAMILY = "node"
_TEST_FILE = compile_late(r".*[.-]test\.[cm]?[jt]sx?|test-.*\.[cm]?js|test\.[cm]?js")
_SOLUTION = compile_late(r'"files"\s*:\s*\[\s*\]')
_VERSION = compile_late(r"(\d+)\.(\d+)")
_MARKS = frozenset(("main", "module", "sideEffects", "type", "types"))
BUILDS_WITHOUT_WRITING = (5, 6)


def find(project: ProjectFolder) -> list[Candidate]:
    if not project.exists(PACKAGE_FILE) or not _is_package(project):
        return []
    scripts = find_book(project, "npm")
    candidates = []
    if scripts:
        candidates = propose_scripts(project, scripts, SCRIPT_NAMES, lambda name: make_script_argv(project, name))
    scripted = {candidate.gate.kind for candidate in candidates if candidate.slot != FORMAT}
    described = find_described(project, FAMILY, start=start_program)
    own = {kind: [candidate for candidate in described if _is_plain(candidate, kind)] for kind in (TEST, LINT, TYPES)}
    own[TEST] = own[TEST] or _find_built_in(project)
    own[TYPES] = own[TYPES] or _find_tsc(project)
    candidates += [candidate for kind, some in own.items() if kind not in scripted for candidate in some[:1]]
    formatted = any(candidate.slot == FORMAT for candidate in candidates)
    return (
        candidates if formatted else [*candidates, *(candidate for candidate in described if candidate.slot == FORMAT)]
    )


def _is_plain(candidate: Candidate, kind: str) -> bool:
    return candidate.gate.kind == kind and candidate.slot != FORMAT


def _is_package(project: ProjectFolder) -> bool:
    """Below the root a manifest may say no more than how its folder's modules are loaded."""
    return project.where == "." or not project.read_json(PACKAGE_FILE).keys() <= _MARKS


def make_program_argv(project: ProjectFolder, name: str) -> list[str]:
    """The words that start a program from node_modules."""
    if project.find_upward(".pnp.cjs"):
        return ["yarn", "run", name]
    upward = project.find_upward(f"node_modules/.bin/{name}")
    return [upward or f"node_modules/.bin/{name}"]


def start_program(project: ProjectFolder, _tool: str, argv: list[str]) -> list[str]:
    return [*make_program_argv(project, argv[0]), *argv[1:]]


def _find_built_in(project: ProjectFolder) -> list[Candidate]:
    example = _example(project)
    if not example:
        return []
    argv = ["bun", "test"] if find_manager(project) == "bun" else ["node", "--test"]
    reason = f"tests for the built-in runner, such as {example}"
    return [propose_command(project, FAMILY, TEST, argv, source=PACKAGE_FILE, reason=reason)]


def _example(project: ProjectFolder) -> str:
    for folder in ("", "test/", "tests/", "src/"):
        for name in project.names(folder or "."):
            if _TEST_FILE.fullmatch(name):
                return folder + name
    return ""


def _find_tsc(project: ProjectFolder) -> list[Candidate]:
    text = project.read("tsconfig.json")
    dependencies = list_dependencies(project)
    if text is None:
        return []
    if "typescript" not in dependencies and not project.find_upward("node_modules/.bin/tsc"):
        project.leave_out("tsc", "tsconfig.json exists, but typescript is not a dependency")
        return []
    return _tsc(project, text, dependencies.get("typescript", ""))


def _tsc(project: ProjectFolder, text: str, version: str) -> list[Candidate]:
    options = ["--noEmit"]
    if _SOLUTION.search(text) and '"references"' in text:
        match = _VERSION.search(version)
        if not match or (int(match[1]), int(match[2])) < BUILDS_WITHOUT_WRITING:
            project.leave_out("tsc", "this tsconfig.json only supports a build, which would write files")
            return []
        options = ["-b", "--noEmit"]
    argv = [*make_program_argv(project, "tsc"), *options]
    reason = "typescript is configured in tsconfig.json"
    return [propose_command(project, FAMILY, TYPES, argv, source="tsconfig.json", reason=reason)]
