"""A git remote for a cluster without one: git's own `http-backend` behind a token, and TLS if others reach it.

Only refs below `refs/ultrawork/` can be written, with any token: people's branches stay theirs."""

import os
import subprocess
import sys
from base64 import b64decode
from collections.abc import Iterator, Mapping
from hmac import compare_digest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socket import gethostname
from ssl import PROTOCOL_TLS_SERVER, SSLContext, TLSVersion
from typing import IO, Any

from ..core.errors import Conflict, NotFound, Trouble, UsageError
from ..store import atomic
from ..store.paths import Home
from ..system.git import Git
from .place import GIT_TOKEN, GIT_TOKEN_FILE, read_secret

PORT = 7418
_LOOPBACK = ("127.0.0.1", "::1", "localhost")
_EVERYWHERE = ("", "0.0.0.0")  # noqa: S104 (what a user may ask for)
_PART = 1 << 16
_LONGEST_LINE = 1 << 10
_PATIENCE = 10.0
# What git's program gets from a request; from our environment only the PATH.
_HEADERS = {
    "CONTENT_TYPE": "Content-Type",
    "HTTP_CONTENT_ENCODING": "Content-Encoding",
    "HTTP_GIT_PROTOCOL": "Git-Protocol",
    "HTTP_ACCEPT": "Accept",
}


class GitServer:
    """Serves the bare repositories below one folder until `close`; `token` opens all of them."""

    def __init__(
        self, home: Home, environ: Mapping[str, str], *, address: tuple[str, int], tls: tuple[str, str] | None = None
    ) -> None:
        if tls is None and address[0] not in _LOOPBACK:
            raise UsageError("without TLS only this machine can connect; add --tls-cert and --tls-key")
        folder = f"{home.root}/git"
        os.makedirs(folder, mode=0o700, exist_ok=True)
        self.token = _find_token(folder, environ)
        handler = type("Handler", (_Handler,), {"root": folder, "token": self.token, "environ": environ})
        try:
            self._server = _Doors(address, handler)
        except OSError as error:
            raise Conflict(f"could not listen on {address[0]}:{address[1]}: {error.strerror}") from None
        if tls is not None:
            self._server.context = _read_certificate(*tls)
        port = self._server.server_address[1]
        self.url = f"http{'s' if tls else ''}://{name_address(address[0])}:{port}"

    def serve(self) -> None:
        self._server.serve_forever(poll_interval=0.2)

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


def name_address(address: str) -> str:
    """Return how other machines call this address; there is none by which they reach 0.0.0.0."""
    return gethostname() if address in _EVERYWHERE else address


class _Doors(ThreadingHTTPServer):
    """Handles each connection on its own thread, so that a silent one blocks no other."""

    daemon_threads = True
    context: SSLContext | None = None

    def finish_request(self, request: Any, client_address: Any) -> None:
        if self.context is None:
            super().finish_request(request, client_address)
            return
        request.settimeout(_PATIENCE)
        try:
            with self.context.wrap_socket(request, server_side=True) as safe:
                super().finish_request(safe, client_address)
                # Git treats an answer without its end as cut off.
                safe.settimeout(_PATIENCE)
                safe.unwrap()
        except OSError:
            pass  # the client does not trust us, or has disconnected

    def handle_error(self, _request: Any, client_address: Any) -> None:
        """Log an unreadable request as one line, without a traceback."""
        kind = (sys.exc_info()[0] or Exception).__name__
        sys.stderr.write(f"{client_address[0]}: invalid request ({kind})\n")


def _read_certificate(certificate: str, key: str) -> SSLContext:
    context = SSLContext(PROTOCOL_TLS_SERVER)
    context.minimum_version = TLSVersion.TLSv1_2
    try:
        context.load_cert_chain(certificate, key)
    except OSError as error:
        raise NotFound(f"could not read the certificate or its key: {error}") from None
    return context


def make_repository(home: Home, environ: Mapping[str, str], name: str) -> str:
    """Create a bare repository below the served folder; an existing one stays."""
    path = f"{home.root}/git/{name}.git"
    os.makedirs(path, mode=0o700, exist_ok=True)
    git = Git(path, environ)
    if not os.path.isfile(f"{path}/HEAD"):
        git.ask(["init", "--quiet", "--bare", path])
    settings = {"http.receivepack": "true", "receive.hideRefs": "refs/"}
    for key, value in settings.items():
        git.ask(["config", "--replace-all", key, value])
    git.ask(["config", "--add", "receive.hideRefs", "!refs/ultrawork/"])
    return path


