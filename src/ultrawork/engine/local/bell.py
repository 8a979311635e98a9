"""A named pipe that wrappers ring when they are done: the way to whichever engine is there by then."""

import os
import select
import threading

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_PART = 1 << 16


class Bell:
    """Calls what waits for a key when that key is rung, from a thread of its own."""

    __slots__ = ("_handle", "_stop", "_thread", "_waiting", "path")

    def __init__(self, path: str) -> None:
        self.path = path
        self._waiting: dict[str, Callable[[], None]] = {}
        try:
            os.mkfifo(path, 0o600)
        except FileExistsError:
            pass
        # Open for writing too: without a writer every read would end at once.
        self._handle = os.open(path, os.O_RDWR | os.O_CLOEXEC | os.O_NONBLOCK)
        self._stop = os.pipe()
        self._thread = threading.Thread(target=self._listen, name="bell", daemon=True)
        self._thread.start()

    def expect(self, key: str, wake: "Callable[[], None]") -> None:
        self._waiting[key] = wake

    def forget(self, key: str) -> None:
        self._waiting.pop(key, None)

    def _listen(self) -> None:
        rest = b""
        while True:
            heard = select.select([self._handle, self._stop[0]], [], [])[0]
            if self._stop[0] in heard:
                return
            *lines, rest = (rest + self._read()).split(b"\n")
            for line in lines:
                wake = self._waiting.get(line.decode("utf-8", "replace"))
                if wake is not None:
                    wake()

    def _read(self) -> bytes:
        try:
            return os.read(self._handle, _PART)
        except BlockingIOError:
            return b""

    def close(self) -> None:
        os.write(self._stop[1], b"\n")
        self._thread.join()
        for handle in (self._handle, *self._stop):
            os.close(handle)
