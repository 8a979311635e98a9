"""Which of a project's named scripts are its checks."""

from ...core.gate import BUILD, LINT, TEST, TYPES
from .candidate import Candidate, of_recipe, watches
from .shell import quoted
from .trail import follow_recipe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .place import Place
    from .recipes import Book, Recipe

ONLY_BY_CONFIG = ("deploy", "publish", "release", "e2e", "integration", "bench")
NOTES = 10
_LIFECYCLE = ("prepublish", "prepublishOnly", "publish", "postpublish", "prerelease", "postrelease")
_TYPES_NAMES = ("typecheck", "type-check", "types", "typing", "check-types", "mypy", "pyright")
DOOR_NAMES: dict[str, tuple[str, ...]] = {
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


def checks(
    place: "Place",
    book: "Book",
    names: dict[str, tuple[str, ...]],
    start: "Callable[[str], Sequence[str]]",
) -> list[Candidate]:
    """For each kind the scripts that check it, best first; `start` says how one is called."""
    _note_excluded(place, book, start)
    found: list[Candidate] = []
    for kind, known in names.items():
        for name in known:
            recipe = book.recipes.get(name)
            if recipe is not None and _is(place, recipe, kind):
                candidate = of_recipe(place, recipe, kind, start(name))
                found += [candidate] if candidate else []
    return found


def _is(place: "Place", recipe: "Recipe", kind: str) -> bool:
    """`check` is what its commands say; unknown commands under that name are tests."""
    if recipe.name not in _BY_CONTENT:
        return True
    trail = follow_recipe(place, recipe)
    kinds = trail.kinds()
    if kind == TEST:
        tests = TEST in kinds or (place.where, recipe.book.tool, "test") in trail.recipes
        return tests or (not kinds and "test" not in recipe.book.recipes)
    return kind in kinds and TEST not in kinds


def _note_excluded(place: "Place", book: "Book", start: "Callable[[str], Sequence[str]]") -> None:
    noted = 0
    for name in book.recipes:
        why = _excluded(name)
        if why and noted < NOTES:
            noted += 1
            place.leave(quoted(start(name)), why)


def _excluded(name: str) -> str:
    if name in _LIFECYCLE:
        return ""
    if watches(name):
        return "watches and never ends by itself"
    reach = next((word for word in ONLY_BY_CONFIG if word in name.lower()), "")
    return f"a name with {reach} runs only if ultrawork.toml lists it" if reach else ""
