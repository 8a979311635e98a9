"""
What every backend must do, as tests that any of them runs, and the seats on which they run.

A seat is a backend with an agent that plays given steps (those of the scripted agent): the steps are
turned into what the model of a real program answers, or into a file for the scripted agent. A test
class takes the suite by `class TestX(BackendSuite)` and gives a fixture `seat`.
"""

import json
import os
import signal
import subprocess
import time

from ..engine.attempt import ENDED, Attempt, Report
from ..engine.backends import script, table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ..engine.attempt import Command, Outcome
    from ..engine.backends.base import Backend

LIMIT = 120.0


class Running:
    """A command at work in an attempt's place, its output in the attempt's folder."""

    def __init__(self, attempt: Attempt, command: "Command") -> None:
        self.attempt = attempt
        self.started = time.time()
        with (
            open(f"{attempt.folder}/stdin", "w+b") as given,
            open(f"{attempt.folder}/out.jsonl", "wb") as out,
            open(f"{attempt.folder}/err.log", "wb") as err,
        ):
            given.write(command.stdin)
            given.seek(0)
            self.child = subprocess.Popen(
                command.argv,
                stdin=given,
                stdout=out,
                stderr=err,
                env=command.environ,
                cwd=attempt.place,
                start_new_session=True,
            )

    def cancel(self) -> Report:
        """As an executor does it: the whole group."""
        os.killpg(self.child.pid, signal.SIGTERM)
        try:
            self.child.wait(5)
        except subprocess.TimeoutExpired:
            os.killpg(self.child.pid, signal.SIGKILL)
        return self.report("cancelled")

    def wait(self, seconds: float = LIMIT) -> Report:
        try:
            self.child.wait(seconds)
        except subprocess.TimeoutExpired:
            os.killpg(self.child.pid, signal.SIGKILL)
            return self.report("deadline")
        return self.report("ended")

    def report(self, why: str) -> Report:
        code = self.child.wait()
        return Report(ENDED, code=code, why=why, started_at=self.started, ended_at=time.time())


class Seat:
    """A backend, the environment it is run in, and a folder for its attempts."""

    def __init__(self, backend: "Backend", folder: str, environ: "Mapping[str, str]") -> None:
        self.backend = backend
        self.folder = folder
        self.environ = dict(environ)
        self.place = f"{folder}/place"
        os.makedirs(self.place, exist_ok=True)
        self.count = 0

    def play(self, *steps: "dict[str, Any]") -> None:
        """What the agent does when it is run next."""
        raise NotImplementedError

    def attempt(self, prompt: str = "go", **options: "Any") -> Attempt:
        self.count += 1
        folder = f"{self.folder}/attempts/1.{self.count}"
        os.makedirs(folder)
        named = {"subject": "1", "role": "worker", **options}
        return Attempt(
            "s",
            epoch=self.count,
            backend=self.backend.name,
            place=self.place,
            folder=folder,
            prompt=prompt,
            **named,
        )

    def start(self, attempt: Attempt) -> Running:
        return Running(attempt, self.backend.command(attempt, self.environ))

    def run(self, attempt: Attempt, seconds: float = LIMIT) -> "Outcome":
        return self.backend.read(attempt, self.start(attempt).wait(seconds))


class ScriptSeat(Seat):
    """The scripted agent with a file of its own."""

    def __init__(self, folder: str) -> None:
        path = f"{folder}/agents.toml"
        environ = {"PATH": os.environ.get("PATH", os.defpath), script.VARIABLE: path}
        super().__init__(table.named("script"), folder, environ)

    def play(self, *steps: "dict[str, Any]") -> None:
        self.write("[[agent]]\ndo = [\n" + "".join(f"  {_toml(step)},\n" for step in steps) + "]\n")

    def write(self, text: str) -> None:
        with open(self.environ[script.VARIABLE], "w", encoding="utf-8") as file:
            file.write(text)


def _toml(value: object) -> str:
    """One value on one line; JSON's strings, numbers and lists are TOML's as well."""
    if isinstance(value, dict):
        pairs = (f"{json.dumps(key)} = {_toml(item)}" for key, item in value.items())
        return "{ " + ", ".join(pairs) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return json.dumps(value)
