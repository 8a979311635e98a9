"""What a person reads in sessions: each line of the client's screen and of our own program, kept for a reader.

`ULTRAWORK_DIARY=FILE` keeps it."""

import os
import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

FILE = os.environ.get("ULTRAWORK_DIARY", "")
_FRAME = re.compile(r"[\s\u2500-\u259f]*")
# What a person reads as an end. An answer to a command is none, but for the one that turns it off.
_END = re.compile(
    r"(?:(?<!by hook: )ultrawork: (?:PASS|UNVERIFIED|FAILED|CANCELLED)\b|ultrawork: off\b)[^\u23bf\u276f\u25cf]{0,120}"
)


def keep(title: str, lines: "Iterable[str]") -> None:
    if FILE:
        with open(FILE, "a", encoding="utf-8") as file:
            file.write("\n".join([f"## {title}", *lines, "", ""]))


def read(screen: str) -> list[str]:
    """Return the lines without frames; those that stand twice in a row once."""
    lines = [line.rstrip() for line in screen.splitlines() if not _FRAME.fullmatch(line)]
    return [line for place, line in enumerate(lines) if place == 0 or line != lines[place - 1]]


def flat(screen: str) -> str:
    """Return the screen without the client's line breaks."""
    return " ".join(screen.split())


def find_ends(screens: "Iterable[str]") -> list[str]:
    """Return what these screens say of ends, each once: a client that draws anew repeats its lines."""
    found = (end[0].strip() for screen in screens for end in _END.finditer(flat(screen)))
    return list(dict.fromkeys(found))
