"""What tox and nox start: they are passed by where the runner itself can be told."""

import posixpath

from ...core.gate import TEST
from .place import Place
from .steps import Step
from .trail import book, follow_recipe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from .recipes import Recipe

TOOLS = {"tox": "-e", "nox": "-s"}
# Environments and sessions that people name for their tests, best first.
_NAMES = ("testenv", "tests", "test", "py", "py3", "pytest", "unit", "unit_tests", "nocov")


class Wrapped:
    """The step that tests, the folder it runs in, and how the wrapper itself is called for it."""

    __slots__ = ("argv", "file", "place", "reason", "step")

    def __init__(self, recipe: "Recipe", place: Place, step: Step) -> None:
        tool = recipe.book.tool
        name = "py" if recipe.name == "testenv" else recipe.name
        self.argv = [tool, TOOLS[tool], name]
        self.file = recipe.file
        self.reason = f"the tests that {tool} runs, see {recipe.file}"
        self.place = place
        self.step = step

    def folder(self, above: Place) -> str:
        return posixpath.relpath(self.place.where, above.where)


def wrapped(place: Place) -> Wrapped | None:
    """The first command of an environment for tests that is known to test."""
    for tool in TOOLS:
        found = book(place, tool)
        recipes = found.recipes if found else {}
        for recipe in [recipes[name] for name in _NAMES if name in recipes]:
            for there, step in follow_recipe(place, recipe).steps:
                if step.kind == TEST:
                    return Wrapped(recipe, there, step)
    return None


def paths_of(place: Place, program: str) -> list[str]:
    """The paths that tox or nox gives to a program, where its own options name none."""
    for step in _steps(place):
        if step.tool == program:
            return [word for word in step.words[1:] if word[:1] != "-" and place.exists(word)]
    return []


def _steps(place: Place) -> "Iterator[Step]":
    for tool in TOOLS:
        found = book(place, tool)
        for recipe in found.recipes.values() if found else ():
            for there, step in follow_recipe(place, recipe).steps:
                if there.where == place.where:
                    yield step
