"""The scripted model over HTTP, on loopback only."""

import http.server
import json
import os
import socket
import sys
import threading
import time

from .engine import Engine
from .replies import new_id
from .request import Request
from .wires import WIRES, counts_tokens, error_body, protocol_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Self

LONGEST_WAIT = 120.0
NO_MODELS = {"object": "list", "data": [], "has_more": False, "first_id": None, "last_id": None}
NOT_SCRIPTED = {"error": {"message": "not scripted"}}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version = "scripted-model"
    engine: Engine

    def log_message(self, *_: object) -> None:
        """Say nothing: stdout belongs to the caller."""

    def do_GET(self) -> None:
        bare = self.path.partition("?")[0]
        if bare == "/__stats":
            self._json(200, self.engine.stats())
            return
        self.engine.note(method=self.command, path=self.path)
        if bare.endswith("/models"):
            self._json(200, NO_MODELS)
        elif bare == "/":
            self._json(200, None)
        else:
            self._json(404, NOT_SCRIPTED)

    do_HEAD = do_GET  # noqa: N815 - the name that the base class calls

    def do_POST(self) -> None:
        raw = _decoded(self._raw_body(), self.headers.get("content-encoding") or "")
        protocol, body = protocol_of(self.path), _object(raw)
        if not protocol or body is None:
            self.engine.note(method="POST", path=self.path, not_scripted=True)
            self._json(404, NOT_SCRIPTED)
        elif counts_tokens(self.path):
            tokens = max(1, len(raw) // 4)
            self.engine.note(method="POST", path=self.path, count_tokens=tokens)
            self._json(200, WIRES[protocol].counted(tokens))
        else:
            self._converse(protocol, body)

    def _converse(self, protocol: str, body: "dict[str, Any]") -> None:
        headers = {name.lower(): value for name, value in self.headers.items()}
        request = Request(protocol, self.path, headers, body)
        WIRES[protocol].read(request)
        reply = self.engine.decide(request)
        try:
            _wait(reply)
            self._answer(request, reply)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def _answer(self, request: Request, reply: "dict[str, Any]") -> None:
        headers = {"request-id": new_id("req"), **(reply.get("headers") or {})}
        error = reply.get("error")
        if error:
            if "retry_after" in error:
                headers["retry-after"] = str(error["retry_after"])
            self._json(int(error.get("status", 500)), error_body(request.protocol, error), headers)
        elif request.stream:
            self._stream(request, reply, headers)
        else:
            self._json(200, WIRES[request.protocol].whole(request, reply), headers)

    def _stream(self, request: Request, reply: "dict[str, Any]", headers: dict[str, str]) -> None:
        fixed = {"content-type": "text/event-stream", "cache-control": "no-cache"}
        self._head(200, {**fixed, "connection": "close", **headers})
        self.close_connection = True
        pause, limit = float(reply.get("chunk_delay") or 0), reply.get("drop_after")
        for count, (name, data) in enumerate(WIRES[request.protocol].events(request, reply)):
            if limit is not None and count >= int(limit):
                self.connection.shutdown(socket.SHUT_RDWR)
                return
            head = f"event: {name}\n" if name else ""
            text = data if isinstance(data, str) else json.dumps(data)
            self.wfile.write(f"{head}data: {text}\n\n".encode())
            self.wfile.flush()
            time.sleep(pause)

    def _json(self, status: int, value: object, headers: dict[str, str] | None = None) -> None:
        data = b"" if value is None else json.dumps(value).encode()
        fixed = {"content-type": "application/json", "content-length": str(len(data))}
        self._head(status, {**fixed, **(headers or {})})
        if self.command != "HEAD":
            self.wfile.write(data)

    def _head(self, status: int, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, str(value))
        self.end_headers()

    def _raw_body(self) -> bytes:
        if (self.headers.get("transfer-encoding") or "").lower() != "chunked":
            return self.rfile.read(int(self.headers.get("content-length") or 0))
        chunks = []
        while size := int(self.rfile.readline().partition(b";")[0].strip() or b"0", 16):
            chunks.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(chunks)


def _decoded(raw: bytes, encoding: str) -> bytes:
    import zlib

    if encoding.lower() == "gzip":
        return zlib.decompress(raw, wbits=31)
    return zlib.decompress(raw) if encoding.lower() == "deflate" else raw


def _object(raw: bytes) -> "dict[str, Any] | None":
    try:
        body = json.loads(raw) if raw else {}
    except ValueError:
        return None
    return body if isinstance(body, dict) else None


def _wait(reply: "dict[str, Any]") -> None:
    end = time.monotonic() + LONGEST_WAIT
    awaited = reply.get("wait_file")
    while awaited and not os.path.exists(awaited) and time.monotonic() < end:
        time.sleep(0.05)
    time.sleep(float(reply.get("delay") or 0))


class _Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, request: "Any", client_address: "Any") -> None:
        if not isinstance(sys.exc_info()[1], OSError):  # an OSError: the client went away
            super().handle_error(request, client_address)


class ScriptedModel:
    """The server as an object: a context manager for tests."""

    def __init__(self, script: object, port: int = 0, log: str | None = None, *, log_bodies: bool = False) -> None:
        self.engine = Engine(script, log, bodies=log_bodies)
        handler = type("BoundHandler", (Handler,), {"engine": self.engine})
        self._server = _Server(("127.0.0.1", port), handler)
        self.port = int(self._server.server_address[1])
        self.url = f"http://127.0.0.1:{self.port}"
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)

    @property
    def requests(self) -> "list[dict[str, Any]]":
        return self.engine.requests

    def start(self) -> "Self":
        self._thread.start()
        return self

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(5)
        self.engine.close()

    def __enter__(self) -> "Self":
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()
