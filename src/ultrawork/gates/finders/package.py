"""package.json: its scripts as recipes, and the package manager that runs them."""

import json

from .place import Place, table
from .recipes import Book, Recipe

FILE = "package.json"
# Lock file -> who wrote it; the first one found upwards decides.
LOCKS = {
    "pnpm-lock.yaml": "pnpm",
    "yarn.lock": "yarn",
    "bun.lock": "bun",
    "bun.lockb": "bun",
    "package-lock.json": "npm",
    "npm-shrinkwrap.json": "npm",
}
MANAGERS = frozenset(LOCKS.values())


def book(place: Place) -> Book | None:
    scripts = table(place.json(FILE), "scripts")
    if not scripts:
        return None
    found = Book("npm", FILE, "script", "node")
    places = _places(place.read(FILE) or "")
    for name, text in scripts.items():
        if isinstance(text, str) and text.strip():
            found.add(Recipe(found, name, places.get(name, 1), [text]))
    for name, recipe in found.recipes.items():
        before = [f"pre{name}"] if f"pre{name}" in found.recipes else []
        after = [f"post{name}"] if f"post{name}" in found.recipes else []
        recipe.needs = before + after
    found.default = ""
    return found


def manager(place: Place) -> str:
    """Who runs the scripts: the nearest folder upwards that says so, else npm."""
    here: Place | None = place
    while here is not None:
        named = here.json(FILE).get("packageManager")
        chosen = named.partition("@")[0] if isinstance(named, str) else ""
        chosen = chosen if chosen in MANAGERS else LOCKS.get(here.first(*LOCKS), "")
        if chosen:
            return chosen
        here = here.sub("..") if here.where != "." else None
    return "npm"


def run(place: Place, script: str) -> list[str]:
    chosen = manager(place)
    return [chosen, "test"] if script == "test" and chosen != "bun" else [chosen, "run", script]


def dependencies(place: Place) -> dict[str, str]:
    """Everything the package or a package above it depends on, with the versions asked for."""
    found: dict[str, str] = {}
    here: Place | None = place
    while here is not None:
        for group in ("dependencies", "devDependencies", "peerDependencies"):
            asked = table(here.json(FILE), group)
            found = {name: str(version) for name, version in asked.items()} | found
        here = here.sub("..") if here.where != "." else None
    return found


def _places(text: str) -> dict[str, int]:
    """Line numbers of the scripts, for people to look them up."""
    start = text.find('"scripts"')
    found: dict[str, int] = {}
    first = text.count("\n", 0, max(start, 0)) + 1
    for offset, line in enumerate(text[max(start, 0) :].split("\n")):
        key, colon, _ = line.strip().partition('":')
        if colon and key.startswith('"'):
            found.setdefault(_unquoted(key + '"'), first + offset)
    return found


def _unquoted(key: str) -> str:
    try:
        return str(json.loads(key))
    except ValueError:
        return key
