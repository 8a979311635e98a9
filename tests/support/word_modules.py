"""
Words of prompts and goals as modules that hooks load fast, made from `words/*.toml`.

`make generate` writes them, and they are committed: an installed plugin runs no make.
"""

import json
import os
import tomllib
import zlib
from collections.abc import Callable
from typing import Any

from ultrawork.core.routing.evidence import NO_BREAK, SPACELESS, fold
from ultrawork.store import atomic

from .floor import PLUGIN, REPOSITORY

FOLDER = f"{REPOSITORY}/words"
# Each file of words, and the module of ours that is made from it.
MODULES = {
    "order": "core/prompt/order_words.py",
    "cjk": "core/prompt/cjk_words.py",
    "modes": "core/prompt/mode_words.py",
    "everyday": "core/prompt/everyday_words.py",
    "thinking": "core/prompt/thinking_words.py",
    "goals": "core/goal/goal_words.py",
    "catalogue": "core/routing/catalogue_words.py",
    "agents": "core/routing/agent_words.py",
}
# What is too large for a module: half of an install's words.
TERMS = "core/routing/terms"


# A set is made when it is first asked for: a prompt needs few of them, and making them takes longest.
_MAKING_SETS = """

def __getattr__(name: str) -> frozenset[str]:
    if name not in _SETS:
        raise AttributeError(name)
    made: frozenset[str] = frozenset(_SETS[name].split())
    globals()[name] = made
    return made
"""

_SPLITTING = """

def _split(phrases: str) -> tuple[str, ...]:
    return tuple(phrases.split("|"))


"""


def render_module(name: str, tables: dict[str, dict[str, Any]]) -> str:
    made = f'"""Made from words/{name}.toml by `make generate`: change the words there."""\n'
    return made + "# fmt: off\n\n" + "".join(_KINDS[kind](tables[kind]) for kind in tables)


def _render_sets(tables: dict[str, dict[str, str]]) -> str:
    """Words of all languages together."""
    lines = ["_SETS = {"]
    for key, table in tables.items():
        words = sorted({word for line in table.values() for word in line.split()})
        lines.append(f"    {_quote(key.upper())}: {_quote(' '.join(words))},")
    return "\n".join([*lines, "}", _MAKING_SETS])


def _render_phrases(tables: dict[str, list[str] | dict[str, list[str]]]) -> str:
    """In the order of the file; by language, or all of them in one list. As texts to split where that saves much."""
    found: dict[str, list[str]] = {}
    for key, table in tables.items():
        lists = [table] if isinstance(table, list) else table.values()
        found[key.upper()] = list(dict.fromkeys(phrase for one in lists for phrase in one))
    plain = "".join(f"{key}: tuple[str, ...] = {_render(phrases)}\n" for key, phrases in found.items())
    if not all(found.values()) or any("|" in phrase for phrases in found.values() for phrase in phrases):
        return plain
    split = "".join(f"{key} = _split({_quote('|'.join(phrases))})\n" for key, phrases in found.items())
    return _SPLITTING + split if len(plain) - len(split) > 500 else plain


def _render_maps(tables: dict[str, dict[str, Any]]) -> str:
    lines = []
    for key, table in tables.items():
        texts = all(isinstance(value, str) for value in table.values())
        kind = "str" if texts else "tuple[str, ...]"
        lines.append(f"{key.upper()}: dict[str, {kind}] = {_render(table)}\n")
    return "".join(lines)


def _render_ideas(tables: dict[str, dict[str, str]]) -> str:
    return f"IDEAS: tuple[str, ...] = {_render(list(tables))}\n"


