"""Holds the client's connection while a child serves it, so that a dead child is replaced.

Some clients never restart a server: each later call would end in "Transport closed". This process does nothing that
could end it: it passes lines on, and knows which requests wait for an answer."""

import os
import select

from . import wire
from .wire import DEFECT, PARSE_ERROR, as_key, as_mapping

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    Hello = Mapping[str, Any]
    # Serves between two pipes; gets the client's first message, if this is not the first child.
    Work = Callable[[int, int, Hello | None], None]

DIED = "the toolbox crashed during this call and was restarted; call the tool again (python_repl sessions are empty)"
MOST_WAITING = 1 << 20  # bytes that the child has not taken yet; more are left with the client


class ChildServer:
    """A serving fork of this process: without an exec it is ready at once, and shares our memory."""

    def __init__(self, work: "Work", hello: "Hello | None") -> None:
        source, self.inlet = os.pipe()
        self.outlet, target = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            self._serve(work, source, target, hello)
        os.close(source)
        os.close(target)
        os.set_blocking(self.inlet, False)  # it may be busy writing to us
        self.lines = wire.LineSplitter()
        self.waiting = b""

    def _serve(self, work: "Work", source: int, target: int, hello: "Hello | None") -> None:
        status = 1
        try:
            os.close(self.inlet)
            os.close(self.outlet)
            null = os.open(os.devnull, os.O_RDWR)
            for ours in (0, 1):  # what a tool prints or reads by mistake is not a message
                os.dup2(null, ours)
            work(source, target, hello)
            status = 0
        finally:
            os._exit(status)

    def push(self) -> None:
        """Write as much as it accepts now; a dead one accepts nothing, and is noticed elsewhere."""
        try:
            self.waiting = self.waiting[os.write(self.inlet, self.waiting) :]
        except BlockingIOError:
            pass
        except OSError:
            self.waiting = b""

    def hang_up(self) -> None:
        """Close its input: it finishes and exits."""
        if self.inlet >= 0:
            os.close(self.inlet)
            self.inlet = -1

    def bury(self) -> int:
        """Reap it after its last output; return its exit status."""
        self.hang_up()
        os.close(self.outlet)
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])


class ServerSupervisor:
    def __init__(self, work: "Work", report: "Callable[[str], object]", *, source: int = 0, target: int = 1) -> None:
        """`report` logs a line about each child that died."""
        self._work = work
        self._report = report
        self._source = source
        self._client = wire.Writer(target)
        self._lines = wire.LineSplitter()
        self._child: ChildServer | None = None
        self._hello: Hello | None = None
        self._asked: dict[str | int, str] = {}
        self._open = True

    def run(self) -> None:
        """Run until the client has closed its end or is gone, and the child has finished."""
        while self._open or self._child is not None:
            child = self._child
            crowded = child is not None and len(child.waiting) > MOST_WAITING
            reads = [self._source] if self._open and not crowded else []
            reads += [child.outlet] if child is not None else []
            writes = [child.inlet] if child is not None and child.waiting else []
            ready, able, _ = select.select(reads, writes, [])
            if child is not None and able:
                child.push()
            if child is not None and child.outlet in ready:
                self._hear_child(child)
            if self._source in ready:
                self._hear_client()
            self._close_if_gone()

    def _close_if_gone(self) -> None:
        """Close the child's input once it has taken what came before."""
        if self._client.gone:
            self._open = False
        child = self._child
        if not self._open and child is not None and (self._client.gone or not child.waiting):
            child.hang_up()

    def _hear_client(self) -> None:
        data = os.read(self._source, wire.CHUNK)
        self._open = bool(data)
        for line in self._lines.take(data) if data else self._lines.finish():
            if line is None:
                problem = {"code": PARSE_ERROR, "message": wire.TOO_LONG}
                self._client.send({"id": None, "error": problem})
            elif line.strip():
                self._pass_on(line)

    def _pass_on(self, line: bytes) -> None:
        message = as_mapping(wire.parse(line))
        if self._child is None:
            self._child = ChildServer(self._work, self._hello)
        self._note(message)
        self._child.waiting += line + b"\n"
        self._child.push()

    def _note(self, message: "Mapping[str, Any]") -> None:
        method, params = message.get("method"), as_mapping(message.get("params"))
        key = as_key(message.get("id"))
        if method == "initialize":
            self._hello = params
        if method == "notifications/cancelled":
            self._settle(params.get("requestId"))
        elif key is not None and isinstance(method, str):
            self._asked[key] = method

    def _settle(self, name: "Any") -> None:
        key = as_key(name)
        if key is not None:
            self._asked.pop(key, None)

    def _hear_child(self, child: ChildServer) -> None:
        data = os.read(child.outlet, wire.CHUNK)
        for line in child.lines.take(data):  # half a line of a child that died is not an answer
            if line is not None:
                self._settle(as_mapping(wire.parse(line)).get("id"))
                self._client.pass_on(line)
        if not data:
            self._child = None
            self._mourn(child.bury())

    def _mourn(self, status: int) -> None:
        """Answer requests that a dead child left open; the next message starts another."""
        if not self._open and status == 0:
            return
        try:
            self._report(f"the toolbox exited with {status}; {len(self._asked)} calls had no answer")
        except OSError:
            pass  # a full disk must not end the connection
        requests, self._asked = self._asked, {}
        for key, method in requests.items():
            self._client.send({"id": key, **_apologize(method)})


def _apologize(method: str) -> "dict[str, Any]":
    if method == "tools/call":
        return {"result": {"content": [{"type": "text", "text": DIED}], "isError": True}}
    return {"error": {"code": DEFECT, "message": DIED}}
