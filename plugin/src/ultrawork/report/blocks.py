"""Parts of a screen, written once and shown two ways: plain for terminals and clients, or Markdown. External text is
escaped here and nowhere else."""

from collections.abc import Callable, Sequence

from ..core.value import Value
from ..core.wording import WIDTH, cut, escape_markdown, join_lines

_LEAST = 40  # the last column, where the most words are
_WIDEST = 40
_NARROWEST = 12


class Heading(Value):
    text: str
    level: int = 2


class Pairs(Value):
    """A name and its value per line; empty ones are left out."""

    rows: Sequence[tuple[str, str]]


class Grid(Value):
    """A table. The last column is the longest: it wraps, and nothing is lost."""

    head: Sequence[str]
    rows: Sequence[Sequence[str]]


class Items(Value):
    lines: Sequence[str]


Block = Heading | Pairs | Grid | Items


def render_blocks(blocks: Sequence[Block], *, markdown: bool = False) -> str:
    parts = [(_MARKDOWN if markdown else _PLAIN)[type(block)](block) for block in blocks]
    return "\n\n".join(part for part in parts if part)


def _plain_heading(block: Heading) -> str:
    return cut(join_lines(block.text), WIDTH)


def _plain_pairs(block: Pairs) -> str:
    rows = [(name, join_lines(text)) for name, text in block.rows if text]
    width = max((len(name) for name, _ in rows), default=0) + 2
    return "\n".join(line for name, text in rows for line in _hang(f"{name:<{width}}", text, width, WIDTH - width))


def _plain_items(block: Items) -> str:
    return "\n".join(line for text in block.lines for line in _hang("- ", join_lines(text), 2, WIDTH - 2))


def _plain_grid(block: Grid) -> str:
    cells = [[join_lines(cell) for cell in row] for row in (block.head, *block.rows)]
    widths = [min(_WIDEST, max(len(row[column]) for row in cells)) for column in range(len(block.head))]
    _fit(widths)
    return "\n".join(line for row in cells for line in _row(row, widths))


def _fit(widths: list[int]) -> None:
    """Narrow the widest leading columns until the last one has room for words."""
    while True:
        lead = sum(widths[:-1]) + 2 * (len(widths) - 1)
        widest = max(range(len(widths) - 1), key=widths.__getitem__, default=0)
        if WIDTH - lead >= _LEAST or widths[widest] <= _NARROWEST:
            widths[-1] = max(_LEAST, WIDTH - lead)
            return
        widths[widest] -= 1


def _row(cells: Sequence[str], widths: Sequence[int]) -> list[str]:
    lead = "".join(f"{cut(cell, width):<{width}}  " for cell, width in zip(cells[:-1], widths[:-1], strict=True))
    return [line.rstrip() for line in _hang(lead, cells[-1], len(lead), widths[-1])]


def _hang(first: str, text: str, indent: int, width: int) -> list[str]:
    """Words behind a beginning, and below themselves where they are too many."""
    lines = [""]
    for word in text.split():
        if lines[-1] and len(lines[-1]) + 1 + len(word) > width:
            lines.append("")
        lines[-1] += f" {word}" if lines[-1] else word
    return [f"{first}{lines[0]}".rstrip(), *(" " * indent + line for line in lines[1:])]


def _markdown_pairs(block: Pairs) -> str:
    # Two blanks at the end of a line are a line break in Markdown.
    return "  \n".join(f"**{name}:** {escape_markdown(text)}" for name, text in block.rows if text)


def _markdown_grid(block: Grid) -> str:
    rows = [f"| {' | '.join(map(_markdown_cell, row))} |" for row in block.rows]
    return "\n".join([f"| {' | '.join(block.head)} |", "|---" * len(block.head) + "|", *rows])


def _markdown_cell(text: str) -> str:
    """A mark at the beginning of a line is none at the beginning of a cell."""
    return escape_markdown(f". {text}")[2:]


_PLAIN: dict[type, Callable[..., str]] = {
    Heading: _plain_heading,
    Pairs: _plain_pairs,
    Grid: _plain_grid,
    Items: _plain_items,
}
_MARKDOWN: dict[type, Callable[..., str]] = {
    Heading: lambda block: f"{'#' * block.level} {escape_markdown(block.text)}",
    Pairs: _markdown_pairs,
    Grid: _markdown_grid,
    Items: lambda block: "\n".join(f"- {escape_markdown(line)}" for line in block.lines),
}