def render_terms(tables: dict[str, dict[str, str]]) -> dict[str, bytes]:
    """Return each language's terms, packed, without those that another term of the idea stands for."""
    english = [_split_terms(table.get("en", "")) for table in tables.values()]
    languages = dict.fromkeys(language for table in tables.values() for language in table)
    packed = {}
    for language in languages:
        ideas = []
        for table, known in zip(tables.values(), english, strict=True):
            terms = _split_terms(table.get(language, ""))
            others = terms if language == "en" else terms + known
            ideas.append([term for term in terms if not any(_covers(other, term) for other in others)])
        packed[language] = _pack(ideas)
    return packed


def _split_terms(line: str) -> list[list[str]]:
    """Return the words of each term, each term once."""
    found = dict.fromkeys(_split_term(term) for term in fold(line).split(", ") if term)
    return [[first.replace(" ", NO_BREAK), *rest.split()] for first, rest in found]


def _split_term(term: str) -> tuple[str, str]:
    """Return its first word and the rest, split like a text; stars and gaps stay. In scripts without spaces: the
    whole."""
    if any(character >= SPACELESS for character in term):
        return term, ""
    kept = "".join(c if c.isalnum() or c in "*. " else " " for c in term).split()
    first, *rest = (part if part == ".." else part.strip(".") for part in kept)
    return first, " ".join(rest)


def _covers(one: list[str], other: list[str]) -> bool:
    """Return whether one term matches wherever the other does, as many words; English is looked for in every text."""
    return one is not other and len(one) == len(other) and all(map(_covers_word, one, other))


def _covers_word(one: str, other: str) -> bool:
    if one[-1] != "*" or one[0] == "*":
        return one == other
    return other not in ("..", one[:-1]) and other[0] != "*" and other.rstrip("*").startswith(one[:-1])


def _pack(ideas: list[list[list[str]]]) -> bytes:
    """Return the terms as `core.routing.evidence.unpack_terms` reads them; half of an install's words are these."""
    text = "|".join(";".join(sorted(" ".join(words) for words in terms)) for terms in ideas)
    return zlib.compress(text.encode(), 9)


def _render_weights(tables: dict[str, dict[str, int]]) -> str:
    lines = (f"    {_quote(agent)}: {json.dumps(worth, separators=(',', ':'))},\n" for agent, worth in tables.items())
    return f"WEIGHTS: dict[str, dict[str, int]] = {{\n{''.join(lines)}}}\n"


_KINDS: dict[str, Callable[[Any], str]] = {
    "sets": _render_sets,
    "phrases": _render_phrases,
    "maps": _render_maps,
    "ideas": _render_ideas,
    "weights": _render_weights,
}


def _render(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ",".join(f"{_quote(key)}:{_render(one)}" for key, one in value.items()) + "}"
    if isinstance(value, list):
        return "(" + ",".join(map(_quote, value)) + (",)" if len(value) == 1 else ")")
    return _quote(value)


def _quote(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def render_all() -> dict[str, str]:
    """The text of each module, by its path below the package."""
    made = {}
    for name, path in MODULES.items():
        with open(f"{FOLDER}/{name}.toml", "rb") as file:
            made[path] = render_module(name, tomllib.load(file))
    return made


def pack_all() -> dict[str, bytes]:
    """The packed terms of each language, by their path below the package."""
    with open(f"{FOLDER}/agents.toml", "rb") as file:
        packed = render_terms(tomllib.load(file)["ideas"])
    return {f"{TERMS}/{language}.zlib": terms for language, terms in packed.items()}


def main() -> None:
    for path, text in render_all().items():
        atomic.write(f"{PLUGIN}/src/ultrawork/{path}", text, mode=0o644)
    for path, packed in pack_all().items():
        write_packed(f"{PLUGIN}/src/ultrawork/{path}", packed)


def write_packed(path: str, packed: bytes) -> None:
    """Leave a file that says the same: a slower packer, such as zopfli, may have made it smaller."""
    if os.path.exists(path):
        with open(path, "rb") as file:
            if zlib.decompress(file.read()) == zlib.decompress(packed):
                return
    with open(path, "wb") as file:
        file.write(packed)


if __name__ == "__main__":
    main()
