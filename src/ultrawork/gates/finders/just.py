"""Justfiles: recipes with their bodies and dependencies."""

import re

from .recipes import Book, Recipe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .place import Place

NAMES = ("justfile", "Justfile", ".justfile", "JUSTFILE")
_HEAD = re.compile(r"@?(?P<name>[A-Za-z_][\w-]*)(?P<parameters>(?:\s[^:]*)?):(?!=)(?P<needs>.*)")
_VARIABLE = re.compile(
    r"(?:export\s+)?(?P<name>[A-Za-z_][\w-]*)\s*:=\s*(?P<quote>['\"])(?P<value>.*)(?P=quote)"
)
_USE = re.compile(r"\{\{\s*([A-Za-z_][\w-]*)\s*\}\}")
_STATEMENTS = ("alias", "export", "import", "mod", "set", "unexport")


def book(place: "Place") -> Book | None:
    name = place.first(*NAMES)
    text = place.read(name) if name else None
    if text is None:
        return None
    found = Book("just", name, "recipe")
    variables: dict[str, str] = {}
    current: Recipe | None = None
    for number, line in enumerate(text.replace("\\\n", " ").split("\n"), 1):
        if line[:1] in (" ", "\t"):
            if current and line.strip():
                current.body.append(_line(line.strip()))
        elif line.strip():
            current = _statement(found, variables, line, number)
    for recipe in found.recipes.values():
        recipe.body = [_USE.sub(lambda m: variables.get(m[1], m[0]), line) for line in recipe.body]
    return found


def _statement(book: Book, variables: dict[str, str], line: str, number: int) -> Recipe | None:
    variable = _VARIABLE.match(line)
    if variable:
        variables[variable["name"]] = variable["value"]
    if line.startswith(("set ", "export ")):
        book.settings.append(line.strip())
    head = None if variable or line.split(maxsplit=1)[0] in _STATEMENTS else _HEAD.match(line)
    if head is None:
        return None
    needs = re.findall(
        r"[A-Za-z_][\w-]*", re.sub(r"\(\s*([\w-]+)[^()]*\)", r" \1 ", _code(head["needs"]))
    )
    asks = any("=" not in word and word[0] != "*" for word in head["parameters"].split())
    return book.add(Recipe(book, head["name"], number, needs=needs, parameters=asks))


def _code(text: str) -> str:
    return text.partition("#")[0]


def _line(text: str) -> str:
    prefix = text[: len(text) - len(text.lstrip("@-"))]
    return text[len(prefix) :] + (" || true" if "-" in prefix else "")
