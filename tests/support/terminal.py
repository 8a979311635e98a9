"""A program in a pseudo-terminal: type, wait for text, read the screen."""

import codecs
import fcntl
import os
import re
import select
import struct
import subprocess
import termios
import time

from .process import MARK, ClientError, end_all, end_group, new_mark
from .screen import Screen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Self

TAKEN_IN = 10.0
ENTER = "\r"
# The last line of every menu of Claude Code.
MENU = "Enter to select"
ESCAPE = "\x1b"
CONTROL_C = "\x03"
WAIT = 60.0
QUIET = 0.3
_QUESTION = re.compile(r"(\S[^\n]*?)[ \n]*\n *(?:\u276f )?1\. ")

# The leader of a new session that opens a terminal gets it as its controlling one.
_WITH_TERMINAL = ["/bin/sh", "-c", 'exec "$@" <"$0" >"$0" 2>&1']


class Terminal:
    """A context manager: the program and all its children are gone at its end."""

    def __init__(
        self, argv: "Sequence[str]", *, env: "Mapping[str, str]", cwd: str, rows: int = 50, columns: int = 120
    ) -> None:
        self.screen = Screen(rows, columns)
        self._mark = new_mark()
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._master, slave = os.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self._child = subprocess.Popen(
            [*_WITH_TERMINAL, os.ttyname(slave), *argv],
            stdin=subprocess.DEVNULL,
            env={**env, MARK: self._mark},
            cwd=cwd,
            start_new_session=True,
        )
        # Ours stays open until the program has opened its own, else the terminal is hung up.
        self._slave = slave

    @property
    def pid(self) -> int:
        return self._child.pid

    def type(self, text: str) -> None:
        os.write(self._master, text.encode())

    def submit(self, text: str) -> None:
        """Type a line, let the program take it in, and press Enter."""
        self.type(text)
        self._shows(text.rsplit(maxsplit=1)[-1] if text.split() else "")
        self.settle(timeout=2)
        self.type(ENTER)

    def choose(self, key: str, patience: float = TAKEN_IN) -> None:
        """Press a key of the menu on the screen until its question is answered, since a busy client drops keys."""
        question = _find_question(self.wait_until(_find_question, "a menu"))
        deadline = time.monotonic() + WAIT
        while self._asks(question):
            if time.monotonic() > deadline:
                raise ClientError(f"no answer to {key!r} in {WAIT:.0f} s\n{self.screen.text()}")
            self.type(key)
            again = time.monotonic() + patience
            while self._asks(question) and time.monotonic() < again:
                self._read(0.1)

    def _asks(self, question: str) -> bool:
        """Return whether the menu is shown; a partly drawn screen is read once more."""
        return _find_question(self.screen.text()) == question or (_find_question(self.settle(timeout=1)) == question)

    def _shows(self, word: str) -> None:
        """Wait for the words: on a busy machine words and Enter would arrive together, which counts as a paste."""
        deadline = time.monotonic() + TAKEN_IN
        while word not in self.screen.text() and time.monotonic() < deadline:
            self._read(0.1)

    def wait_for(self, text: str, timeout: float = WAIT) -> str:
        """The screen, once it shows this text."""
        return self.wait_until(lambda screen: text in screen, f'"{text}"', timeout)

    def wait_until(self, shows: "Callable[[str], object]", wanted: str, timeout: float = WAIT) -> str:
        deadline = time.monotonic() + timeout
        while not shows(self.screen.text()):
            if time.monotonic() > deadline:
                raise ClientError(f"{wanted} not seen in {timeout:.0f} s\n{self.screen.text()}")
            if not self._read(0.1) and self._child.poll() is not None:
                raise ClientError(f"ended before {wanted} was seen\n{self.screen.text()}")
        return self.screen.text()

    def settle(self, quiet: float = QUIET, timeout: float = WAIT) -> str:
        """The screen, once nothing was written for a moment; spinners make it wait in vain."""
        deadline = time.monotonic() + timeout
        while self._read(quiet) and time.monotonic() < deadline:
            pass
        return self.screen.text()

    def wait_end(self, timeout: float = WAIT) -> int:
        deadline = time.monotonic() + timeout
        while self._child.poll() is None and time.monotonic() < deadline:
            self._read(0.1)
        if self._child.returncode is None:
            raise ClientError(f"still running after {timeout:.0f} s\n{self.screen.text()}")
        return self._child.returncode

    def close(self) -> None:
        end_group(self._child.pid)
        self._child.wait()
        end_all(MARK, self._mark)
        os.close(self._slave)
        os.close(self._master)

    def __enter__(self) -> "Self":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _read(self, timeout: float) -> bool:
        """Read what the program wrote, and answer its terminal queries."""
        ready, _, _ = select.select([self._master], [], [], timeout)
        if not ready:
            return False
        try:
            data = os.read(self._master, 65536)
        except OSError:  # how Linux says that the other side is closed
            return False
        self.screen.feed(self._decoder.decode(data))
        for answer in self.screen.answers:
            os.write(self._master, answer.encode())
        self.screen.answers.clear()
        return bool(data)


def _find_question(shown: str) -> str:
    """The line above the options of a menu; empty without a menu."""
    questions = _QUESTION.findall(shown) if MENU in shown else []
    return questions[-1] if questions else ""
