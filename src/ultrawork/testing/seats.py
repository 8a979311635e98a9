"""
Seats for backends: a backend with an agent that plays given steps, those of the scripted agent.

They are turned into what the model of a real program answers, or into a file for the scripted agent.
"""

import json
import os
import shlex
import signal
import subprocess
import time

from ..engine.attempt import ENDED, Attempt, Report
from ..engine.backends import script, table
from . import process
from .scripted.rules import Rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from ..engine.attempt import Command, Outcome
    from ..engine.backends.base import Backend
    from .scripted_model import ScriptedModel

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
            self.mark = process.new_mark()
            self.child = subprocess.Popen(
                command.argv,
                stdin=given,
                stdout=out,
                stderr=err,
                env={**command.environ, process.MARK: self.mark},
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

    def heard(self) -> str:
        """All that has reached the agents so far."""
        raise NotImplementedError

    def run(self, attempt: Attempt, seconds: float = LIMIT) -> "Outcome":
        return self.backend.read(attempt, self.start(attempt).wait(seconds))


class ScriptSeat(Seat):
    """The scripted agent with a file of its own."""

    def __init__(self, folder: str) -> None:
        path = f"{folder}/agents.toml"
        environ = {"PATH": os.environ.get("PATH", os.defpath), script.VARIABLE: path}
        super().__init__(table.named("script"), folder, environ)

    def play(self, *steps: "dict[str, Any]") -> None:
        """Before all else it repeats what it was told: so it can be seen what it heard."""
        told = [{"say": "{prompt}"}, *steps]
        self.write("[[agent]]\ndo = [\n" + "".join(f"  {_toml(step)},\n" for step in told) + "]\n")

    def heard(self) -> str:
        """It hears what it repeats."""
        path = f"{self.folder}/attempts/1.{self.count}/out.jsonl"
        with open(path, encoding="utf-8") as file:
            texts = [json.loads(line).get("text", "") for line in file]
        return "".join(texts)

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


class ModelSeat(Seat):
    """A real program whose model plays the steps; `dialect` has the names of the program's tools."""

    def __init__(
        self,
        name: str,
        folder: str,
        program: str,
        environ: "Mapping[str, str]",
        model: "ScriptedModel",
    ) -> None:
        path = f"{os.path.dirname(program)}{os.pathsep}{environ['PATH']}"
        super().__init__(table.named(name), folder, {**environ, "PATH": path})
        self.model = model
        self.dialect = DIALECTS[name]

    def play(self, *steps: "dict[str, Any]") -> None:
        if "limit" in steps[0]:
            self.answer({"error": _too_fast(steps[0]["limit"])})
            return
        replies = [self.reply(step) for step in steps if "spend" not in step]
        self.model.engine.rules = [Rule({"match": {"agent": "main"}, "replies": replies}, 0)]

    def answer(self, reply: "dict[str, Any]") -> None:
        """What the model says to everything."""
        self.model.engine.rules = [Rule({"reply": reply}, 0)]

    def reply(self, step: "dict[str, Any]") -> "dict[str, Any]":
        if "say" in step:
            return {"text": step["say"]}
        if "answer" in step and "answer" not in self.dialect:
            return {"text": json.dumps(step["answer"])}
        verb = next(verb for verb in self.dialect if verb in step)
        name, given = self.dialect[verb](self.place, step)
        return {"tool": {"name": name, "input": given}}

    def heard(self) -> str:
        bodies = [request.get("body") for request in self.model.requests]
        return json.dumps(bodies, ensure_ascii=False)


def _too_fast(seconds: float) -> "dict[str, Any]":
    return {"status": 429, "retry_after": seconds, "message": "rate limit: too fast"}


def _shell(step: "dict[str, Any]") -> str:
    return shlex.join(step["run"])


def _put(step: "dict[str, Any]") -> str:
    return f"printf %s {shlex.quote(step['text'])} > {shlex.quote(step['write'])}"


# Name and input of the tool with which a program does a step.
DIALECTS: "dict[str, dict[str, Callable[[str, dict[str, Any]], tuple[str, dict[str, Any]]]]]" = {
    "claude": {
        "write": lambda place, step: (
            "Write",
            {"file_path": f"{place}/{step['write']}", "content": step["text"]},
        ),
        "run": lambda _, step: ("Bash", {"command": _shell(step)}),
        "answer": lambda _, step: ("StructuredOutput", step["answer"]),
    },
    "codex": {
        "write": lambda _, step: ("exec_command", {"cmd": _put(step)}),
        "run": lambda _, step: ("exec_command", {"cmd": _shell(step)}),
    },
    "gemini": {
        "write": lambda place, step: (
            "write_file",
            {"file_path": f"{place}/{step['write']}", "content": step["text"]},
        ),
        "run": lambda _, step: ("run_shell_command", {"command": _shell(step)}),
    },
    "opencode": {
        "write": lambda place, step: (
            "write",
            {"filePath": f"{place}/{step['write']}", "content": step["text"]},
        ),
        "run": lambda _, step: ("bash", {"command": _shell(step), "description": "run it"}),
    },
}
