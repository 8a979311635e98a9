"""Where each tool keeps its options, and those options as values that can be compared."""

import json
from fnmatch import fnmatchcase

from .place import Place, table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

# Tool -> files that configure it; after # the keys of the part that does. A file without # belongs
# to the tool alone.
SETTINGS: dict[str, tuple[str, ...]] = {
    "ava": ("package.json#ava", "ava.config.*"),
    "basedpyright": ("pyproject.toml#tool.basedpyright", "pyrightconfig.json"),
    "biome": ("biome.json", "biome.jsonc"),
    "cargo": ("Cargo.toml#test", "Cargo.toml#lib", "Cargo.toml#profile.test"),
    "clippy": (
        "clippy.toml",
        ".clippy.toml",
        "Cargo.toml#lints.clippy",
        "Cargo.toml#workspace.lints.clippy",
    ),
    "credo": (".credo.exs",),
    "eslint": ("eslint.config.*", ".eslintrc", ".eslintrc.*", "package.json#eslintConfig"),
    "flake8": (".flake8", "setup.cfg#flake8", "tox.ini#flake8"),
    "golangci-lint": (".golangci.yml", ".golangci.yaml", ".golangci.toml", ".golangci.json"),
    "jest": ("jest.config.*", "package.json#jest"),
    "mocha": (".mocharc.*", "package.json#mocha", "test/mocha.opts"),
    "mypy": ("mypy.ini", ".mypy.ini", "pyproject.toml#tool.mypy", "setup.cfg#mypy"),
    "pest": ("phpunit.xml", "phpunit.xml.dist"),
    "phpcs": ("phpcs.xml", ".phpcs.xml", "phpcs.xml.dist", ".phpcs.xml.dist"),
    "phpstan": ("phpstan.neon", "phpstan.neon.dist", "phpstan.dist.neon"),
    "phpunit": ("phpunit.xml", "phpunit.xml.dist", "phpunit.dist.xml"),
    "psalm": ("psalm.xml", "psalm.xml.dist"),
    "pyright": ("pyrightconfig.json", "pyproject.toml#tool.pyright"),
    "pytest": (
        "pytest.toml",
        ".pytest.toml",
        "pytest.ini",
        ".pytest.ini",
        "pyproject.toml#tool.pytest",
        "tox.ini#pytest",
        "setup.cfg#tool:pytest",
    ),
    "rspec": (".rspec",),
    "rubocop": (".rubocop.yml",),
    "ruff": ("ruff.toml", ".ruff.toml", "pyproject.toml#tool.ruff"),
    "standardrb": (".standard.yml",),
    "stylelint": (".stylelintrc", ".stylelintrc.*", "stylelint.config.*"),
    "svelte-check": ("tsconfig.json", "svelte.config.js"),
    "tap": (".taprc", "package.json#tap"),
    "tsc": ("tsconfig.json",),
    "ty": ("ty.toml", "pyproject.toml#tool.ty"),
    "vitest": ("vitest.config.*", "vitest.workspace.*", "vite.config.*"),
    "vue-tsc": ("tsconfig.json",),
}


class Setting:
    """`file` as the whole project writes it; `text` names the part and holds its value."""

    __slots__ = ("file", "text", "value")

    def __init__(self, file: str, part: str, value: object) -> None:
        self.file = file
        self.value = value
        told = value if isinstance(value, str) else _dump(value)
        self.text = f"[{part}] {told.strip()}"


def settings(place: Place, tool: str) -> "Iterator[Setting]":
    for where in SETTINGS.get(tool, ()):
        pattern, _, keys = where.partition("#")
        for name in _files(place, pattern):
            value = _part(place, name, keys) if keys else place.read(name)
            if value is not None:
                yield Setting(place.path(name), f"{name} {keys}".strip(), value)


def configured(place: Place, tool: str) -> Setting | None:
    return next(settings(place, tool), None)


def _files(place: Place, pattern: str) -> list[str]:
    if "*" not in pattern:
        return [pattern] if place.exists(pattern) else []
    return [name for name in place.names() if fnmatchcase(name, pattern)]


def _part(place: Place, name: str, keys: str) -> object:
    """The value under dotted keys; an INI section is one key whatever it holds."""
    if name.endswith((".cfg", ".ini")):
        return place.ini(name).get(keys)
    whole = place.toml(name) if name.endswith(".toml") else place.json(name)
    above, _, last = keys.rpartition(".")
    return table(whole, *above.split(".")).get(last) if above else whole.get(last)


def _dump(value: object) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False, default=str)
