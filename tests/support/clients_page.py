"""The page that says what works in which client, each cell from the tests that show it.

`python -m support.clients_page` writes it; a test compares it with the rows and the rows with the tests. The versions
of a cell, and whether every run or only a release shows it, come from the tests themselves."""

import ast
import functools
import os
import tomllib

from ultrawork.store import atomic

from . import clients
from .floor import REPOSITORY

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Definition = ast.FunctionDef | ast.ClassDef

ROWS = f"{REPOSITORY}/tests/contract/clients/rows.toml"
PAGE = f"{REPOSITORY}/docs/reference/clients.md"
NAMES = {"claude": "Claude Code", "codex": "Codex", "gemini": "Gemini CLI", "opencode": "opencode"}
# Fixtures that run a test with every supported version of Claude Code.
_EVERY_VERSION = {"claude", "claude_program", "client", "version"}
_HEAD = """\
# Clients

What works in which client. A "yes" is shown by tests with the real client. A "no" says what to use instead.
Made from `tests/contract/clients/rows.toml`, which names the tests, by `make generate`. A test that is gone fails the build.

Versions seen: {}.
"newest": tested with the newest Claude Code only. "release": tested before a release, not in every run.
"stand-in": tested with another program in the client's place, or with a recording.
"-": no hooks of ours there; `ultrawork with CLIENT …` judges the files it leaves.
"untried": not tried with the hooks of `ultrawork install`.

"""
_SHORT = {"no hooks of ours": "-", "not tried with the hooks of `ultrawork install`": "untried"}
_FOOT = "\n[Glossary](glossary.md)\n"


def load() -> "dict[str, Any]":
    with open(ROWS, "rb") as file:
        return tomllib.load(file)


def page() -> str:
    data = load()
    seen = ", ".join(f"{NAMES[name]} {version}" for name, version in data["versions"].items())
    seen = seen.replace(NAMES["claude"], f"{NAMES['claude']} {clients.OLDEST_CLAUDE} and", 1)
    head = f"| feature | {' | '.join(NAMES.values())} |\n|{'---|' * (len(NAMES) + 1)}\n"
    return "".join([_HEAD.format(seen), head, *map(_line, data["rows"].values()), _FOOT])


def list_tests(row: "dict[str, Any]") -> list[str]:
    return [test for name in NAMES if isinstance(row[name], list) for test in row[name]]


def _line(row: "dict[str, Any]") -> str:
    return f"| {row['feature']} | {' | '.join(_cell(row[name], name) for name in NAMES)} |\n"


def _cell(value: "str | list[str]", client: str) -> str:
    if isinstance(value, str):
        return _SHORT.get(value, value)
    found = [one for one in map(find_definition, value) if one is not None]
    real = any(map(_starts_a_client, value))
    limits = [
        *([] if real else ["stand-in"]),
        *(["newest"] if real and client == "claude" and not _is_seen_in_all(found) else []),
        *(["release"] if all(_has(one, "pytest.mark.release") for one in found) else []),
    ]
    return f"yes ({', '.join(limits)})" if limits else "yes"


def _starts_a_client(test: str) -> bool:
    """Return whether a test starts a real client: it or its whole file has a mark."""
    path = test.partition("::")[0]
    with open(f"{REPOSITORY}/{path}", encoding="utf-8") as file:
        whole = "\npytestmark = pytest.mark.client\n" in file.read()
    found = find_definition(test)
    return whole or (found is not None and _has(found, "pytest.mark.client"))


def _is_seen_in_all(tests: "list[Definition]") -> bool:
    return any(_has(one, "BOTH_CLAUDES") or _fixtures(one) & _EVERY_VERSION for one in tests)


def _fixtures(test: "Definition") -> set[str]:
    functions = [node for node in ast.walk(test) if isinstance(node, ast.FunctionDef)]
    return {argument.arg for node in functions for argument in node.args.args}


def _has(test: "Definition", decorator: str) -> bool:
    return any(ast.unparse(one) == decorator for one in test.decorator_list)


def find_definition(test: str) -> "Definition | None":
    """Return the definition of `tests/room/test_x.py::test_y`, or of a test class there."""
    path, _, name = test.partition("::")
    return _definitions(path).get(name) if os.path.isfile(f"{REPOSITORY}/{path}") else None


@functools.cache
def _definitions(path: str) -> "dict[str, Definition]":
    with open(f"{REPOSITORY}/{path}", encoding="utf-8") as file:
        tree = ast.parse(file.read())
    return {
        node.name: node
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name.lower().startswith("test")
    }


def missing() -> list[str]:
    """Return tests that a cell names and that do not exist."""
    named = [(key, test) for key, row in load()["rows"].items() for test in list_tests(row)]
    return [f"{key}: {test}" for key, test in named if find_definition(test) is None]


if __name__ == "__main__":
    atomic.write(PAGE, page(), mode=0o644)
