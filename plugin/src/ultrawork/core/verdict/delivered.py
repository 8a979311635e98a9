"""Compare what is delivered with what a check saw: ignored files that lay beside it can make a check pass that fails on
the delivered files alone, and language servers may report errors in changed files now but not at the start."""

from collections.abc import Sequence
from re import MULTILINE, findall, finditer

from ..toolchains.toolchain import get_built_in
from ..value import Value, fresh
from ..wording import cut, name_some
from . import rules
from .gate import TEST, TYPES, Gate
from .gate_run import BROKEN, PASSED, GateResult
from .verdict import Finding

# One entry each: their installers manage what is inside.
DEPENDENCIES = frozenset((
    "node_modules", ".venv", "venv", "bower_components", "vendor", "deps", ".bundle", ".yarn", "Pods", "elm-stuff",
    "site-packages", "_build", ".direnv", ".pixi",
))  # fmt: skip
# Recreated on demand; code does not belong there, so it counts.
CACHES = frozenset((".ipynb_checkpoints", ".idea", ".vscode", ".omc", ".git", *get_built_in().gather("caches")))
# Caches that a build tool manages, with the manifest that declares it.
BUILD_CACHES = {"target": ("Cargo.toml", "pom.xml", "build.sbt"), "coverage": ("package.json",)}
_CODE = tuple(
    f".{ending}"
    for ending in ["py", "pth", "so", "js", "cjs", "mjs", "ts", "rb", "sh", "mk", "go", "rs", "c", "h", "java", "php"]
)
_LITTER = (".log", ".swp", ".swo", "~", ".tsbuildinfo", ".pid", ".DS_Store", ".lock")
_LOCKS = (
    "package.json", "package-lock.json", "npm-shrinkwrap.json", "pnpm-lock.yaml", "yarn.lock",
    "bun.lock", "bun.lockb", "pyproject.toml", "poetry.lock", "uv.lock", "Pipfile", "Pipfile.lock",
    "setup.py", "setup.cfg", "Gemfile", "Gemfile.lock", "composer.json", "composer.lock", "mix.exs",
    "mix.lock", "Cargo.toml", "Cargo.lock", "go.mod", "go.sum",
)  # fmt: skip
_INSTALLS = (
    "npm install", "npm i ", "npm ci", "npm add", "pnpm install", "pnpm i", "pnpm add", "yarn",
    "bun install", "bun add", "pip install", "pip3 install", "uv sync", "uv pip", "uv add", "uv venv",
    "poetry install", "poetry add", "pipenv install", "bundle install", "composer install",
    "mix deps", "-m venv", "virtualenv", "make setup", "make install", "pip-sync",
)  # fmt: skip
# Build output folders; code there may be generated, and tests may need it.
_OUTPUTS = frozenset(
    ["dist", "build", "out", "lib", "target", "bin", "obj", "generated", "gen", ".next", ".nuxt", "public"]
)
_STEERING = (".pyc", ".ini", ".cfg", ".toml", "akefile", ".npmrc")
NEW = "new"
CHANGED = "changed"
GONE = "gone"


class OutsidePath(Value):
    """A path outside all trees, and what happened to it since the start. `folder`: one entry for everything inside.
    `kept`: its state at the start is still known."""

    path: str
    became: str
    folder: bool = False
    kept: bool = False
    made_by_installer: bool = False


class OutsideFacts(Value):
    """What could explain such a path: changed files, recorded commands, and our own build."""

    changed: Sequence[str] = ()
    commands: Sequence[str] = ()
    built: frozenset[str] = fresh(frozenset)


def is_cache(parts: Sequence[str]) -> bool:
    """Return whether a path, in parts, is one that tools fill for themselves and that holds no code."""
    inside = not CACHES.isdisjoint(parts)
    name = parts[-1]
    if inside and not name.endswith(_CODE):
        return True
    return name.endswith(_LITTER) or name.startswith((".coverage", ".#")) or name in CACHES


def explain(moved: OutsidePath, facts: OutsideFacts) -> str:
    """Return why a path may have changed legitimately; empty if nothing explains it."""
    if moved.path in facts.built:
        return "written by the build"
    if not moved.folder:
        return ""
    lock = next((path for path in facts.changed if path.rpartition("/")[2] in _LOCKS), "")
    if lock:
        return f"with {lock}"
    if any(words in command for command in facts.commands for words in _INSTALLS):
        return "by an install"
    return "by an install" if moved.became == NEW and moved.made_by_installer else ""


