"""tox: the commands of its test environment, as far as they are plain."""

import re

from .place import Place, table, texts
from .recipes import Book, Recipe
from .shell import quoted

_POSARGS = re.compile(r"\{posargs[^{}]*(?:\{[^{}]*\}[^{}]*)*\}|\[\]")
_PLAIN = {"{envpython}": "python", "{envbindir}/": "", "{toxinidir}/": "", "{toxinidir}": "."}
ENVIRONMENTS = ("testenv", "testenv:py", "testenv:py3", "testenv:test", "testenv:tests")


def book(place: Place) -> Book | None:
    for file, body in _commands(place):
        if body:
            found = Book("tox", file, "environment")
            found.add(Recipe(found, "testenv", 1, [_plain(line) for line in body]))
            return found
    return None


def _commands(place: Place) -> "list[tuple[str, list[str]]]":
    """Where tox keeps commands, in the order in which tox looks."""
    return [
        ("tox.ini", _ini(place.ini("tox.ini")) if place.exists("tox.ini") else []),
        ("setup.cfg", _ini(place.ini("setup.cfg"), "tox:") if place.exists("setup.cfg") else []),
        ("pyproject.toml", _pyproject(place)),
        ("tox.toml", _toml(place.toml("tox.toml"))),
    ]


def _ini(sections: dict[str, object], prefix: str = "") -> list[str]:
    for environment in ENVIRONMENTS:
        body = table(sections, prefix + environment).get("commands")
        if isinstance(body, str) and body.strip():
            return [line.strip() for line in body.replace("\\\n", " ").split("\n") if line.strip()]
    return []


def _pyproject(place: Place) -> list[str]:
    options = table(place.toml("pyproject.toml"), "tool", "tox")
    legacy = options.get("legacy_tox_ini")
    if not isinstance(legacy, str):
        return _toml(options)
    from .place import parse_ini

    try:
        return _ini(parse_ini(legacy))
    except ValueError:
        return []


def _toml(options: dict[str, object]) -> list[str]:
    for keys in (("env_run_base",), ("env", "py"), ("env", "test"), ("env", "tests")):
        body = table(options, *keys).get("commands")
        if isinstance(body, list) and body:
            return [quoted(texts(line)) for line in body if isinstance(line, list)]
    return []


def _plain(line: str) -> str:
    for written, meant in _PLAIN.items():
        line = line.replace(written, meant)
    forgiven = line.startswith("-")
    return _POSARGS.sub("", line).strip("- ") + (" || true" if forgiven else "")
