"""Lay out rows of text that fit a screen: fixed columns, optional columns, and one that takes the remaining width."""

from collections.abc import Sequence
from unicodedata import east_asian_width

from ..core.value import Value
from ..core.wording import strip_controls

_GAP = 2
_SHORTEST = 8


class Column(Value):
    """`width` 0 takes the remaining width. The column is shown on screens of at least `least` columns."""

    name: str
    width: int
    least: int = 0


def choose_columns(columns: Sequence[Column], screen: int) -> list[tuple[int, int]]:
    """Return index and width of each column that fits this screen."""
    shown = [(at, column) for at, column in enumerate(columns) if column.least <= screen]
    free = sum(not column.width for _, column in shown)
    taken = sum(column.width for _, column in shown) + _GAP * (len(shown) - 1)
    share = max(_SHORTEST, (screen - taken) // free) if free else 0
    return [(at, column.width or share) for at, column in shown]


def lay_out(columns: Sequence[Column], rows: Sequence[Sequence[str]], screen: int) -> list[str]:
    """Return the heading and a line for each row, none wider than the screen."""
    chosen = choose_columns(columns, screen)
    heading = tuple(column.name for column in columns)
    return [_lay_row(row, chosen, screen) for row in (heading, *rows)]


def _lay_row(row: Sequence[str], chosen: Sequence[tuple[int, int]], screen: int) -> str:
    cells = [fit_cell(row[at], width) for at, width in chosen]
    return fit_cell((" " * _GAP).join(cells), screen).rstrip()


def fit_cell(text: str, width: int) -> str:
    """Return the text in exactly this many terminal cells. An ellipsis marks what was cut."""
    clean = " ".join(strip_controls(text).split()) if not text.isprintable() else text
    if clean.isascii():
        return f"{clean[: width - 1]}…" if len(clean) > width else clean.ljust(width)
    return _fit_wide(clean, width)


def _fit_wide(text: str, width: int) -> str:
    """Do the same for text with characters that take two cells."""
    sizes = [2 if east_asian_width(character) in "WF" else 1 for character in text]
    if sum(sizes) <= width:
        return text + " " * (width - sum(sizes))
    room, kept = width - 1, 0
    for size in sizes:
        if size > room:
            break
        room -= size
        kept += 1
    return f"{text[:kept]}…{' ' * room}"


def wrap(text: str, width: int, most: int = 0) -> list[str]:
    """Return the text in lines of at most this width, broken between words, and at most `most` lines if given."""
    from textwrap import wrap as wrap_words

    lines: list[str] = []
    for line in text.splitlines():
        lines += wrap_words(strip_controls(line), max(width, _SHORTEST)) or [""]
    if most and len(lines) > most:
        return [*lines[: most - 1], "…"]
    return lines