def _find_token(folder: str, environ: Mapping[str, str]) -> str:
    """Return the given token, else one that is created once in a file that only its owner can read."""
    secret = read_secret(environ, GIT_TOKEN, GIT_TOKEN_FILE)
    if secret:
        return secret
    path = name_token_file(folder)
    if not os.path.exists(path):
        atomic.write(path, os.urandom(24).hex())
    with open(path, encoding="utf-8") as file:
        return file.read().strip()


def name_token_file(folder: str) -> str:
    return f"{folder}/token"


class _Handler(BaseHTTPRequestHandler):
    """One git request: checked, then passed to git's own program."""

    protocol_version = "HTTP/1.1"
    server_version = "ultrawork"
    sys_version = ""
    timeout = 600
    root = ""
    token = ""
    environ: Mapping[str, str] = {}

    def log_message(self, *_: object) -> None:
        """Do not log requests."""

    def do_GET(self) -> None:
        self._answer(iter(()))

    def do_POST(self) -> None:
        self._answer(self._read_body())

    def _answer(self, body: Iterator[bytes]) -> None:
        self.close_connection = True
        if not self._is_allowed():
            self._refuse(401, "a token is required")
            return
        path, _, query = self.path.partition("?")
        if ".." in path or "\0" in path:
            self._refuse(400, "no such path")
            return
        with subprocess.Popen(
            ["git", "http-backend"],
            env=self._describe(path, query),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        ) as backend:
            assert backend.stdin is not None
            assert backend.stdout is not None
            _feed(backend.stdin, body)
            self._pass_on(backend.stdout)

    def _is_allowed(self) -> bool:
        kind, _, given = self.headers.get("Authorization", "").partition(" ")
        if kind.lower() != "basic":
            return False
        try:
            secret = b64decode(given, validate=True).partition(b":")[2]
        except ValueError:
            return False
        return compare_digest(secret, self.token.encode())

    def _refuse(self, status: int, message: str) -> None:
        body = f"{message}\n".encode()
        self.send_response(status)
        if status == 401:
            self.send_header("WWW-Authenticate", 'Basic realm="ultrawork"')
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(body)

    def _describe(self, path: str, query: str) -> dict[str, str]:
        variables = {
            "PATH": self.environ.get("PATH", os.defpath),
            "GIT_PROJECT_ROOT": self.root,
            "GIT_HTTP_EXPORT_ALL": "1",
            "GIT_CONFIG_NOSYSTEM": "1",
            "HOME": self.root,
            "REQUEST_METHOD": self.command,
            "PATH_INFO": path,
            "QUERY_STRING": query,
            "REMOTE_USER": "ultrawork",
            "REMOTE_ADDR": self.client_address[0],
        }
        length = self.headers.get("Content-Length")
        if length is not None:
            variables["CONTENT_LENGTH"] = length
        given = {name: self.headers.get(header) for name, header in _HEADERS.items()}
        return variables | {name: value for name, value in given.items() if value is not None}

    def _read_body(self) -> Iterator[bytes]:
        if self.headers.get("Transfer-Encoding", "").lower() == "chunked":
            yield from self._read_chunks()
            return
        left = int(self.headers.get("Content-Length") or 0)
        while left > 0:
            part = self.rfile.read(min(left, _PART))
            if not part:
                return
            left -= len(part)
            yield part

    def _read_chunks(self) -> Iterator[bytes]:
        while True:
            head = self.rfile.readline(_LONGEST_LINE)
            size = int(head.partition(b";")[0].strip() or b"0", 16)
            if size < 0:
                raise ValueError("a part has a negative size")
            if not size:
                self.rfile.readline(_LONGEST_LINE)
                return
            while size:
                part = self.rfile.read(min(size, _PART))
                if not part:
                    return
                size -= len(part)
                yield part
            self.rfile.readline(_LONGEST_LINE)

    def _pass_on(self, answer: IO[bytes]) -> None:
        """Pass on a CGI answer: headers, an empty line, the rest as it comes."""
        status = 200
        headers: list[tuple[str, str]] = []
        while (line := answer.readline().rstrip(b"\r\n")) != b"":
            name, _, value = line.decode("latin-1").partition(": ")
            if name.lower() == "status":
                status = int(value.split()[0])
            else:
                headers.append((name, value))
        self.send_response(status)
        for name, value in [*headers, ("Connection", "close")]:
            self.send_header(name, value)
        self.end_headers()
        while part := answer.read(_PART):
            self.wfile.write(part)


def _feed(into: IO[bytes], body: Iterator[bytes]) -> None:
    try:
        into.writelines(body)
        into.close()
    except BrokenPipeError:
        pass  # git has read enough, and says why
    except ValueError as error:
        raise Trouble(f"could not read a git request: {error}") from None
