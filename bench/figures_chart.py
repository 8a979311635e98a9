"""The chart of the README: one SVG for light and dark, one bar a share, with its numbers in words beside it."""

from html import escape

_WIDTH, _ROW, _LEFT, _BAR, _TOP = 860, 24, 400, 260, 20
_GOOD, _BAD = "good", "bad"
_STYLE = """
  .back { fill: #ffffff; stroke: #d0d7de }
  text { font: 13px ui-sans-serif, system-ui, sans-serif; fill: #24292f }
  .head { font-weight: 600 }
  .dim { fill: #6e7781; font-size: 11px }
  .rail { fill: #eaeef2 }
  .good { fill: #1a7f37 }
  .bad { fill: #bc4c00 }
  @media (prefers-color-scheme: dark) {
    .back { fill: #0d1117; stroke: #30363d }
    text { fill: #e6edf3 }
    .dim { fill: #8b949e }
    .rail { fill: #21262d }
    .good { fill: #3fb950 }
    .bad { fill: #f0883e }
  }
"""


def render_chart(measured, repeat):
    """`measured` are sets with their figures, `repeat` the command that repeats all of them."""
    parts, y = [], _TOP
    for one in measured:
        y += _ROW
        parts.append(f'<text class="head" x="20" y="{y}">{escape(one.set.title)}</text>')
        for figure in one.figures:
            y += _ROW
            parts += _draw_row(figure, y)
        y += _ROW - 4
        said = f"{one.drawn}; {one.date}; versions and every run: docs/explanation/figures.md"
        parts.append(f'<text class="dim" x="20" y="{y}">{escape(said)}</text>')
        y += 8
    y += _ROW
    parts.append(f'<text class="dim" x="20" y="{y}">Repeat it: {escape(repeat)}</text>')
    height = y + _TOP
    title = "; ".join(f"{figure.label}: {figure.text}" for one in measured for figure in one.figures)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" width="{_WIDTH}" height="{height}" role="img">'
        f"<title>{escape(title)}</title><style>{_STYLE}</style>"
        f'<rect class="back" x="0.5" y="0.5" width="{_WIDTH - 1}" height="{height - 1}" rx="8"/>\n'
        + "\n".join(parts)
        + "\n</svg>\n"
    )


def _draw_row(figure, y):
    row = [f'<text x="36" y="{y}">{escape(figure.label)}</text>']
    if figure.of:
        row.append(f'<rect class="rail" x="{_LEFT}" y="{y - 11}" width="{_BAR}" height="14" rx="3"/>')
        width = round(_BAR * figure.share, 1)
        if width:
            row.append(
                f'<rect class="{_name_color(figure)}" x="{_LEFT}" y="{y - 11}" width="{width}" height="14" rx="3"/>'
            )
    row.append(f'<text x="{_LEFT + _BAR + 16}" y="{y}">{escape(figure.text)}</text>')
    return row


def _name_color(figure):
    """Most of a good thing is good, anything of a bad one is not."""
    return _GOOD if figure.best == "high" else _BAD
