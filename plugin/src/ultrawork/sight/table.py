"""Rows of text that fit a screen: columns of a fixed width, some only where there is room, one that takes the rest."""

from collections.abc import Sequence
from unicodedata import east_asian_width

from ..core.value import Value
from ..core.wording import strip_controls

_GAP = 2
_SHORTEST = 8


class Column(Value):
    """`width` 0 takes what the others leave. It is shown on screens of `least` columns and more."""

    name: str
    width: int
    least: int = 0


def choose_columns(columns: Sequence[Column], screen: int) -> list[tuple[int, int]]:
    """Return place and width of each column that this screen has room for."""
    shown = [(at, one) for at, one in enumerate(columns) if one.least <= screen]
    free = sum(not one.width for _, one in shown)
    taken = sum(one.width for _, one in shown) + _GAP * (len(shown) - 1)
    share = max(_SHORTEST, (screen - taken) // free) if free else 0
    return [(at, one.width or share) for at, one in shown]


def lay_out(columns: Sequence[Column], rows: Sequence[Sequence[str]], screen: int) -> list[str]:
    """Return the heading and a line for each row, none wider than the screen."""
    chosen = choose_columns(columns, screen)
    heading = tuple(one.name for one in columns)
    return [_lay_row(row, chosen, screen) for row in (heading, *rows)]


def _lay_row(row: Sequence[str], chosen: Sequence[tuple[int, int]], screen: int) -> str:
    cells = [fit_cell(row[at], width) for at, width in chosen]
    return fit_cell((" " * _GAP).join(cells), screen).rstrip()


def fit_cell(text: str, width: int) -> str:
    """Return the text in exactly so many cells of a terminal; what is left out shows as an ellipsis."""
    clean = " ".join(strip_controls(text).split()) if not text.isprintable() else text
    if clean.isascii():
        return f"{clean[: width - 1]}…" if len(clean) > width else clean.ljust(width)
    return _fit_wide(clean, width)


def _fit_wide(text: str, width: int) -> str:
    """Signs of some scripts take two cells."""
    sizes = [2 if east_asian_width(sign) in "WF" else 1 for sign in text]
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
    """Return the text in lines of at most this width, cut between words; `most` lines, if given."""
    from textwrap import wrap as wrap_words

    lines: list[str] = []
    for line in text.splitlines():
        lines += wrap_words(strip_controls(line), max(width, _SHORTEST)) or [""]
    if most and len(lines) > most:
        return [*lines[: most - 1], "…"]
    return lines
