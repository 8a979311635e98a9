"""A receiver of HTTP posts on this machine: what was sent, where to, and with which headers."""

import json
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Self


class Receiver(HTTPServer):
    """Keeps what was posted to it; `status` is its answer. A context manager."""

    def __init__(self) -> None:
        self.bodies: list[Any] = []
        self.paths: list[str] = []
        self.headers: list[dict[str, str]] = []
        self.status = 200
        super().__init__(("127.0.0.1", 0), _Handler)
        self.url = f"http://127.0.0.1:{self.server_port}/"

    def __enter__(self) -> "Self":
        self._thread = threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.02})
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.shutdown()
        self._thread.join()
        self.server_close()


class _Handler(BaseHTTPRequestHandler):
    server: Receiver
    # A sender that was ended in the middle must not keep the receiver from closing.
    timeout = 5

    def do_POST(self) -> None:
        server = self.server
        server.bodies.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        server.paths.append(self.path)
        server.headers.append({name.lower(): value for name, value in self.headers.items()})
        self.send_response(server.status)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Nothing to standard error."""
