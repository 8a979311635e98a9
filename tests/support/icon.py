"""
Draw the plugin's icon: a check mark on a dark square with round corners.

`PYTHONPATH=tests python -m support.icon` writes it: no image editor is needed to change it. Edges are smooth because each
pixel is weighted by its distance to the shape.
"""

import math
import struct
import zlib

from .floor import PLUGIN

PATH = f"{PLUGIN}/.claude-plugin/icon.png"
SIDE = 512
_CORNER = 112.0
_STROKE = 29.0
_STEPS = 7
_MARK = ((140.0, 268.0), (222.0, 350.0), (376.0, 176.0))
_BACK, _FRONT = (17, 24, 39), (74, 222, 128)


def draw() -> bytes:
    """Return the icon as a PNG file."""
    rows = [_row(y) for y in range(SIDE)]
    palette = {color: number for number, color in enumerate(sorted({color for row in rows for color in row}))}
    numbers = [[palette[color] for color in row] for row in rows]
    pairs = [bytes(left << 4 | right for left, right in zip(row[::2], row[1::2], strict=True)) for row in numbers]
    head = struct.pack(">IIBBBBB", SIDE, SIDE, 4, 3, 0, 0, 0)
    colors = b"".join(bytes(color[:3]) for color in palette)
    clear = bytes(color[3] for color in palette)
    parts = (
        ("IHDR", head), ("PLTE", colors), ("tRNS", clear), ("IDAT", zlib.compress(b"".join(b"\0" + row for row in pairs), 9)), ("IEND", b""),
    )  # fmt: skip
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(name.encode(), data) for name, data in parts)


def _chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def _row(y: int) -> list[tuple[int, ...]]:
    row = []
    for x in range(SIDE):
        inside = _cover(-_leave_square(x + 0.5, y + 0.5))
        mark = _cover(_STROKE - _leave_mark(x + 0.5, y + 0.5))
        shade = (round(back + (front - back) * mark) for back, front in zip(_BACK, _FRONT, strict=True))
        row.append((*shade, round(255 * inside)))
    return row


def _cover(depth: float) -> float:
    """Turn the distance to an edge into the share of the pixel that lies inside, in steps: sixteen colors fit into half
    a byte."""
    return round(min(max(depth + 0.5, 0.0), 1.0) * _STEPS) / _STEPS


def _leave_square(x: float, y: float) -> float:
    """Return the distance to the rounded square, negative inside."""
    half = SIDE / 2
    dx, dy = (abs(at - half) - (half - _CORNER) for at in (x, y))
    outside = math.hypot(max(dx, 0.0), max(dy, 0.0))
    return outside + min(max(dx, dy), 0.0) - _CORNER


def _leave_mark(x: float, y: float) -> float:
    """Return the distance to the line of the check mark."""
    return min(_leave_line(x, y, _MARK[0], _MARK[1]), _leave_line(x, y, _MARK[1], _MARK[2]))


def _leave_line(x: float, y: float, start: tuple[float, float], end: tuple[float, float]) -> float:
    along_x, along_y = end[0] - start[0], end[1] - start[1]
    share = ((x - start[0]) * along_x + (y - start[1]) * along_y) / (along_x**2 + along_y**2)
    share = min(max(share, 0.0), 1.0)
    return math.hypot(x - start[0] - share * along_x, y - start[1] - share * along_y)


if __name__ == "__main__":
    with open(PATH, "wb") as file:
        file.write(draw())
