"""The process of a Python session: questions in, answers out, each bounded in time and size."""

import os
import select
import signal
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ..core.errors import Trouble
from ..store.codec import dumps, loads
from ..system.output import Output
from .child_process import ChildGuard, describe_exit

Stop = Callable[[], bool]

OUTPUT_BYTES = 60_000
START_SECONDS = 30.0
GRACE_SECONDS = 5.0
_AGAIN_SECONDS = 1.0
_TICK = 0.1
_PORTIONS = 64
_CHILD = os.path.join(os.path.dirname(os.path.abspath(__file__)), "repl_child.py")


@dataclass(slots=True)
class ReplAnswer:
    """One question to the child: its answer (None if it never came) and the output meanwhile."""

    answer: dict[str, Any] | None = None
    output: Output = field(default_factory=lambda: Output(OUTPUT_BYTES))
    timed_out: bool = False
    crowded: bool = False


class ReplProcess:
    def __init__(self, python: str, folder: str, env: dict[str, str], memory: int) -> None:
        self._guard = ChildGuard()
        questions, self._ask = os.pipe()
        self._answers, answers = os.pipe()
        try:
            self._process = subprocess.Popen(
                [python, _CHILD, str(questions), str(answers), str(memory)],
                cwd=folder,
                env=self._guard.mark(env),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                pass_fds=(questions, answers),
                start_new_session=True,
            )
        except OSError as error:
            self._guard.end()
            raise Trouble(f"could not start {python}: {error.strerror}") from error
        finally:
            os.close(questions)
            os.close(answers)
        self._guard.watch(self._process.pid)
        self._memory = self._guard.limit_memory(memory)
        assert self._process.stdout is not None
        self._out = self._process.stdout.fileno()
        for descriptor in (self._out, self._answers):
            os.set_blocking(descriptor, False)
        self._open = [self._out, self._answers]
        self._partial = b""
        self._number = 0
        self._await_start(python)

    def _await_start(self, python: str) -> None:
        repl_answer = ReplAnswer()
        self._follow(repl_answer, START_SECONDS, lambda: False)
        if repl_answer.answer is None:
            self._read(self._out, repl_answer.output.feed)
            repl_answer.output.finish()
            line = repl_answer.output.text.strip().rpartition("\n")[2][:200]
            self.close()
            raise Trouble(f"{python} did not start{': ' if line else ''}{line}")

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    def ask(self, question: dict[str, object], seconds: float, stop: Stop) -> ReplAnswer:
        repl_answer = ReplAnswer()
        self._number += 1
        try:
            _write(self._ask, dumps({"id": self._number, **question}) + "\n")
        except OSError:
            return repl_answer  # it has ended
        self._follow(repl_answer, seconds, stop)
        self._read(self._out, repl_answer.output.feed)
        repl_answer.output.finish()
        repl_answer.crowded = self._memory.passed.is_set()
        self._memory.passed.clear()
        return repl_answer

    def _follow(self, repl_answer: ReplAnswer, seconds: float, stop: Stop) -> None:
        """Wait for the answer; after the deadline or a stop, interrupt the code, then give up. Code that has not
        started does not notice, so the interrupt is repeated."""
        deadline, give_up, again = time.monotonic() + seconds, None, 0.0
        while repl_answer.answer is None and self.alive and self._answers in self._open:
            now = time.monotonic()
            if give_up is None and (now >= deadline or stop()):
                repl_answer.timed_out = now >= deadline
                give_up = now + GRACE_SECONDS
            if give_up is not None and now >= give_up:
                return
            if give_up is not None and now >= again:
                os.kill(self._process.pid, signal.SIGINT)
                again = now + _AGAIN_SECONDS
            select.select(self._open, [], [], _TICK)
            self._read(self._out, repl_answer.output.feed)
            repl_answer.answer = self._answer()
        repl_answer.answer = repl_answer.answer or self._answer()

    def _answer(self) -> dict[str, Any] | None:
        parts: list[bytes] = []
        self._read(self._answers, parts.append)
        self._partial += b"".join(parts)
        line, end, rest = self._partial.partition(b"\n")
        if not end:
            return None
        self._partial = rest
        answer: dict[str, Any] = loads(line.decode())
        return answer if answer.get("id") == self._number else self._answer()

    def _read(self, descriptor: int, take: Callable[[bytes], object]) -> None:
        """Read what is available, in portions so that the deadline is noticed."""
        for _ in range(_PORTIONS):
            try:
                data = os.read(descriptor, 1 << 16)
            except BlockingIOError:
                return
            if not data:
                if descriptor in self._open:
                    self._open.remove(descriptor)  # the code closed it
                return
            take(data)

    def describe_ending(self) -> str:
        status = self._status(0.0 if self._answers in self._open else 1.0)
        if status is None:
            return "it ignored an interrupt and was killed; the state is lost"
        return f"the interpreter exited {describe_exit(status)}; the state is lost"

    def _status(self, seconds: float) -> int | None:
        try:
            return self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return None

    def kill(self) -> None:
        """End the child; may be called while another thread asks, which then sees it end."""
        self._guard.end()

    def close(self) -> None:
        self.kill()
        self._process.wait()
        os.close(self._ask)
        os.close(self._answers)
        assert self._process.stdout is not None
        self._process.stdout.close()


def _write(descriptor: int, text: str) -> None:
    rest = memoryview(text.encode("utf-8", "replace"))
    while rest:
        rest = rest[os.write(descriptor, rest) :]
