"""
A real Chromium that is driven like a person would: pages, keys, clicks, sizes, colors, pictures.

It speaks the browser's own protocol over two pipes, so that nothing has to be installed beside the browser.
`Chromium.find()` skips the test where there is none; `ULTRAWORK_CHROMIUM` names one that lies elsewhere.
"""

import base64
import itertools
import json
import os
import select
import subprocess
import sys
import time

from .browser import Browser
from .clients import tools_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Self

_FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run",
    "--disable-background-networking", "--disable-dev-shm-usage", "--remote-debugging-pipe",
)  # fmt: skip
# The browser reads its third and writes its fourth file.
_CONNECT = (
    "import os, sys; ours = [os.dup(int(one)) for one in sys.argv[1:3]];"
    " os.dup2(ours[0], 3); os.dup2(ours[1], 4); os.execv(sys.argv[3], sys.argv[3:])"
)
_PATIENCE = 20.0


class Chromium:
    """One browser with one page. A context manager."""

    def __init__(self, program: str, folder: str) -> None:
        self._program = program
        self._folder = folder
        self._numbers = itertools.count(1)
        self._rest = b""
        self._session = ""
        self.messages: list[str] = []

    @classmethod
    def find(cls, folder: str) -> "Chromium":
        return cls(Browser.find().program, folder)

    def __enter__(self) -> "Self":
        read_theirs, self._write = os.pipe()
        self._read, write_theirs = os.pipe()
        command = [self._program, *_FLAGS, f"--user-data-dir={self._folder}/profile", "about:blank"]
        starter = [sys.executable, "-c", _CONNECT, str(read_theirs), str(write_theirs)]
        self._process = subprocess.Popen(
            [*starter, *command], pass_fds=(read_theirs, write_theirs), stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        os.close(read_theirs)
        os.close(write_theirs)
        made = self.call("Target.createTarget", url="about:blank")
        joined = self.call("Target.attachToTarget", targetId=made["targetId"], flatten=True)
        self._session = joined["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.call(f"{domain}.enable")
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()
        os.close(self._write)
        os.close(self._read)

    def call(self, method: str, **given: "Any") -> "dict[str, Any]":
        number = next(self._numbers)
        message = {"id": number, "method": method, "params": given}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        end = time.monotonic() + _PATIENCE
        while True:
            answer = self._read_message(end)
            if answer.get("id") == number:
                assert "error" not in answer, answer
                found: dict[str, Any] = answer["result"]
                return found
            self._note(answer)

    def _note(self, event: "dict[str, Any]") -> None:
        """What the page complains about: errors of scripts, and what its policy forbids."""
        if event.get("method") == "Log.entryAdded":
            self.messages.append(str(event["params"]["entry"]["text"]))
        elif event.get("method") == "Runtime.exceptionThrown":
            self.messages.append(json.dumps(event["params"]["exceptionDetails"])[:500])

    def _read_message(self, end: float) -> "dict[str, Any]":
        while b"\0" not in self._rest:
            ready, _, _ = select.select([self._read], [], [], max(0.0, end - time.monotonic()))
            assert ready, "the browser does not answer"
            self._rest += os.read(self._read, 1 << 20)
        whole, _, self._rest = self._rest.partition(b"\0")
        message: dict[str, Any] = json.loads(whole)
        return message

    def open(self, address: str) -> None:
        self.call("Page.navigate", url=address)

    def evaluate(self, text: str) -> "Any":
        answer = self.call(
            "Runtime.evaluate", expression=text, awaitPromise=True, returnByValue=True
        )
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def wait_for(self, text: str, seconds: float = _PATIENCE) -> "Any":
        """Until this expression of the page is true; gives its value."""
        return self._wait(lambda: self.evaluate(text), text, seconds)

    def _wait(self, is_so: "Callable[[], Any]", wanted: str, seconds: float) -> "Any":
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            found = is_so()
            if found:
                return found
            time.sleep(0.1)
        raise AssertionError(
            f"{wanted} did not come true: {self.evaluate('document.body.innerText')}"
        )

    def resize(self, width: int, height: int) -> None:
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width, height=height, deviceScaleFactor=1, mobile=width < 500,
        )  # fmt: skip

    def choose_colors(self, scheme: str) -> None:
        feature = {"name": "prefers-color-scheme", "value": scheme}
        self.call("Emulation.setEmulatedMedia", features=[feature])

    def press(self, key: str) -> None:
        codes = {"Tab": 9, "Enter": 13, " ": 32}
        text = {"Enter": "\r", " ": " "}.get(key, "")
        for kind in ("keyDown", "keyUp"):
            self.call(
                "Input.dispatchKeyEvent",
                type=kind, key=key, code=key, windowsVirtualKeyCode=codes[key], text=text,
            )  # fmt: skip

    def take_picture(self, path: str) -> None:
        picture = self.call("Page.captureScreenshot", format="png")
        with open(path, "wb") as file:
            file.write(base64.b64decode(picture["data"]))


AXE = "4.14.0"


def read_axe() -> str:
    """The accessibility checker axe-core as one script; fetched from npm once, into the folder of the clients."""
    folder = f"{tools_folder()}/axe"
    path = f"{folder}/package/axe.min.js"
    if not os.path.exists(path):
        os.makedirs(folder, exist_ok=True)
        packed = f"axe-core-{AXE}.tgz"
        for words in (["npm", "pack", f"axe-core@{AXE}"], ["tar", "-xzf", packed]):
            subprocess.run(words, cwd=folder, check=True, capture_output=True, timeout=120)
    with open(path, encoding="utf-8") as file:
        return file.read()
