"""
Record the demo into one picture: every line as the program printed it, at the second it printed it.

`make picture` writes `docs/pictures/demo.svg`. The picture follows the reader's light or dark theme. A viewer that
does not animate, or a reader who asked for less motion, sees the last frame with all lines. A test runs the demo
again and compares the lines with `strip_chance`, so the picture cannot show what the program does not print.
"""

import os
import re
import subprocess
import sys
import tempfile
from html import escape
from time import monotonic

from .floor import PATH, PLUGIN, REPOSITORY

PICTURE = f"{REPOSITORY}/docs/pictures/demo.svg"
COMMAND = "make demo"
Line = tuple[float, str]
_WIDEST = 112
_WIDTH, _HEIGHT, _LEFT, _TOP = 7.6, 19, 22, 58
# Words with their own color; the words say the same without it.
_COLORS = (("ok", r"\bPASS\b.*|\bmerged\b"), ("no", r"\bfail(?:s|ed|ing)?\b|\bsent back\b|\bconflict\b"))
_STYLE = """
  .back { fill: #ffffff; stroke: #d0d7de }
  text { font: 13px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; fill: #24292f; white-space: pre }
  .dim { fill: #6e7781 }
  .ok { fill: #1a7f37; font-weight: 600 }
  .no { fill: #bc4c00; font-weight: 600 }
  @media (prefers-color-scheme: dark) {
    .back { fill: #0d1117; stroke: #30363d }
    text { fill: #e6edf3 }
    .dim { fill: #8b949e }
    .ok { fill: #3fb950 }
    .no { fill: #f0883e }
  }
"""
# A picture that does not move has none of this: some viewers show its first frame.
_MOTION = """  .line { animation: come 0.2s backwards }
  @keyframes come { from { opacity: 0 } to { opacity: 1 } }
  @media (prefers-reduced-motion: reduce) { .line { animation: none } }
"""


def record(folder: str) -> list[Line]:
    """Run the demo with its state in `folder` and return each line with the second it came."""
    env = {"PATH": PATH, "HOME": folder, "ULTRAWORK_HOME": f"{folder}/state"}
    started = monotonic()
    with subprocess.Popen(
        [f"{PLUGIN}/bin/ultrawork", "demo"], env=env, stdout=subprocess.PIPE, text=True, cwd=folder
    ) as running:
        assert running.stdout is not None
        lines = [(monotonic() - started, _hide_places(line.rstrip("\n"), folder)) for line in running.stdout]
    if running.returncode:
        raise SystemExit(f"the demo ended with {running.returncode}")
    return lines


def _hide_places(line: str, folder: str) -> str:
    """Return the line without folders of this machine."""
    shown = line.replace(PLUGIN, "plugin").replace(os.path.realpath(folder), "~").replace(folder, "~")
    return re.sub(r"(?<=demo-)\w+|(?<=sessions/)\w+", "1a2b", shown)


def strip_chance(lines: list[str]) -> list[str]:
    """Drop what may differ between two correct runs: times, ids, the order of parallel work, who of two came second."""
    found = []
    for line in lines:
        plain = re.sub(r"^\d+:\d\d  |\b[0-9a-f]{8}\b|\b[\d.]+ (?:s|min)\b|\d+ agents", "", line)
        plain = re.sub(r"\b(?:in-city|cities|test_city|test_cities)\b", "CITY", plain)
        plain = re.sub(r"(?<=proved by ).*", "", plain)
        found.append(plain.rstrip())
    return sorted(filter(None, found))


def read_lines(picture: str) -> list[str]:
    """Return the lines of the program that a picture shows."""
    from xml.etree import ElementTree as ET

    root = ET.fromstring(picture)
    texts = root.iter("{http://www.w3.org/2000/svg}text")
    return ["".join(one.itertext()) for one in texts if one.get("class") == "line"]


def render(lines: list[Line], command: str = COMMAND, *, moves: bool = True) -> str:
    """Return the picture of a command and the lines it printed, as SVG; `moves` lets them appear in their time."""
    shown = [(at, line[: _WIDEST - 1] + "…" if len(line) > _WIDEST else line) for at, line in lines]
    width = round(_WIDEST * _WIDTH) + 2 * _LEFT
    height = _TOP + len(shown) * _HEIGHT + 12
    rows = [
        f'<text class="line" x="{_LEFT}" y="{_TOP + number * _HEIGHT}"'
        f"{_delay(at) if moves else ''}>{_color(line)}</text>"
        for number, (at, line) in enumerate(shown)
    ]
    head = f'<text x="{_LEFT}" y="32" class="dim">$ {command}</text>'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img"'
        f' aria-label="A recording of {command}">\n<style>{_STYLE}{_MOTION if moves else ""}</style>\n'
        f'<rect class="back" x="0.5" y="0.5" width="{width - 1}" height="{height - 1}" rx="8"/>\n'
        + "\n".join([head, *rows])
        + "\n</svg>\n"
    )


def _delay(at: float) -> str:
    return f' style="animation-delay:{at:.1f}s"'


def _color(line: str) -> str:
    time = re.match(r"\d+:\d\d", line)
    start = time.end() if time else 0
    shown = f'<tspan class="dim">{line[:start]}</tspan>' if start else ""
    pattern = "|".join(f"(?P<{name}>{words})" for name, words in _COLORS)
    for found in re.compile(pattern).finditer(line, start):
        at = found.start()
        shown += escape(line[start:at]) + f'<tspan class="{found.lastgroup}">{escape(found[0])}</tspan>'
        start = at + len(found[0])
    return shown + escape(line[start:])


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        lines = record(os.path.realpath(folder))
    os.makedirs(os.path.dirname(PICTURE), exist_ok=True)
    with open(PICTURE, "w", encoding="utf-8") as file:
        file.write(render(lines))
    sys.stdout.write(f"wrote {os.path.relpath(PICTURE)}\n")


if __name__ == "__main__":
    main()
