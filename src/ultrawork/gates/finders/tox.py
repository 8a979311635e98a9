"""tox: the commands of its environments, as far as they are plain."""

import re

from .place import Place, parse_ini, table, texts
from .recipes import Book, Recipe
from .shell import quoted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from .place import Table

MAIN = "testenv"
_POSARGS = re.compile(r"\{posargs(?::([^{}]*))?\}|\[\]")
_PLAIN = {"{envpython}": "python", "{envbindir}/": "", "{toxinidir}/": "", "{toxinidir}": "."}
_FACTOR = re.compile(r"([\w.]+): +(.*)")


def book(place: Place) -> Book | None:
    """Recipes: `testenv`, each named environment, and each factor that commands are tied to."""
    for file, environments in _sources(place):
        found = Book("tox", file, "environment")
        for name, (folder, commands) in environments.items():
            for line in commands:
                factor = _FACTOR.fullmatch(line)
                recipe = found.add(Recipe(found, factor[1] if factor else name, 1))
                recipe.body.append(_plain(factor[2] if factor else line, folder))
        if found.recipes:
            found.default = MAIN
            return found
    return None


def _sources(place: Place) -> "Iterator[tuple[str, dict[str, tuple[str, list[str]]]]]":
    """Where tox keeps its environments, in the order in which tox looks."""
    if place.exists("tox.ini"):
        yield "tox.ini", _ini(place.ini("tox.ini"), "")
    if place.exists("setup.cfg"):
        yield "setup.cfg", _ini(place.ini("setup.cfg"), "tox:")
    options = table(place.toml("pyproject.toml"), "tool", "tox")
    legacy = options.get("legacy_tox_ini")
    yield "pyproject.toml", _legacy(legacy) if isinstance(legacy, str) else _toml(options)
    yield "tox.toml", _toml(place.toml("tox.toml"))


def _ini(sections: "Table", prefix: str) -> dict[str, tuple[str, list[str]]]:
    found = {}
    for section, options in sections.items():
        kind, _, name = section.removeprefix(prefix).partition(":")
        body = options.get("commands")
        if kind == MAIN and section.startswith(prefix) and isinstance(body, str):
            lines = [line.strip() for line in body.replace("\\\n", " ").split("\n")]
            found[name or MAIN] = (options.get("changedir") or "", [line for line in lines if line])
    return found


def _legacy(text: str) -> dict[str, tuple[str, list[str]]]:
    try:
        return _ini(parse_ini(text), "")
    except ValueError:
        return {}


def _toml(options: "Table") -> dict[str, tuple[str, list[str]]]:
    environments = {MAIN: table(options, "env_run_base"), **table(options, "env")}
    found = {}
    for name, value in environments.items():
        body = table(value).get("commands")
        if isinstance(body, list):
            lines = [quoted(texts(line)) for line in body if isinstance(line, list)]
            found[name] = (str(table(value).get("change_dir") or ""), lines)
    return found


def _plain(line: str, folder: str) -> str:
    forgiven = line.startswith("-")
    line = _POSARGS.sub(lambda match: match[1] or "", line.lstrip("-! "))
    for written, meant in _PLAIN.items():
        line, folder = line.replace(written, meant), folder.replace(written, meant)
    stays = folder in ("", ".") or "{" in folder
    inside = "" if stays else f"cd {quoted([folder])} && "
    return inside + line.strip() + (" || true" if forgiven else "")
