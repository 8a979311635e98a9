"""
Words of prompts and goals as modules that hooks load fast, made from `content/words/*.toml`.

`make generate` writes them, and they are committed: an installed plugin runs no make.
"""

import json
import os
import tomllib
from collections.abc import Callable
from typing import Any

from ..store import atomic

# Each file of words, and the module of ours that is made from it.
MODULES = {
    "order": "core/prompt/order_words.py",
    "cjk": "core/prompt/cjk_words.py",
    "modes": "core/prompt/mode_words.py",
    "everyday": "core/prompt/everyday_words.py",
    "thinking": "core/prompt/thinking_words.py",
    "goals": "core/verdict/goal_words.py",
}


def render_module(name: str, tables: dict[str, dict[str, Any]]) -> str:
    lines = [
        f'"""Made from content/words/{name}.toml by `make generate`: change the words there."""',
        "# fmt: off",
        "",
    ]
    for kind, group in tables.items():
        lines += [f"{key.upper()}{_KINDS[kind](table)}" for key, table in group.items()]
    return "\n".join([*lines, ""])


def _render_set(table: dict[str, str]) -> str:
    """A set from one text is ready sooner than from as many constants."""
    words = sorted({word for line in table.values() for word in line.split()})
    return f" = frozenset({_quote(' '.join(words))}.split())"


def _render_phrases(table: list[str] | dict[str, list[str]]) -> str:
    lists = [table] if isinstance(table, list) else table.values()
    phrases = list(dict.fromkeys(phrase for phrases in lists for phrase in phrases))
    return f": tuple[str, ...] = {_render(phrases)}"


def _render_map(table: dict[str, str] | dict[str, list[str]]) -> str:
    texts = all(isinstance(value, str) for value in table.values())
    return f": dict[str, {'str' if texts else 'tuple[str, ...]'}] = {_render(table)}"


_KINDS: dict[str, Callable[[Any], str]] = {
    "sets": _render_set,
    "phrases": _render_phrases,
    "maps": _render_map,
}


def _render(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_quote(key)}: {_render(one)}" for key, one in value.items()) + "}"
    if isinstance(value, list):
        return "(" + ", ".join(map(_quote, value)) + (",)" if len(value) == 1 else ")")
    return _quote(value)


def _quote(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def render_all(root: str) -> dict[str, str]:
    """The text of each module, by its path below the package."""
    made = {}
    for name, path in MODULES.items():
        with open(f"{root}/content/words/{name}.toml", "rb") as file:
            made[path] = render_module(name, tomllib.load(file))
    return made


def main() -> None:
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    for path, text in render_all(package.rsplit("/", 2)[0]).items():
        atomic.write(f"{package}/{path}", text, mode=0o644)


if __name__ == "__main__":
    main()
