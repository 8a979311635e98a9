"""A gate that a finder proposes, with what it was seen to run: a command, a configured tool, a named script."""

import posixpath
from collections.abc import Callable, Sequence

from ...core.value import Value
from ...core.verdict.gate import BUILD, LINT, TEST, TYPES, Gate
from ...store.codec import dumps
from .folder import ProjectFolder
from .recipes.recipe import Recipe, RecipeBook
from .settings import find_setting
from .shell import quote_words
from .trace import Trace, follow_recipe, follow_text

_WATCHERS = ("dev", "serve", "start", "watch")
# Programs that start a service: without them the check shows nothing.
_NEEDED = {"docker": "docker", "docker-compose": "docker", "podman": "podman"}


class Candidate(Value):
    """A proposed check. `family` is the ecosystem. `gate.name` becomes final once the choice is made. One check per
    kind and `slot` is kept for a family; a formatter has another slot than a linter."""

    family: str
    gate: Gate
    trace: Trace
    slot: str = ""

    def describe(self) -> str:
        """Return its command; for a loop over scripts, the first of them."""
        loop = self.family == "shell" and tuple(self.gate.argv[:2]) == ("sh", "-c")
        named = posixpath.relpath(self.gate.source, self.gate.where)
        return named if loop and self.gate.kind == TEST else self.gate.command

    def is_covered_by(self, candidate: "Candidate") -> bool:
        """True if the other one plainly runs all that this one would."""
        own = self.trace.recipes
        inside = bool(own) and next(iter(own)) in candidate.trace.recipes
        tools = self.trace.tools(self.gate.kind)
        return inside or (bool(tools) and tools <= candidate.trace.tools())


def propose_command(
    project: ProjectFolder,
    family: str,
    kind: str,
    argv: Sequence[str],
    *,
    source: str,
    reason: str,
    definition: str = "",
    text: str = "",
) -> Candidate:
    """Propose a command that no script contains; `text` is shell text that `argv` passes to sh."""
    trace = follow_text(project, text or quote_words(argv))
    return build_candidate(
        project, family, kind, argv, trace, source=source, reason=reason, definition=definition, command=text
    )


def propose_configured(
    project: ProjectFolder, family: str, kind: str, tool: str, argv: Sequence[str], *, slot: str = ""
) -> list[Candidate]:
    """Propose a tool that the project configures."""
    setting = find_setting(project, tool)
    if setting is None:
        return []
    source = setting.file.rpartition("/")[2]
    reason = f"{tool} is configured in {source}"
    candidate = propose_command(project, family, kind, argv, source=source, reason=reason)
    candidate.slot = slot
    return [candidate]


def propose_recipe(project: ProjectFolder, recipe: Recipe, kind: str, argv: Sequence[str]) -> Candidate | None:
    """Propose a script of the project. If there is an objection, note it and return None."""
    trace = follow_recipe(project, recipe)
    why = find_objection(trace, recipe, kind)
    if why:
        project.leave_out(quote_words(argv), why)
        return None
    reason = f"{recipe.book.noun} {recipe.name} in {recipe.file}"
    source = f"{recipe.file}:{recipe.line}"
    return build_candidate(project, recipe.book.family, kind, argv, trace, source=source, reason=reason)


def find_objection(trace: Trace, recipe: Recipe, kind: str) -> str:
    """Return why this script is not a check; "" if it may be one."""
    steps = [step for _, step in trace.steps]
    if recipe.parameters:
        return "needs arguments"
    if any("no test specified" in line for line in recipe.body):
        return "only prints that no test is specified"
    scripts = [(at, step.get_python_script()) for at, step in trace.steps]
    missing = next((script for at, script in scripts if script and not at.exists(script)), "")
    if missing and not trace.opaque:
        return f"starts {missing}, which does not exist"
    if trace.is_idle():
        return "only prints and checks nothing"
    if recipe.body and _is_forgetful(recipe.body[-1]):
        return "find -exec hides failures"
    if any(step.is_watching() for step in steps) or any(is_watcher(name) for _, _, name in trace.recipes):
        return "watches files and never ends"
    if kind == LINT and any(step.is_rewriting() for step in steps):
        return "rewrites files"
    return trace.explain_partial()


def _is_forgetful(line: str) -> bool:
    """`find … -exec … ;` starts programs one by one and forgets how each of them ended."""
    words = line.lstrip("@-+ \t").split()
    return words[:1] == ["find"] and "-exec" in words and words[-1] in ("\\;", "';'", '";"')


def build_candidate(
    project: ProjectFolder,
    family: str,
    kind: str,
    argv: Sequence[str],
    trace: Trace,
    *,
    source: str,
    reason: str,
    definition: str = "",
    command: str = "",
) -> Candidate:
    argv = [make_storable(word) for word in argv]
    command = make_storable(command or quote_words(argv))
    lines = trace.definition() if trace.recipes else [command, *trace.definition()]
    runner = find_runner(trace)
    own = find_own_toolchain(project, runner)
    lines += [f"[{own['origin']}] {dumps(own)}"] if own else []
    defined = [str(own["origin"])] if str(own.get("origin", "~")).startswith(".") else []
    gate = Gate(
        name="",
        kind=kind,
        argv=argv,
        command=command,
        source=project.path(source),
        reason=reason,
        definition=make_storable("\n".join([*lines, definition]).rstrip()),
        files=list(dict.fromkeys([project.path(source.partition(":")[0]), *trace.files(), *defined])),
        where=project.where,
        runner=runner,
        toolchain=own,
        needs=sorted({_NEEDED[p] for p in trace.programs() if p in _NEEDED}),
    )
    return Candidate(family, gate, trace)


