"""What a text mentions: agents, skills, calls of the program; and what it shares with another, eight words in a row."""

import re
from collections.abc import Iterator

from ultrawork.core.value import Value

_NAME = re.compile(r"(?<![\w:/-])(/?)ultrawork:([a-z0-9][\w:-]*[a-z0-9])")
_CODE = re.compile(r"`([^`\n]+)`")
_FENCED = re.compile(r"```[^\n]*\n(.*?)```", re.DOTALL)
_PROGRAMS = ("ultrawork", "ulw")
_ENDS = ("|", "<", "<<", ">", "&&", ";")
_ALLOWED = re.compile(r"Bash\(((?:ultrawork|ulw) [a-z][a-z -]*)(?::\*)?\)")


class Mention(Value):
    """`ultrawork:worker`, or with a slash before it: a command that a user types."""

    name: str
    typed: bool


def find_names(text: str) -> list[Mention]:
    return [Mention(match[2], typed=bool(match[1])) for match in _NAME.finditer(text)]


def find_calls(text: str) -> Iterator[list[str]]:
    """Yield the words after the program's name, of each call in code."""
    fenced = _FENCED.findall(text)
    lines = [line for block in fenced for line in block.splitlines()]
    for code in (*lines, *_CODE.findall(_FENCED.sub("", text))):
        words = code.split()
        if len(words) > 1 and words[0] in _PROGRAMS and words[1][:1].islower():
            yield _until(words[1:])


def _until(words: list[str]) -> list[str]:
    """Up to a pipe or a redirection."""
    end = next((at for at, word in enumerate(words) if word.startswith(_ENDS)), len(words))
    return words[:end]


def parse_allowed(tool: str) -> list[str] | None:
    """Return the words of `Bash(ultrawork verify:*)`; None for anything else."""
    match = _ALLOWED.fullmatch(tool)
    return None if match is None else match.group(1).split()[1:]


SHARED_WORDS = 8
_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")  # noqa: RUF001 (both apostrophes are written)


def split_words(text: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(text)]


def find_shared(one: str, other: str) -> str:
    """The first eight words in a row that both have; empty if there are none."""
    known = set(_runs(one))
    return next((" ".join(run) for run in _runs(other) if run in known), "")


def _runs(text: str) -> list[tuple[str, ...]]:
    found = split_words(text)
    return [tuple(found[at : at + SHARED_WORDS]) for at in range(len(found) - SHARED_WORDS + 1)]
