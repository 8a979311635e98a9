"""Columns for people: as wide as needed, the last one cut at the edge of the screen."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

WIDTH = 100


def table(head: "Sequence[str]", rows: "Sequence[Sequence[str]]") -> str:
    cells = [[_plain(cell) for cell in row] for row in (head, *rows)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(head) - 1)]
    return "\n".join(_line(row, widths) for row in cells)


def _line(row: "Sequence[str]", widths: "Sequence[int]") -> str:
    start = "".join(f"{cell:<{width}}  " for cell, width in zip(row, widths, strict=False))
    room = max(20, WIDTH - len(start))
    last = row[-1] if len(row[-1]) <= room else row[-1][: room - 1] + "…"
    return (start + last).rstrip()


def _plain(cell: str) -> str:
    return "".join(c if c.isprintable() else " " for c in cell)
