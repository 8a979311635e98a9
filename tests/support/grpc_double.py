"""A server with just enough gRPC to accept or refuse a call: HTTP/2 by hand, each call answered by its place in a
list.

Calls are answered in order of arrival, whatever they ask: an empty message, or a status and a sentence."""

import socket
import threading
from contextlib import suppress

OK, NOT_FOUND, PERMISSION_DENIED, UNAVAILABLE, UNAUTHENTICATED = 0, 5, 7, 14, 16
_PREFACE = 24
_DATA, _HEADERS, _SETTINGS, _PING = 0, 1, 4, 6
_ACK = _END_STREAM = 1
_END_HEADERS = 4
_EMPTY = b"\0" * 5  # a message without any field, and its head


class AnsweringServer:
    """`answers` are the statuses of the first calls; the last one goes for all that come after it."""

    def __init__(self, *answers: int) -> None:
        self._answers = list(answers)
        self._lock = threading.Lock()
        self.calls = 0
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._socket.getsockname()[1]

    def __enter__(self) -> "AnsweringServer":
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                connection, _ = self._socket.accept()
                threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        with connection, suppress(OSError):
            stream = connection.makefile("rb")
            stream.read(_PREFACE)
            connection.sendall(_frame(_SETTINGS, 0, 0))
            while head := stream.read(9):
                size, kind, flags = int.from_bytes(head[:3], "big"), head[3], head[4]
                number, body = int.from_bytes(head[5:], "big"), stream.read(size)
                if kind == _SETTINGS and not flags & _ACK:
                    connection.sendall(_frame(_SETTINGS, _ACK, 0))
                elif kind == _PING and not flags & _ACK:
                    connection.sendall(_frame(_PING, _ACK, 0, body))
                elif kind in (_DATA, _HEADERS) and flags & _END_STREAM:
                    connection.sendall(self._answer(number))

    def _answer(self, number: int) -> bytes:
        with self._lock:
            status = self._answers[min(self.calls, len(self._answers) - 1)]
            self.calls += 1
        head = b"\x88" + _field("content-type", "application/grpc")  # \x88: status 200
        told = _field("grpc-status", str(status))
        if status != OK:
            told += _field("grpc-message", "not you")
            return _frame(_HEADERS, _END_HEADERS | _END_STREAM, number, head + told)
        return (
            _frame(_HEADERS, _END_HEADERS, number, head)
            + _frame(_DATA, 0, number, _EMPTY)
            + _frame(_HEADERS, _END_HEADERS | _END_STREAM, number, told)
        )


def _frame(kind: int, flags: int, number: int, body: bytes = b"") -> bytes:
    return len(body).to_bytes(3, "big") + bytes([kind, flags]) + number.to_bytes(4, "big") + body


def _field(name: str, value: str) -> bytes:
    """Return a literal header, which neither side caches."""
    return b"\0" + b"".join(bytes([len(text)]) + text.encode() for text in (name, value))
