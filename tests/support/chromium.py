"""Drive a real Chromium the way a person does: pages, keys, clicks, sizes, color schemes and pictures.

It speaks the browser's own protocol over two pipes, so nothing but the browser has to be installed.
"""

import base64
import itertools
import json
import os
import select
import subprocess
import sys
import time

from .chromium_install import find_chromium
from .clients import Lock, tools_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Self

_FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run",
    "--disable-background-networking", "--disable-dev-shm-usage", "--remote-debugging-pipe",
)  # fmt: skip
# The browser reads from descriptor 3 and writes to 4. The copies lie above both, so that neither is overwritten.
_CONNECT = (
    "import fcntl, os, sys; copies = [fcntl.fcntl(int(n), fcntl.F_DUPFD, 10) for n in sys.argv[1:3]];"
    " os.dup2(copies[0], 3); os.dup2(copies[1], 4); os.execv(sys.argv[3], sys.argv[3:])"
)
_PATIENCE = 20.0
AXE = "4.14.0"
_KEYS = {"Tab": (9, ""), "Enter": (13, "\r"), "Escape": (27, ""), " ": (32, " ")}


class Chromium:
    """A running browser. `open_page` gives a page with storage of its own. A context manager."""

    def __init__(self, folder: str) -> None:
        self._program = find_chromium()
        self._folder = folder
        self._numbers = itertools.count(1)
        self._rest = b""
        self.complaints: dict[str, list[str]] = {}

    def __enter__(self) -> "Self":
        read_theirs, self._write = os.pipe()
        self._read, write_theirs = os.pipe()
        command = [self._program, *_FLAGS, f"--user-data-dir={self._folder}/profile", "about:blank"]
        starter = [sys.executable, "-c", _CONNECT, str(read_theirs), str(write_theirs)]
        self._process = subprocess.Popen(
            [*starter, *command], pass_fds=(read_theirs, write_theirs), stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip
        os.close(read_theirs)
        os.close(write_theirs)
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()
        os.close(self._write)
        os.close(self._read)

    def open_page(self) -> "Page":
        context = self.call("Target.createBrowserContext")["browserContextId"]
        target = self.call("Target.createTarget", url="about:blank", browserContextId=context)
        attached = self.call("Target.attachToTarget", targetId=target["targetId"], flatten=True)
        return Page(self, attached["sessionId"], context)

    def call(self, method: str, session: str = "", **given: "Any") -> "dict[str, Any]":
        """Call a method of the browser, or of the page with this session, and return its result."""
        number = next(self._numbers)
        message = {"id": number, "method": method, "params": given}
        if session:
            message["sessionId"] = session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self._write, data) :]
        end = time.monotonic() + _PATIENCE
        while True:
            answer = self._read_message(end)
            if answer.get("id") == number:
                assert "error" not in answer, answer
                result: dict[str, Any] = answer["result"]
                return result
            self._keep_complaint(answer)

    def _read_message(self, end: float) -> "dict[str, Any]":
        while b"\0" not in self._rest:
            ready, _, _ = select.select([self._read], [], [], max(0.0, end - time.monotonic()))
            assert ready, f"the browser has not answered within {_PATIENCE} s"
            data = os.read(self._read, 1 << 20)
            assert data, f"the browser has ended: exit {self._process.wait()}"
            self._rest += data
        whole, _, self._rest = self._rest.partition(b"\0")
        message: dict[str, Any] = json.loads(whole)
        return message

    def _keep_complaint(self, event: "dict[str, Any]") -> None:
        """Keep errors of a page's scripts, and what its policy forbids."""
        given = event.get("params", {})
        if event.get("method") == "Log.entryAdded":
            text = str(given["entry"]["text"])
        elif event.get("method") == "Runtime.exceptionThrown":
            text = json.dumps(given["exceptionDetails"])[:500]
        else:
            return
        self.complaints.setdefault(str(event.get("sessionId")), []).append(text)


class Page:
    """One page. A context manager."""

    def __init__(self, browser: Chromium, session: str, context: str) -> None:
        self._browser = browser
        self._session = session
        self._context = context

    def __enter__(self) -> "Self":
        for domain in ("Page", "Runtime", "Log"):
            self._call(f"{domain}.enable")
        return self

    def __exit__(self, *_: object) -> None:
        self._browser.call("Target.disposeBrowserContext", browserContextId=self._context)

    def _call(self, method: str, **given: "Any") -> "dict[str, Any]":
        return self._browser.call(method, self._session, **given)

    @property
    def complaints(self) -> list[str]:
        self.evaluate("0")  # what came before this answer has been read
        return self._browser.complaints.get(self._session, [])

    def open(self, address: str) -> None:
        self._call("Page.navigate", url=address)
        self.wait_for("location.protocol !== 'about:' && document.readyState === 'complete'")

    def evaluate(self, text: str) -> "Any":
        answer = self._call("Runtime.evaluate", expression=text, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def wait_for(self, text: str, seconds: float = _PATIENCE) -> "Any":
        """Wait until this expression is true in the page, and return its value."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            value = self.evaluate(text)
            if value:
                return value
            time.sleep(0.05)
        shown = self.evaluate("document.body.innerText")
        raise AssertionError(f"not true within {seconds} s: {text}\n{shown}\n{self.complaints}")

    def resize(self, width: int, height: int) -> None:
        self._call(
            "Emulation.setDeviceMetricsOverride",
            width=width, height=height, deviceScaleFactor=1, mobile=width < 500,
        )  # fmt: skip

    def choose_colors(self, scheme: str) -> None:
        feature = {"name": "prefers-color-scheme", "value": scheme}
        self._call("Emulation.setEmulatedMedia", features=[feature])

    def press(self, key: str) -> None:
        code, text = _KEYS[key]
        for kind in ("keyDown", "keyUp"):
            self._call(
                "Input.dispatchKeyEvent",
                type=kind, key=key, code=key, windowsVirtualKeyCode=code, text=text,
            )  # fmt: skip

    def list_accessibility_problems(self) -> list[str]:
        """Run axe-core in the page and return what it finds. It is no part of the page itself."""
        self.evaluate(_read_axe() + "; 0")
        found: list[str] = self.evaluate(
            "axe.run().then((result) => result.violations.map((rule) => rule.id + ': '"
            " + rule.help + ' ' + rule.nodes.map((node) => node.html).join(' ')))"
        )
        return found

    def take_picture(self, path: str) -> None:
        picture = self._call("Page.captureScreenshot", format="png")
        with open(path, "wb") as file:
            file.write(base64.b64decode(picture["data"]))


def _read_axe() -> str:
    """Return axe-core as one script, fetched from npm once into the tools folder."""
    folder = f"{tools_folder()}/axe"
    path = f"{folder}/{AXE}/axe.min.js"
    os.makedirs(folder, exist_ok=True)
    with Lock(f"{folder}/lock"):
        if not os.path.exists(path):
            packed = f"axe-core-{AXE}.tgz"
            for words in (["npm", "pack", f"axe-core@{AXE}"], ["tar", "-xzf", packed]):
                subprocess.run(words, cwd=folder, check=True, capture_output=True, timeout=120)
            os.rename(f"{folder}/package", f"{folder}/{AXE}")
    with open(path, encoding="utf-8") as file:
        return file.read()