def find_runner(trace: Trace) -> str:
    """Return the one test runner behind it; "" if none or several are seen."""
    tools = trace.tools(TEST) or {step.tool for _, step in trace.steps if step.kind == TEST}
    return tools.pop() if len(tools) == 1 else ""


def find_own_toolchain(project: ProjectFolder, runner: str) -> dict[str, object]:
    """Return what the repository or the user defines for a runner; empty for built-in toolchains."""
    known = project.toolchains
    return dict(known.tables[runner]) if runner in known.own else {}


def make_storable(text: str) -> str:
    """Replace characters that no database or command line accepts."""
    return text.encode("utf-8", "replace").decode("utf-8").replace("\0", "\N{REPLACEMENT CHARACTER}")


def is_watcher(name: str) -> bool:
    """True for `watch`, `dev`, `start:api`, `test:watch`; a `build:dev` ends like any build."""
    words = name.lower().replace("-", ":").replace("_", ":").split(":")
    return words[0] in _WATCHERS or words[-1] == "watch"


ONLY_BY_CONFIG = ("deploy", "publish", "release", "e2e", "integration", "bench")
NOTES = 10
_LIFECYCLE = ("prepublish", "prepublishOnly", "publish", "postpublish", "prerelease", "postrelease")
_TYPES_NAMES = ("typecheck", "type-check", "types", "typing", "check-types", "mypy", "pyright")
TARGET_NAMES: dict[str, tuple[str, ...]] = {
    TEST: ("check", "test", "tests"),
    LINT: ("lint", "check-lint", "lint-check", "check"),
    TYPES: (*_TYPES_NAMES, "check"),
    BUILD: ("build",),
}
SCRIPT_NAMES: dict[str, tuple[str, ...]] = {
    TEST: ("test", "test:ci", "test:run", "test:unit", "unit", "tests"),
    LINT: ("lint", "lint:check", "lint:ci", "lint:js", "eslint"),
    TYPES: ("typecheck", "type-check", "check-types", "check:types", "test:types", "types", "tsc", "check"),
    BUILD: ("build",),
}
FORMAT = "format"
FORMAT_NAMES = (
    "format:check", "fmt:check", "check:format", "check:fmt", "prettier:check", "format-check", "fmt-check",
    "check-format", "check-fmt", "check-formatting", "checkfmt",
)  # fmt: skip
# Ambiguous names: they count only if the script does nothing but that check.
_BY_CONTENT = frozenset(("check", "tsc", "types"))


def propose_scripts(
    project: ProjectFolder, book: RecipeBook, names: dict[str, tuple[str, ...]], start: Callable[[str], Sequence[str]]
) -> list[Candidate]:
    """Return the scripts that check each kind, best first; `start` builds the command of one."""
    _note_excluded(project, book, start)
    candidates: list[Candidate] = []
    for kind, known in names.items():
        for name in known:
            recipe = book.recipes.get(name)
            if recipe is not None and _is_of_kind(project, recipe, kind):
                candidate = propose_recipe(project, recipe, kind, start(name))
                candidates += [candidate] if candidate else []
    return candidates + _propose_format(project, book, start)


def _propose_format(project: ProjectFolder, book: RecipeBook, start: Callable[[str], Sequence[str]]) -> list[Candidate]:
    for name in FORMAT_NAMES:
        recipe = book.recipes.get(name)
        candidate = propose_recipe(project, recipe, LINT, start(name)) if recipe else None
        if candidate is not None:
            candidate.slot = FORMAT
            return [candidate]
    return []


def _is_of_kind(project: ProjectFolder, recipe: Recipe, kind: str) -> bool:
    """`check` is what its commands say; unknown commands under that name are tests."""
    if recipe.name not in _BY_CONTENT:
        return True
    trace = follow_recipe(project, recipe)
    kinds = trace.kinds()
    if kind == TEST:
        tests = TEST in kinds or (project.where, recipe.book.tool, "test") in trace.recipes
        return tests or (not kinds and "test" not in recipe.book.recipes)
    return kind in kinds and TEST not in kinds


def _note_excluded(project: ProjectFolder, book: RecipeBook, start: Callable[[str], Sequence[str]]) -> None:
    noted = 0
    for name in book.recipes:
        why = _excluded(name)
        if why and noted < NOTES:
            noted += 1
            project.leave_out(quote_words(start(name)), why)


def _excluded(name: str) -> str:
    if name in _LIFECYCLE:
        return ""
    if is_watcher(name):
        return "watches files and never ends"
    reach = next((word for word in ONLY_BY_CONFIG if word in name.lower()), "")
    return f"a check named {reach} runs only if ultrawork.toml lists it" if reach else ""
