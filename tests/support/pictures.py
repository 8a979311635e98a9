"""Draw every live screen into `docs/pictures`, from sessions that real events played: `make pictures`.

The full screen comes from Textual, the page from a real Chromium, and the inbox and the status line are what the
program printed. Each picture is small, and none is edited by hand.
"""

import asyncio
import json
import os
import re
import sys
import tempfile
import warnings
from time import time

from ultrawork.store.paths import Home
from ultrawork.store.store import Store

from . import recorder
from .chromium import Chromium
from .dashboard import DashboardProcess
from .floor import PLUGIN, REPOSITORY
from .stage import Stage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

FOLDER = f"{REPOSITORY}/docs/pictures"
# Ages as after a short walk away from the machine.
_LATER = 180.0
# Keys that lead from the first screen to each picture of the full screen, and how many lines it needs.
_SCREENS = {
    "watch-sessions": ((), 10),
    "watch-inbox": (("i",), 12),
    "watch-board": (("down", "down", "enter"), 18),
    "watch-agent": (("down", "down", "enter", "enter"), 14),
    "watch-receipt": (("end", "enter", "enter"), 18),
}
_PAGES = {
    "dashboard-light": ("light", 1100, 1170),
    "dashboard-dark": ("dark", 1100, 1170),
    "dashboard-phone": ("light", 375, 900),
}
_COLUMNS = 112


def draw_inbox(stage: Stage) -> str:
    return _draw_text("ultrawork inbox", stage.shop.run("inbox"))


def draw_status_line(stage: Stage) -> str:
    """Return the three presets for a session with a plan."""
    given = json.dumps({"session_id": stage.dates.name}).encode()
    shown = [
        f"{preset:<10}{stage.dates.run('statusline', '--preset', preset, stdin=given).strip()}"
        for preset in ("minimal", "focused", "full")
    ]
    return _draw_text("ultrawork statusline --preset …", "\n".join(shown))


def _draw_text(command: str, text: str) -> str:
    shown = re.sub(r"process \d+", "process 4242", text.rstrip())
    return recorder.render([(0.0, line) for line in shown.splitlines()], command, moves=False)


def draw_screens(stage: Stage, keep: "Callable[[str, str], None]") -> None:
    store = Store(Home(stage.home), actor="person", clock=lambda: time() + _LATER)
    for name, (keys, rows) in _SCREENS.items():
        keep(f"{name}.svg", asyncio.run(_draw_screen(store, keys, rows)))
    store.database.close()


async def _draw_screen(store: Store, keys: tuple[str, ...], rows: int) -> str:
    from ultrawork.sight.screen import BoardScreen

    app = BoardScreen(store, {}, program=[f"{PLUGIN}/bin/ultrawork"], name_person=lambda: "")
    async with app.run_test(size=(_COLUMNS, rows)) as pilot:
        for key in keys:
            await pilot.press(key)
            await pilot.pause()
        shown = ""
        while "Quit" not in shown:  # the last word of the screen
            await pilot.pause(0.1)
            shown = app.export_screenshot(title="ultrawork watch --all")
    # Without the web fonts that the library names, and the same ids every time.
    drawn = re.sub(r"@font-face \{.*?\}|<!--.*?-->", "", shown, flags=re.DOTALL)
    drawn = re.sub(r"terminal-\d+", "terminal-1", drawn)
    return "\n".join(line.rstrip() for line in drawn.splitlines() if line.strip()) + "\n"


def draw_pages(stage: Stage, folder: str) -> None:
    with DashboardProcess(stage.home) as server, Chromium(f"{folder}/browser") as browser:
        for name, (scheme, width, height) in _PAGES.items():
            with browser.open_page() as page:
                page.resize(width, height)
                page.choose_colors(scheme)
                page.open(server.address)
                page.wait_for("document.getElementById('life').textContent === 'live'")
                page.wait_for("document.querySelectorAll('#board tr').length === 4")
                page.evaluate(f"openSession('{stage.dates.name}')")
                page.wait_for("document.querySelectorAll('#parts tr').length > 4")
                page.evaluate("document.activeElement.blur(); window.scrollTo(0, 0)")
                page.take_picture(f"{FOLDER}/{name}.png")


def _keep(name: str, text: str) -> None:
    with open(f"{FOLDER}/{name}", "w", encoding="utf-8") as file:
        file.write(text)


def main() -> None:
    warnings.simplefilter("ignore", ResourceWarning)
    with tempfile.TemporaryDirectory() as folder:
        stage = Stage(f"{folder}/stage")
        _keep("inbox.svg", draw_inbox(stage))
        _keep("status-line.svg", draw_status_line(stage))
        draw_screens(stage, _keep)
        draw_pages(stage, folder)
    for name in sorted(os.listdir(FOLDER)):
        sys.stdout.write(f"docs/pictures/{name}: {os.path.getsize(f'{FOLDER}/{name}') >> 10} kB\n")


if __name__ == "__main__":
    main()
