"""
A gate that a finder proposes, with what it was seen to run.

Which of a project's named scripts are its checks.
"""

from collections.abc import Callable, Sequence

from ...core.value import Value
from ...core.verdict.gate import BUILD, LINT, TEST, TYPES, Gate
from .folder import ProjectFolder
from .recipes.recipe import Recipe, RecipeBook
from .shell import quote_words
from .trace import Trace, follow_recipe, follow_text

_WATCHERS = ("dev", "serve", "start", "watch")
# Programs that stand for a service: without them the gate cannot tell anything.
_NEEDED = {"docker": "docker", "docker-compose": "docker", "podman": "podman"}


class Candidate(Value):
    """`family` is the ecosystem; `gate.name` becomes final once the choice is made."""

    family: str
    gate: Gate
    trail: Trace

    def covered_by(self, other: "Candidate") -> bool:
        """True if the other one plainly runs all that this one would."""
        own = self.trail.recipes
        inside = bool(own) and next(iter(own)) in other.trail.recipes
        tools = self.trail.tools(self.gate.kind)
        return inside or (bool(tools) and tools <= other.trail.tools())


def propose_command(
    place: ProjectFolder,
    family: str,
    kind: str,
    argv: Sequence[str],
    *,
    source: str,
    reason: str,
    definition: str = "",
    text: str = "",
) -> Candidate:
    """A command that stands in no script; `text` is shell text that `argv` hands to sh."""
    trail = follow_text(place, text or quote_words(argv))
    return build_candidate(
        place,
        family,
        kind,
        argv,
        trail,
        source=source,
        reason=reason,
        definition=definition,
        command=text,
    )


def propose_recipe(
    place: ProjectFolder, recipe: Recipe, kind: str, argv: Sequence[str]
) -> Candidate | None:
    """A script of the project, unless there is an objection, which is noted."""
    trail = follow_recipe(place, recipe)
    why = find_objection(trail, recipe, kind)
    if why:
        place.leave(quote_words(argv), why)
        return None
    reason = f"{recipe.book.noun} {recipe.name} in {recipe.file}"
    source = f"{recipe.file}:{recipe.line}"
    return build_candidate(
        place, recipe.book.family, kind, argv, trail, source=source, reason=reason
    )


def find_objection(trail: Trace, recipe: Recipe, kind: str) -> str:
    """Why this script is no gate; "" if it may be one."""
    steps = [step for _, step in trail.steps]
    if recipe.parameters:
        return "asks for arguments"
    if any("no test specified" in line for line in recipe.body):
        return "only says that no test is specified"
    scripts = [(at, step.python_script()) for at, step in trail.steps]
    missing = next((script for at, script in scripts if script and not at.exists(script)), "")
    if missing:
        return f"starts {missing}, which is not there"
    if trail.idle():
        return "checks nothing, it only prints"
    if any(step.watches() for step in steps) or any(
        is_watcher(name) for _, _, name in trail.recipes
    ):
        return "watches and never ends by itself"
    if kind == LINT and any(step.rewrites() for step in steps):
        return "rewrites files"
    return ""


def build_candidate(
    place: ProjectFolder,
    family: str,
    kind: str,
    argv: Sequence[str],
    trail: Trace,
    *,
    source: str,
    reason: str,
    definition: str = "",
    command: str = "",
) -> Candidate:
    argv = [make_storable(word) for word in argv]
    command = make_storable(command or quote_words(argv))
    told = trail.definition() if trail.recipes else [command, *trail.definition()]
    gate = Gate(
        name="",
        kind=kind,
        argv=argv,
        command=command,
        source=place.path(source),
        reason=reason,
        definition=make_storable("\n".join([*told, definition]).rstrip()),
        files=list(dict.fromkeys([place.path(source.partition(":")[0]), *trail.files()])),
        where=place.where,
        runner=find_runner(trail),
        needs=sorted({_NEEDED[p] for p in trail.programs() if p in _NEEDED}),
    )
    return Candidate(family, gate, trail)


def find_runner(trail: Trace) -> str:
    """The one test runner behind it; "" if none or several are seen."""
    found = trail.tools(TEST) or {step.tool for _, step in trail.steps if step.kind == TEST}
    return found.pop() if len(found) == 1 else ""


def make_storable(text: str) -> str:
    """Files and JSON escapes can hold what no database and no command line takes."""
    return (
        text.encode("utf-8", "replace").decode("utf-8").replace("\0", "\N{REPLACEMENT CHARACTER}")
    )


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
    TYPES: _TYPES_NAMES,
    BUILD: ("build",),
}
SCRIPT_NAMES: dict[str, tuple[str, ...]] = {
    TEST: ("test", "test:ci", "test:run", "test:unit", "unit", "tests"),
    LINT: ("lint", "lint:check", "lint:ci", "lint:js", "eslint"),
    TYPES: (
        "typecheck",
        "type-check",
        "check-types",
        "check:types",
        "test:types",
        "types",
        "tsc",
        "check",
    ),
    BUILD: ("build",),
}
# These names mean many things: they count only where the script is seen to check just that.
_BY_CONTENT = frozenset(("check", "tsc", "types"))


def propose_scripts(
    place: ProjectFolder,
    book: RecipeBook,
    names: dict[str, tuple[str, ...]],
    start: Callable[[str], Sequence[str]],
) -> list[Candidate]:
    """For each kind the scripts that check it, best first; `start` says how one is called."""
    _note_excluded(place, book, start)
    found: list[Candidate] = []
    for kind, known in names.items():
        for name in known:
            recipe = book.recipes.get(name)
            if recipe is not None and _is_of_kind(place, recipe, kind):
                candidate = propose_recipe(place, recipe, kind, start(name))
                found += [candidate] if candidate else []
    return found


def _is_of_kind(place: ProjectFolder, recipe: Recipe, kind: str) -> bool:
    """`check` is what its commands say; unknown commands under that name are tests."""
    if recipe.name not in _BY_CONTENT:
        return True
    trail = follow_recipe(place, recipe)
    kinds = trail.kinds()
    if kind == TEST:
        tests = TEST in kinds or (place.where, recipe.book.tool, "test") in trail.recipes
        return tests or (not kinds and "test" not in recipe.book.recipes)
    return kind in kinds and TEST not in kinds


def _note_excluded(
    place: ProjectFolder, book: RecipeBook, start: Callable[[str], Sequence[str]]
) -> None:
    noted = 0
    for name in book.recipes:
        why = _excluded(name)
        if why and noted < NOTES:
            noted += 1
            place.leave(quote_words(start(name)), why)


def _excluded(name: str) -> str:
    if name in _LIFECYCLE:
        return ""
    if is_watcher(name):
        return "watches and never ends by itself"
    reach = next((word for word in ONLY_BY_CONFIG if word in name.lower()), "")
    return f"a name with {reach} runs only if ultrawork.toml lists it" if reach else ""
