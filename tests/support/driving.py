"""Drive a seat at the client with the plugin: one run, one in the background, and the results."""

import json
import os
import subprocess
import time

from .floor import PLUGIN
from .ulw import OPEN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from .claude import Claude, ClaudeRun

LIMIT = 170.0


def go(seat: "Claude", prompt: str, env: "Mapping[str, str] | None" = None, **more: "Any") -> "ClaudeRun":
    return seat.run(prompt, plugins=[PLUGIN], mode=OPEN, env=env, timeout=LIMIT, **more)


def beside(seat: "Claude", prompt: str) -> "subprocess.Popen[bytes]":
    """Start a separate client process, which can be killed."""
    return subprocess.Popen(
        [seat.program, "-p", prompt, "--plugin-dir", PLUGIN, "--permission-mode", OPEN],
        env=seat.env,
        cwd=seat.project,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def ask(seat: "Claude", *words: str) -> "Any":
    """Return what the program reports about the seat's last session."""
    done = subprocess.run(
        [f"{PLUGIN}/bin/ultrawork", *words, "--session", "last", "--json"],
        env={"HOME": seat.home, "PATH": os.environ["PATH"]},
        cwd=seat.project,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return json.loads(done.stdout)["data"]


def ended(seat: "Claude") -> "tuple[str, str | None]":
    session = ask(seat, "session", "get")
    return session["phase"], session["verdict"]


def statuses(seat: "Claude") -> dict[str, str]:
    return {task["id"]: task["status"] for task in ask(seat, "task", "list")["tasks"]}


def wait_for(true: "Callable[[], object]", seconds: float = 120.0) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "it did not come to that"
        time.sleep(0.1)
