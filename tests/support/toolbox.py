"""The MCP server as a process, and a small client that matches answers by id."""

import itertools
import json
import os
import queue
import subprocess
import threading

from .floor import PATH, PLUGIN
from .template import prepare_cache

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    Message = dict[str, Any]

PATIENCE = 60.0
HELLO = {"protocolVersion": "2025-11-25", "capabilities": {}}
ALL_TOOLS = "claude-code"  # the client that gets the whole list


class Seat:
    """A project and a state folder below `root`, and how to start the server there."""

    __slots__ = ("environ", "place", "server", "state")

    def __init__(self, root: str, env: "Mapping[str, str] | None" = None, server: str = "") -> None:
        self.server = server
        self.place, self.state = f"{root}/project", f"{root}/state"
        os.makedirs(f"{self.place}/.git", exist_ok=True)
        prepare_cache(self.state)
        self.environ = {"PATH": PATH, "HOME": root, "ULTRAWORK_HOME": self.state, **(env or {})}

    @property
    def argv(self) -> list[str]:
        return [f"{PLUGIN}/bin/ultrawork", "mcp", *([self.server] if self.server else [])]


class Client:
    def __init__(self, seat: Seat) -> None:
        self.place = seat.place
        self.process = subprocess.Popen(
            seat.argv, cwd=seat.place, env=seat.environ, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self.answers: dict[Any, Message] = {}
        self.told: list[Message] = []
        self.strays: queue.Queue[Message] = queue.Queue()
        self.twice = False
        self.arrived = threading.Condition()
        self._numbers = itertools.count(1)
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            with self.arrived:
                self._take(json.loads(line))
                self.arrived.notify_all()

    def _take(self, message: "Message") -> None:
        if "method" in message:
            self.told.append(message)
        elif message["id"] is None:
            self.strays.put(message)
        else:
            self.twice |= message["id"] in self.answers
            self.answers[message["id"]] = message

    def raw(self, data: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, message: "Message") -> None:
        self.raw(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")

    def greet(self, name: str = ALL_TOOLS) -> None:
        self.ask("initialize", {**HELLO, "clientInfo": {"name": name, "version": "0"}})
        self.send({"method": "notifications/initialized"})

    def start(self, method: str, params: "Any" = None) -> int:
        number = next(self._numbers)
        self.send({"id": number, "method": method, "params": params or {}})
        return number

    def wait(self, key: "Any", seconds: float = PATIENCE) -> "Message":
        with self.arrived:
            there = self.arrived.wait_for(lambda: key in self.answers, seconds)
            assert there, f"no answer to {key} within {seconds} s"
            return self.answers[key]

    def ask(self, method: str, params: "Any" = None, seconds: float = PATIENCE) -> "Message":
        return self.wait(self.start(method, params), seconds)

    def start_call(self, name: str, /, _meta: "Mapping[str, Any] | None" = None, **arguments: "Any") -> int:
        params = {"name": name, "arguments": arguments}
        return self.start("tools/call", {**params, "_meta": _meta} if _meta else params)

    def call(self, name: str, /, seconds: float = PATIENCE, **arguments: "Any") -> tuple[str, bool]:
        """The text of a tool's answer, and whether it failed."""
        result = self.wait(self.start_call(name, **arguments), seconds)["result"]
        return result["content"][0]["text"], result.get("isError", False)

    def text(self, name: str, /, **arguments: "Any") -> str:
        text, failed = self.call(name, **arguments)
        assert not failed, text
        return text

    def refusal(self, name: str, /, **arguments: "Any") -> str:
        text, failed = self.call(name, **arguments)
        assert failed, text
        return text

    @property
    def worker(self) -> int:
        """The serving process, below the one that holds the connection; only with /proc."""
        pid = self.process.pid
        with open(f"/proc/{pid}/task/{pid}/children", encoding="utf-8") as file:
            return int(file.read().split()[0])

    @property
    def memory(self) -> float:
        """Return the peak megabytes of either server process."""
        return max(_most_held(pid) for pid in (self.process.pid, self.worker))

    def close(self) -> int:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        try:
            self.process.stdin.close()
        except BrokenPipeError:
            pass
        status = self.process.wait(20)
        self._reader.join(5)
        self.process.stdout.close()
        return status


def _most_held(pid: int) -> float:
    with open(f"/proc/{pid}/status", encoding="utf-8") as file:
        most = next(line for line in file if line.startswith("VmHWM"))
    return int(most.split()[1]) / 1024
