"""Shared text inside a prompt: fragments between two comment lines, and families with slots."""

import re
from collections.abc import Iterable, Mapping

from ultrawork.core.value import Value

from .roster import Slots

_MARK = re.compile(r"<!-- (fragment|end): ([a-z0-9-]+) -->")
_COMMENT = re.compile(r"<!--.*-->")
_SLOT = re.compile(r"\{\{([a-z_]+)\}\}")


class BlockError(ValueError):
    """The comment lines of a file do not fit together."""


class BlockPart(Value):
    """A part of a body: `name` is the fragment it repeats, or empty for handwritten text."""

    name: str
    text: str


def split_parts(body: str) -> list[BlockPart]:
    block_parts: list[BlockPart] = []
    name, lines = "", list[str]()
    for line in body.split("\n"):
        mark = _MARK.fullmatch(line.strip())
        if mark is None:
            lines.append(line)
            continue
        kind, named = mark.groups()
        if (kind == "end") != bool(name) or (name and named != name):
            raise BlockError(f"the comment {line.strip()} has no partner")
        block_parts.append(BlockPart(name, "\n".join(lines).strip("\n")))
        name, lines = (named if kind == "fragment" else ""), []
    if name:
        raise BlockError(f"fragment {name} has no end; close it with <!-- end: {name} -->")
    block_parts.append(BlockPart("", "\n".join(lines).strip("\n")))
    return [part for part in block_parts if part.name or part.text.strip()]


def extract_own_words(body: str) -> str:
    """Return what was written by hand."""
    return "\n\n".join(part.text for part in split_parts(body) if not part.name)


def expand(body: str, wanted: Mapping[str, str]) -> str:
    """Return the body with each wanted fragment once: in its place, else at the end; others are dropped."""
    seen: set[str] = set()
    texts: list[str] = []
    for part in split_parts(body):
        if not part.name:
            texts.append(part.text)
        elif part.name in wanted and part.name not in seen:
            seen.add(part.name)
            texts.append(_block(part.name, wanted[part.name]))
    texts += [_block(name, text) for name, text in wanted.items() if name not in seen]
    return "\n\n".join(texts) + "\n"


def _block(name: str, text: str) -> str:
    return f"<!-- fragment: {name} -->\n{text.strip()}\n<!-- end: {name} -->"


def strip_marks(body: str) -> str:
    """Return the body without our comment lines."""
    return "\n".join(line for line in body.split("\n") if not _COMMENT.fullmatch(line.strip()))


def list_slots(family: str) -> list[str]:
    """The names of the slots of a family, in their order."""
    return list(dict.fromkeys(_SLOT.findall(family)))


def fill(family: str, given: Slots) -> str:
    return _SLOT.sub(lambda match: _slot(given[match.group(1)]), family)


def _slot(value: str | Iterable[str]) -> str:
    return value if isinstance(value, str) else "\n".join(f"- {one}" for one in value)
