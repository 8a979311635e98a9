"""
Choose which tools to list to a client, and how it reaches the others.

Most clients send every listed tool with each request. They get a few, and a finder that finds and calls the rest. A
call through the finder counts as a call of the tool it names.
"""

from collections.abc import Iterable, Mapping
from typing import Any

FINDER = "find_tool"
SHORT = (
    FINDER, "lsp_goto_definition", "lsp_find_references", "lsp_diagnostics", "ast_grep_search", "python_repl",
    "notepad_read", "notepad_write_working", "ultrawork_status", "ultrawork_verify",
)  # fmt: skip
# Tools that run code are called by their own name, so that a client rule that forbids them applies.
OWN_NAME_ONLY = ("python_repl",)
_SHORTEST = 3
_IN_NAME = 3  # what a word in the name of a tool counts against one in its text


def resolve_call(name: str, given: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
    """
    Return the meant tool and its arguments; hooks know a tool by a longer name (`mcp__t__find_tool`). A model
    that does not know their form may send the arguments as text.
    """
    meant = given.get("name")
    if not name.endswith(FINDER) or not isinstance(meant, str) or not meant:
        return name, given
    if meant.endswith(OWN_NAME_ONLY):
        return name, given
    return name.removesuffix(FINDER) + meant, _arguments(given.get("arguments"))


def _arguments(given: object) -> Mapping[str, Any]:
    if isinstance(given, str):
        from json import loads

        try:
            given = loads(given)
        except ValueError:
            given = None
    return given if isinstance(given, dict) else {}


def rank_tools(tools: Iterable[tuple[str, str]], words: str) -> list[str]:
    """Return the tools that match the words, best first, in table order among equals."""
    plain = "".join(char.lower() if char.isalnum() else " " for char in words)
    wanted = [word for word in plain.split() if len(word) >= _SHORTEST]
    points = {name: _score(name, about.lower(), wanted) for name, about in tools}
    return sorted((name for name in points if points[name]), key=lambda name: -points[name])


def _score(name: str, about: str, wanted: list[str]) -> int:
    return sum(_IN_NAME * (word in name) + (word in about) for word in wanted)
