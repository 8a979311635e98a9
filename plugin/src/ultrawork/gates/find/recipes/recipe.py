"""Named scripts of a project: make targets, just recipes, package scripts."""

from collections.abc import Sequence


class Recipe:
    """A script of the project. `body` are its lines as written, `needs` the recipes that run before it."""

    def __init__(
        self,
        book: "RecipeBook",
        name: str,
        line: int,
        body: Sequence[str] = (),
        needs: Sequence[str] = (),
        *,
        file: str = "",
        parameters: bool = False,
    ) -> None:
        self.book = book
        self.name = name
        self.file = file or book.file
        self.line = line
        self.body = list(body)
        self.needs = list(needs)
        self.parameters = parameters

    def runs_as_one(self) -> bool:
        """Return whether one shell runs the whole body, and not one each line."""
        shebang = bool(self.body) and self.body[0].startswith("#!")
        return shebang or any(line.startswith(".ONESHELL") for line in self.book.settings)

    def text(self) -> str:
        head = f"{self.name}: {' '.join(self.needs)}".rstrip()
        if len(self.body) == 1 and not self.needs:
            return f"{head} {self.body[0]}"
        return "\n".join([head, *("\t" + line for line in self.body)])


class RecipeBook:
    """
    All recipes of one tool in one folder: `noun` is what that tool calls one, `family` the
    ecosystem, `default` what runs when none is named, `settings` lines that bear on all of them.
    """

    def __init__(self, tool: str, file: str, noun: str, family: str = "") -> None:
        self.tool = tool
        self.file = file
        self.noun = noun
        self.family = family or tool
        self.recipes: dict[str, Recipe] = {}
        self.settings: list[str] = []
        self.default = ""

    def add(self, recipe: Recipe) -> Recipe:
        self.default = self.default or recipe.name
        return self.recipes.setdefault(recipe.name, recipe)
