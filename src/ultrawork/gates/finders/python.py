"""Python: the test runner itself, and the linter and type checker that are configured."""

import re

from ...core.gate import LINT, TYPES
from . import python_env as env
from .candidate import Candidate, of_command
from .place import Place, table
from .python_tests import FAMILY, tests
from .settings import configured
from .wrapped import paths_of

# Kind, tool, how it is called; the first configured of a kind is it.
_TOOLS = (
    (LINT, "ruff", ("ruff", "check", ".")),
    (LINT, "flake8", ("flake8",)),
    (TYPES, "mypy", ("mypy",)),
    (TYPES, "pyright", ("pyright",)),
    (TYPES, "basedpyright", ("basedpyright",)),
    (TYPES, "ty", ("ty", "check")),
)
# Packages beside the code that nobody asks to be typed.
_NOT_CODE = frozenset(
    (
        "bench/",
        "benchmarks/",
        "docs/",
        "examples/",
        "scripts/",
        "test/",
        "testing/",
        "tests/",
        "tools/",
    )
)
PACKAGES = 3


def find(place: Place) -> list[Candidate]:
    return [*tests(place), *_tools(place)]


def _tools(place: Place) -> list[Candidate]:
    found = []
    for kind, tool, words in _TOOLS:
        setting = configured(place, tool)
        if setting is None:
            continue
        argv = [*env.program(place, words[0]), *words[1:]]
        if tool == "mypy" and not _says_what(setting.value):
            argv += _code(place)
        source = setting.file.rpartition("/")[2]
        reason = f"{tool} is configured in {source}"
        found.append(of_command(place, FAMILY, kind, argv, source=source, reason=reason))
    return found


def _says_what(value: object) -> bool:
    """mypy needs to be told what to check, by its options or on the command line."""
    if isinstance(value, str):
        return bool(re.search(r"^[ \t]*(files|packages|modules)\s*=", value, re.MULTILINE))
    return bool({"files", "packages", "modules"} & table(value).keys())


def _code(place: Place) -> list[str]:
    """What to check by types: what tox or nox names, else the package, else everything."""
    inside = [f"src/{name}" for name in place.names("src")]
    code = ["src"] if any(_is_code(place, name) for name in inside) else []
    beside = [name for name in place.names() if name not in _NOT_CODE]
    code = code or [name[:-1] for name in beside if _is_package(place, name)]
    return paths_of(place, "mypy") or code[:PACKAGES] or ["."]


def _is_code(place: Place, name: str) -> bool:
    return name.endswith(".py") or _is_package(place, name)


def _is_package(place: Place, name: str) -> bool:
    return name.endswith("/") and place.exists(f"{name}__init__.py")
