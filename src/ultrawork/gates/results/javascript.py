"""What jest, vitest and mocha have in common: trees of names, stacks, comparisons."""

import re

from .text import frame, one_line, placed

_COMPARED = re.compile(r"^\s*(Expected|Received):? *(.+)$", re.MULTILINE)


class Suites:
    """The suites that are open while an indented tree of names is read."""

    def __init__(self) -> None:
        self._open: list[tuple[int, str]] = []

    def enter(self, depth: int, name: str) -> None:
        self.leave(depth)
        self._open.append((depth, name))

    def leave(self, depth: int) -> None:
        self._open = [suite for suite in self._open if suite[0] < depth]

    def path(self, depth: int) -> list[str]:
        return [name for at, name in self._open if at < depth]


def joined(*parts: str) -> str:
    return " > ".join(part for part in parts if part)


def message(body: str) -> str:
    """jest shows a comparison in two lines of its own; they say more than the sentence above."""
    compared = [f"{word} {value.strip()}" for word, value in _COMPARED.findall(body)[:2]]
    said = ", ".join(compared).lower() if len(compared) == 2 else one_line(body)
    return placed(frame(body), one_line(said))