def judge_copy(
    gate: str,
    paths: Sequence[str],
    *,
    now: GateResult,
    copy: GateResult,
    base: GateResult | None,
    own_files: bool,
    rebuilt: bool = False,
    label: str = "",
) -> Finding | None:
    """Read a check that counts here, run in a copy without these paths; `base` is the control, in a copy too. What
    fails in both says nothing about these paths: a copy may lack what a build makes, and where they were `rebuilt`,
    has it older than its code."""
    words = {"gate": gate, "check": label or gate, "paths": name_some(paths), "where": paths[0]}
    if copy.passes or not _differ(copy, now):
        return None if own_files else report_unread(gate, paths, "in a copy, the check loads code from another folder")
    steered = any(may_steer(path) for path in paths)
    shown = base is not None and _passes_any(base) and (steered or _differ(copy, base))
    if shown and not rebuilt:
        passes = now.passes
        words["here"] = "passes here, but fails" if passes else "fails in more tests"
        return rules.make_finding("not-delivered", receipt=copy.receipt, **words)
    why = f"`{words['check']}` does not pass without it"
    return report_unread(gate, paths, why, receipt=copy.receipt)


def is_output(path: str) -> bool:
    """Return whether a build may have written it, by its folder."""
    return bool(find_output_folder(path))


def find_output_folder(path: str) -> str:
    """Return the build output folder of this path; empty if it is in none."""
    parts = path.split("/")[:-1]
    ends = [number for number, part in enumerate(parts, 1) if part in _OUTPUTS]
    return "/".join(parts[: ends[0]]) if ends else ""


def may_steer(path: str) -> bool:
    """Return whether it is code or steers a tool, and no build's work: then what needs it is not in the tree."""
    return path.endswith((*_CODE, *_STEERING)) and not is_output(path)


def _differ(copy: GateResult, result: GateResult) -> bool:
    """Return whether a run fails where another does not; without names by colour alone."""
    if result.passes:
        return True
    if copy.report is None or result.report is None or not copy.report.failed:
        return copy.colour == BROKEN and result.colour != BROKEN
    return not set(copy.report.failed) <= set(result.report.failed)


def _passes_any(base: GateResult) -> bool:
    if base.passes:
        return True
    report = base.report
    if report is None or base.colour == BROKEN:
        return False
    return (report.ran or 0) > (report.failed_count or 0) or PASSED in report.outcomes.values()


def report_unread(gate: str, paths: Sequence[str], why: str, *, receipt: int | None = None) -> Finding:
    words = {"gate": gate, "paths": name_some(paths), "where": paths[0], "why": why}
    return rules.make_finding("not-delivered-unread", receipt=receipt, **words)


RULE = "error-free"
NAMED = 5
_WIDTH = 90
# About packages that the server cannot find, or their types: about the machine, not the change.
_ABOUT_INSTALLS = (
    "reportMissingImports", "reportMissingModuleSource", "reportMissingTypeStubs", "unresolved-import",
    "2307", "2792", "7016",
)  # fmt: skip
# Language -> checkers that report everything its server would.
_CHECKERS = {
    "Python": ("mypy", "pyright", "basedpyright", "pyre", "pytype", "ty"),
    "TypeScript and JavaScript": ("tsc", "vue-tsc", "svelte-check", "flow"),
}
# Languages in which every file is compiled before this runner's tests.
_COMPILED = {"Rust": "cargo"}


class CodeError(Value):
    path: str
    line: int
    code: str
    message: str

    def document(self) -> dict[str, object]:
        return {"path": self.path, "line": self.line, "code": self.code, "message": self.message}


def read_errors(output: str) -> list[CodeError]:
    """Return errors of the form `src/a.py:3:4 error [code] words`, one per line."""
    pattern = r"^([^\n]+?):(\d+):\d+ error(?: \[([^\]\n]*)\])? ([^\n]+)$"
    return [
        CodeError(path=match[1], line=int(match[2]), code=match[3] or "", message=match[4])
        for match in finditer(pattern, output, MULTILINE)
    ]


def find_new_errors(now: Sequence[CodeError], before: Sequence[CodeError]) -> list[CodeError]:
    """Return errors that the baseline did not have, by count; line numbers do not matter."""
    known = [(error.path, error.code, error.message) for error in before]
    errors = []
    for error in now:
        key = (error.path, error.code, error.message)
        if key in known:
            known.remove(key)
        elif error.code not in _ABOUT_INSTALLS:
            errors.append(error)
    return errors


def is_held_by_gate(language: str, gates: Sequence[Gate]) -> bool:
    """Return whether the project's own check of types is one for this language, or its tests are compiled with it."""
    if any(gate.kind == TEST and gate.runner == _COMPILED.get(language) for gate in gates):
        return True
    lines = [f"{gate.command} {gate.definition}" for gate in gates if gate.kind == TYPES]
    words = {word for text in lines for word in findall(r"[\w-]+", text)}
    return not words.isdisjoint(_CHECKERS.get(language, ()))


def judge_errors(new: Sequence[CodeError], receipt: int | None) -> list[Finding]:
    """Return notes worth a look: a project that requires such a checker runs it as its own check."""
    return [
        rules.make_finding(
            "new-error", where=f"{error.path}:{error.line}", said=cut(error.message, _WIDTH), receipt=receipt
        )
        for error in new[:NAMED]
    ]
