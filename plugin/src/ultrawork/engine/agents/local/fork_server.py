"""
A small process that forks the wrappers: that takes a millisecond, starting an interpreter ten.

The lock's handle travels with the order and is held on the way. So an engine that dies right after ordering leaves a
running attempt, never one that starts unexpectedly later.
"""

import _socket  # without the Python around it: the first agent waits until this process is there
import marshal
import os
import sys
from subprocess import Popen
from typing import Any

_HEAD = 8
_HANDLE = 4  # bytes of a C int
_SOURCE = os.path.dirname(os.path.abspath(__file__)).rsplit("/", 4)[0]
_SCRIPT = (
    "import sys; sys.path.insert(0, sys.argv[1])\n"
    "from ultrawork.engine.agents.local.fork_server import serve\n"
    "serve(int(sys.argv[2]))"
)


class ForkServer:
    """Started at once, so that it is ready for the first order, and restarted if it was ended."""

    def __init__(self) -> None:
        self._channel: _socket.socket | None = None
        self._process: Popen[bytes] | None = None
        self._open()

    def order(self, document: dict[str, Any], lock: int) -> None:
        try:
            self._send(document, lock)
        except OSError:
            self.close()
            self._open()
            self._send(document, lock)

    def _open(self) -> None:
        import subprocess

        ours, theirs = _socket.socketpair()
        cache = [f"-Xpycache_prefix={sys.pycache_prefix}"] if sys.pycache_prefix else []
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", *cache, "-c", _SCRIPT, _SOURCE, str(theirs.fileno())],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={},
            cwd="/",
            pass_fds=[theirs.fileno()],
            start_new_session=True,
        )
        theirs.close()
        self._channel = ours

    def _send(self, document: dict[str, Any], lock: int) -> None:
        assert self._channel is not None
        body = marshal.dumps(document)
        handle = lock.to_bytes(_HANDLE, sys.byteorder)
        rights = [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, handle)]
        self._channel.sendmsg([len(body).to_bytes(_HEAD, "big")], rights)
        self._channel.sendall(body)

    def close(self) -> None:
        if self._channel is not None:
            self._channel.close()
        if self._process is not None:
            self._process.wait()
        self._channel = self._process = None


def serve(handle: int) -> None:
    """Fork one wrapper per order until the ordering process is gone."""
    import _signal  # type: ignore[import-not-found]  # private, and spares us enum
    import gc

    from ....store.codec import find_sha256
    from . import wrapper
    from .wrapper import Reaper

    find_sha256()
    reaper = Reaper()
    reaper.become()
    gc.freeze()  # a collection in a wrapper would copy every page that it shares with us
    channel = _socket.socket(fileno=handle)
    _signal.signal(_signal.SIGCHLD, _signal.SIG_IGN)
    while True:
        document, lock = _receive(channel)
        if document is None:
            os._exit(0)
        if os.fork() == 0:
            channel.close()
            wrapper.run_attempt(document, lock, reaper)
        os.close(lock)


def _receive(channel: _socket.socket) -> tuple[dict[str, Any] | None, int]:
    head, rights, _, _ = channel.recvmsg(_HEAD, _socket.CMSG_LEN(_HANDLE))
    if len(head) < _HEAD or not rights:
        return None, -1
    lock = int.from_bytes(rights[0][2][:_HANDLE], sys.byteorder)
    os.set_inheritable(lock, False)
    size = int.from_bytes(head, "big")
    parts: list[bytes] = []
    while size:
        part = channel.recv(min(size, 1 << 16))
        if not part:
            return None, -1
        parts.append(part)
        size -= len(part)
    document: dict[str, Any] = marshal.loads(b"".join(parts))  # noqa: S302 (from our own engine)
    return document, lock
