"""The program as tests run it: its own state folder and project, an empty environment, bounded time."""

import io
import os
import subprocess
import sys

from . import template

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

REPOSITORY = os.path.dirname(os.path.abspath(__file__)).rsplit("/", 2)[0]
# What an install contains: the program, its launchers, hooks, agents, skills and content.
PLUGIN = f"{REPOSITORY}/plugin"
# From this folder a separate program finds `support`.
TESTS = f"{REPOSITORY}/tests"
PATIENCE = 60.0
# The terminal of the user who calls the program in this process.
TERMINAL = "/dev/pts/7"
# The folders that hold sh and its companions; nothing else of the machine is used.
PATH = "/usr/local/bin:/usr/bin:/bin"


class Answer:
    __slots__ = ("err", "out", "status")

    def __init__(self, status: int, out: str, err: str) -> None:
        self.status = status
        self.out = out
        self.err = err

    def __repr__(self) -> str:
        return f"exit {self.status}\n{self.out}{self.err}"

    @property
    def envelope(self) -> "dict[str, Any]":
        from ultrawork.store.codec import loads

        found: dict[str, Any] = loads(self.out)
        return found

    @property
    def data(self) -> "Any":
        return self.envelope["data"]


class Program:
    """`run` starts a launcher as people do; `call` runs the same words in this process, which is faster."""

    __slots__ = ("environ", "home", "place", "root")

    def __init__(self, root: str) -> None:
        self.root = os.path.realpath(root)
        self.home = f"{self.root}/state"
        self.place = f"{self.root}/project"
        os.makedirs(self.place, exist_ok=True)
        self.environ = {"PATH": PATH, "HOME": self.root, "ULTRAWORK_HOME": self.home}

    def run(
        self,
        *words: str,
        program: str = "ultrawork",
        env: "Mapping[str, str] | None" = None,
        stdin: bytes = b"",
        cwd: str | None = None,
        preexec: "Callable[[], None] | None" = None,
        patience: float = PATIENCE,
        checkout: str = PLUGIN,
    ) -> Answer:
        self.remember_python()
        found = subprocess.run(
            [f"{checkout}/bin/{program}", *words],
            env={**self.environ, **(env or {})},
            input=stdin,
            cwd=cwd or self.place,
            capture_output=True,
            timeout=patience,
            preexec_fn=preexec,
            check=False,
        )
        out, err = (text.decode("utf-8", "replace") for text in (found.stdout, found.stderr))
        return Answer(found.returncode, out, err)

    def remember_python(self) -> None:
        """Spare the launcher its search, and the interpreter recompiling everything."""
        template.prepare_cache(self.home)

    def call(self, *words: str, env: "Mapping[str, str] | None" = None, stdin: bytes = b"") -> Answer:
        from ultrawork.cli.main import main

        with Console(self.place, stdin) as console:
            status = main(words, {**self.environ, **(env or {})}, lambda: TERMINAL)
        return Answer(status, console.out.text(), console.err.text())

    def done(self, *words: str, stdin: bytes = b"") -> Answer:
        """`call`, for what must succeed."""
        answer = self.call(*words, stdin=stdin)
        assert answer.status == 0, f"{words}: {answer}"
        return answer


class _Stream(io.TextIOWrapper):
    def __init__(self, data: bytes = b"") -> None:
        super().__init__(io.BytesIO(data), encoding="utf-8", errors="replace")

    def text(self) -> str:
        self.flush()
        buffer = self.buffer
        assert isinstance(buffer, io.BytesIO)
        return buffer.getvalue().decode("utf-8", "replace")


class Console:
    """This process with other standard streams and another folder, for a while."""

    __slots__ = ("_before", "_input", "_place", "err", "out")

    def __init__(self, place: str, stdin: bytes) -> None:
        self._place = place
        self._input = _Stream(stdin)
        self.out = _Stream()
        self.err = _Stream()

    def __enter__(self) -> "Console":
        self._before = (sys.stdin, sys.stdout, sys.stderr, os.getcwd())
        os.chdir(self._place)
        sys.stdin, sys.stdout, sys.stderr = self._input, self.out, self.err
        return self

    def __exit__(self, *_: object) -> None:
        sys.stdin, sys.stdout, sys.stderr, folder = self._before
        os.chdir(folder)
