"""The dashboard of a state folder, in a process of its own, asked over its real socket."""

import http.client
import json
import subprocess
import sys

from .floor import PLUGIN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Self

TOKEN = "a" * 48
_SERVE = """
import json
import os
import sys
from time import time
sys.path.insert(0, sys.argv[1])
from ultrawork.sight.dashboard import serve_dashboard
from ultrawork.store.paths import Home
from ultrawork.store.store import Store
store = Store(Home(sys.argv[2]), actor="person", clock=time)
port, beat = int(sys.argv[4]), float(sys.argv[5])
told = lambda line: print(line, flush=True)
environ = {"PATH": os.environ["PATH"], "HOME": sys.argv[2], "ULTRAWORK_HOME": sys.argv[2]}
environ |= json.loads(sys.argv[6])
program = [sys.argv[1] + "/../bin/ultrawork"]
serve_dashboard(store, sys.argv[3], port, told, environ=environ, program=program, beat=beat)
"""


class DashboardProcess:
    """A context manager; `port` 0 takes a free one. `beat` is how often it shows a page that it is alive, and
    `environ` what the programs get that it starts."""

    def __init__(
        self, home: str, port: int = 0, beat: float = 15.0, environ: "Mapping[str, str] | None" = None
    ) -> None:
        self._home = home
        self._wanted = (str(port), str(beat), json.dumps(dict(environ or {})))
        self.opened: list[Any] = []
        self._process: subprocess.Popen[str] | None = None

    def __enter__(self) -> "Self":
        words = [sys.executable, "-c", _SERVE, f"{PLUGIN}/src", self._home, TOKEN]
        self._process = subprocess.Popen([*words, *self._wanted], stdout=subprocess.PIPE, text=True)
        assert self._process.stdout is not None
        self.address = self._process.stdout.readline().strip()
        self.port = int(self.address.split(":")[2].partition("/")[0])
        return self

    def __exit__(self, *_: object) -> None:
        for one in self.opened:
            one.close()
        self.kill()

    def send_signal(self, number: int) -> None:
        assert self._process is not None
        self._process.send_signal(number)

    def kill(self) -> None:
        """As if by `kill -9`; the port is free again at once."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            assert self._process.stdout is not None
            self._process.stdout.close()
            self._process = None

    def ask(
        self,
        path: str,
        *,
        token: str = TOKEN,
        method: str = "GET",
        host: str | None = None,
        origin: str = "",
        body: str | None = None,
    ) -> http.client.HTTPResponse:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        if host:
            headers["Host"] = host
        if origin:
            headers["Origin"] = origin
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        self.opened += [answer, connection]
        return answer

    def read(self, path: str, **given: "Any") -> "Any":
        return json.loads(self.ask(path, **given).read())
