"""package.json and composer.json: their scripts as recipes, and the package manager that runs them."""

import json

from ....core.toolchains.toolchain import get_built_in
from ..folder import ProjectFolder, get_table, list_texts
from .recipe import Recipe, RecipeBook

PACKAGE_FILE = "package.json"
# Lock file -> its package manager; the first one found upward decides.
LOCKS = get_built_in().ecosystems["node"].locks
MANAGERS = frozenset(LOCKS.values())


def read_package(project: ProjectFolder) -> RecipeBook | None:
    scripts = get_table(project.read_json(PACKAGE_FILE), "scripts")
    if not scripts:
        return None
    recipe_book = RecipeBook("npm", PACKAGE_FILE, "script", "node")
    places = _line_numbers(project.read(PACKAGE_FILE) or "")
    for name, text in scripts.items():
        if isinstance(text, str) and text.strip():
            recipe_book.add(Recipe(recipe_book, name, places.get(name, 1), [text]))
    for name, recipe in recipe_book.recipes.items():
        before = [f"pre{name}"] if f"pre{name}" in recipe_book.recipes else []
        after = [f"post{name}"] if f"post{name}" in recipe_book.recipes else []
        recipe.needs = before + after
    recipe_book.default = ""
    return recipe_book


def find_manager(project: ProjectFolder) -> str:
    """Return the package manager that runs the scripts: of the nearest folder upward that names one, else npm."""
    project_folder: ProjectFolder | None = project
    while project_folder is not None:
        named = project_folder.read_json(PACKAGE_FILE).get("packageManager")
        chosen = named.partition("@")[0] if isinstance(named, str) else ""
        chosen = chosen if chosen in MANAGERS else LOCKS.get(project_folder.find_first(*LOCKS), "")
        if chosen:
            return chosen
        project_folder = project_folder.sub("..") if project_folder.where != "." else None
    return "npm"


def make_script_argv(project: ProjectFolder, script: str) -> list[str]:
    chosen = find_manager(project)
    return [chosen, "test"] if script == "test" and chosen != "bun" else [chosen, "run", script]


def list_dependencies(project: ProjectFolder) -> dict[str, str]:
    """Return everything that the package or one above it depends on, with the required versions."""
    dependencies: dict[str, str] = {}
    project_folder: ProjectFolder | None = project
    while project_folder is not None:
        for group in ("dependencies", "devDependencies", "peerDependencies"):
            table = get_table(project_folder.read_json(PACKAGE_FILE), group)
            dependencies = {name: str(version) for name, version in table.items()} | dependencies
        project_folder = project_folder.sub("..") if project_folder.where != "." else None
    return dependencies


def _line_numbers(text: str) -> dict[str, int]:
    """Return line numbers of the scripts, for people to look up."""
    start = text.find('"scripts"')
    line_numbers: dict[str, int] = {}
    first = text.count("\n", 0, max(start, 0)) + 1
    for offset, line in enumerate(text[max(start, 0) :].split("\n")):
        key, colon, _ = line.strip().partition('":')
        if colon and key.startswith('"'):
            line_numbers.setdefault(_unquoted(key + '"'), first + offset)
    return line_numbers


def _unquoted(key: str) -> str:
    try:
        return str(json.loads(key))
    except ValueError:
        return key


COMPOSER_FILE = "composer.json"


def read_composer(project: ProjectFolder) -> RecipeBook | None:
    scripts = get_table(project.read_json(COMPOSER_FILE), "scripts")
    if not scripts:
        return None
    recipe_book = RecipeBook("composer", COMPOSER_FILE, "script", "php")
    for name, value in scripts.items():
        body = [_composer_line(text) for text in list_texts(value)]
        if body:
            recipe_book.add(Recipe(recipe_book, name, 1, body))
    recipe_book.default = ""
    return recipe_book


def _composer_line(text: str) -> str:
    """`@phpstan` calls another script, `@php x.php` the interpreter."""
    if not text.startswith("@"):
        return text
    return text[1:] if text.startswith(("@php ", "@composer ")) else f"composer run {text[1:]}"
