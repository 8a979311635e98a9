"""composer.json: its scripts as recipes."""

from .place import Place, table, texts
from .recipes import Book, Recipe

FILE = "composer.json"


def book(place: Place) -> Book | None:
    scripts = table(place.json(FILE), "scripts")
    if not scripts:
        return None
    found = Book("composer", FILE, "script", "php")
    for name, value in scripts.items():
        body = [_line(text) for text in texts(value)]
        if body:
            found.add(Recipe(found, name, 1, body))
    found.default = ""
    return found


def _line(text: str) -> str:
    """`@phpstan` calls another script, `@php x.php` the interpreter."""
    if not text.startswith("@"):
        return text
    return text[1:] if text.startswith(("@php ", "@composer ")) else f"composer run {text[1:]}"
