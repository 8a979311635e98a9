"""The page that says which test shows which requirement of the documents.

`python -m support.conformance` writes it; a test compares it with the rows and the rows with the tests."""

import ast
import functools
import os
import tomllib

from ultrawork.store import atomic

from .floor import REPOSITORY

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

SESSIONS, CORE, MODES, TOOLS = "sessions", "core", "modes", "tools"
AXIOM, ENGINE = "axiom", "engine"
PAGE = f"{REPOSITORY}/docs/reference/conformance.md"
_HEAD = """\
# Conformance

Where this program deliberately differs from the documents that specify it. Made by `make generate` from the file named
under each heading, which says for every requirement what the program does and which tests show it.
A row whose test is gone fails the build. `make row-mutants` removes what a row promises, and checks that its tests notice.
"""
_FOOT = "\n[Glossary](glossary.md)\n"
_PARTS = {
    SESSIONS: "Sessions",
    CORE: "The core pipeline of document 004",
    MODES: "Modes",
    TOOLS: "Tools",
    AXIOM: "Axiom",
    ENGINE: "Runs without a client, and faults",
}
_SECTION = """
## {}

From `tests/contract/{}/rows.toml`: {} rows, {} as required.
"""
_DIFFERENT = "\nDifferent on purpose:\n\n"
CATALOGUE = "catalogue"
_NAMES = """
## The names of document 004

All {} agents and {} skills are there (`contract/catalogue/test_names.py`), and each is used once in the real client
(`clients/test_content.py`). `ultrawork content list` shows them.
"""


def rows(part: str = SESSIONS) -> "dict[str, dict[str, Any]]":
    with open(f"{REPOSITORY}/tests/contract/{part}/rows.toml", "rb") as file:
        return tomllib.load(file)


def page() -> str:
    parts = "".join(_section(part, title) for part, title in _PARTS.items())
    return _HEAD + parts + _names() + _FOOT


def _names() -> str:
    found = rows(CATALOGUE)
    return _NAMES.format(len(found["agents"]), len(found["skills"]))


def _section(part: str, title: str) -> str:
    found = rows(part)
    lines = [
        f"- **{row['feature']} ({number})**: {row['differs']}.\n" for number, row in found.items() if "differs" in row
    ]
    counts = len(found), "all" if not lines else len(found) - len(lines)
    return _SECTION.format(title, part, *counts) + "".join([_DIFFERENT, *lines] if lines else [])


def missing() -> list[str]:
    """Return tests that a row names and that do not exist."""
    named = [
        (part, number, name)
        for part in _PARTS
        for number, row in rows(part).items()
        for name in (*row["tests"], *row.get("noticed", ()))
    ]
    return [f"{part} {number}: {name}" for part, number, name in named if not exists(name)]


def exists(test: str) -> bool:
    """`tests/room/test_x.py::test_y`, or a whole file that has tests."""
    path, _, name = test.partition("[")[0].partition("::")
    if not os.path.isfile(f"{REPOSITORY}/{path}"):
        return False
    found = _tests_of(path)
    return name in found if name else bool(found)


@functools.cache
def _tests_of(path: str) -> list[str]:
    with open(f"{REPOSITORY}/{path}", encoding="utf-8") as file:
        tree = ast.parse(file.read())
    names = [node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    return [name for name in names if name.startswith("test_")]


if __name__ == "__main__":
    atomic.write(PAGE, page(), mode=0o644)
