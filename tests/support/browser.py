"""A real browser for pages: headless Chromium, on files of this machine alone."""

import collections
import re
import struct
import subprocess
import zlib

from .chromium_install import find_chromium

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run",
    "--allow-file-access-from-files", "--disable-background-networking", "--proxy-server=127.0.0.1:9",
)  # fmt: skip


class Browser:
    def __init__(self, program: str) -> None:
        self.program = program

    @classmethod
    def find(cls) -> "Browser":
        return cls(find_chromium())

    def look(self, address: str, folder: str, flags: "Sequence[str]" = ()) -> "collections.Counter[tuple[int, ...]]":
        """The colours of a picture of the page, counted; the picture stays in the folder."""
        path = f"{folder}/page.png"
        self._run(folder, "--window-size=800,300", f"--screenshot={path}", *flags, address)
        with open(path, "rb") as file:
            return collections.Counter(_read_pixels(file.read()))

    def measure_width(self, path: str, width: int, folder: str) -> int:
        """Return how wide a page or one of its tables becomes on a screen of this width."""
        frame = f"{folder}/frame.html"
        with open(frame, "w", encoding="utf-8") as file:
            file.write(
                f"<iframe src='file://{path}' style='border:0;width:{width}px;height:900px'"
                ' onload="const page = this.contentDocument;'
                " const wide = [...page.querySelectorAll('table')].map(one => one.scrollWidth);"
                " document.title = 'w' + Math.max(page.documentElement.scrollWidth, ...wide)\"></iframe>"
            )
        shown = self._run(folder, "--virtual-time-budget=2000", "--dump-dom", f"file://{frame}")
        found = re.search(r"<title>w(\d+)</title>", shown)
        assert found, shown[:500]
        return int(found[1])

    def _run(self, folder: str, *words: str) -> str:
        command = [self.program, *_FLAGS, f"--user-data-dir={folder}/profile", *words]
        done = subprocess.run(command, check=True, capture_output=True, timeout=60, stdin=subprocess.DEVNULL)
        return done.stdout.decode("utf-8", "replace")


def _read_pixels(data: bytes) -> "list[tuple[int, ...]]":
    """The pixels of a PNG with eight bits a colour: what a browser writes."""
    place, packed, width, height, colours = 8, b"", 0, 0, 3
    while place < len(data):
        (size,), kind = struct.unpack(">I", data[place : place + 4]), data[place + 4 : place + 8]
        body = data[place + 8 : place + 8 + size]
        if kind == b"IHDR":
            width, height, _, form = struct.unpack(">IIBB", body[:10])
            colours = {2: 3, 6: 4}[form]
        packed += body if kind == b"IDAT" else b""
        place += size + 12
    return _unfilter(zlib.decompress(packed), width, height, colours)


def _unfilter(raw: bytes, width: int, height: int, colours: int) -> "list[tuple[int, ...]]":
    length, above, found = width * colours, bytearray(width * colours), []
    for row in range(height):
        start = row * (length + 1)
        kind, line = raw[start], bytearray(raw[start + 1 : start + 1 + length])
        for at in range(length):
            left = line[at - colours] if at >= colours else 0
            corner = above[at - colours] if at >= colours else 0
            line[at] = (line[at] + _guess(kind, left, above[at], corner)) & 255
        above = line
        found += [tuple(line[at : at + 3]) for at in range(0, length, colours)]
    return found


def _guess(kind: int, left: int, up: int, corner: int) -> int:
    if kind == 4:
        near = left + up - corner
        return min((left, up, corner), key=lambda one: abs(near - one))
    return (0, left, up, (left + up) // 2)[kind]
