"""Seats for backends: a backend with an agent that plays given steps, those of the scripted agent.

They become the answers of a real program's model, or a file for the scripted agent."""

import json
import os
import shlex
import signal
import threading
import time

from ultrawork.clients.headless import script, table
from ultrawork.clients.headless.attempt import ENDED, Attempt
from ultrawork.engine.agents.local import wrapper
from ultrawork.engine.agents.local.attempt_folder import AttemptFolder
from ultrawork.engine.agents.local.executor import LocalExecutor
from ultrawork.system.process_tree import MARK

from . import process
from .scripted.rules import Rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, Self

    from ultrawork.clients.headless.attempt import AgentCommand, AgentOutcome, AttemptReport
    from ultrawork.clients.headless.base import Backend

    from .scripted_model import ScriptedModel

GRACE = 30.0
LIMIT = 240.0


class Running:
    """A command run by an executor, and its result."""

    def __init__(self, executor: LocalExecutor, attempt: Attempt, command: "AgentCommand") -> None:
        self.attempt = attempt
        self._executor = executor
        self._rung = threading.Event()
        executor.start(attempt, command, self._rung.set)

    def ended(self) -> bool:
        return self.report().state == ENDED

    def report(self) -> "AttemptReport":
        return self._executor.describe(self.attempt)

    def wait(self) -> "AttemptReport":
        limit = time.monotonic() + self.attempt.seconds + GRACE
        while (report := self.report()).state != ENDED:
            assert time.monotonic() < limit, f"{self.attempt.key} does not end"
            self._rung.wait(0.1)
        return report

    def cancel(self) -> "AttemptReport":
        self._executor.cancel(self.attempt)
        return self.wait()

    def kill(self) -> "AttemptReport":
        """Kill the agent's own process."""
        keeper, _ = AttemptFolder(self.attempt.folder).read_pid()
        agent = min(wrapper.list_children(keeper))
        os.kill(agent, signal.SIGKILL)
        return self.wait()

    def left(self) -> list[int]:
        """Processes that the agent started and that are still there."""
        return process.processes_with(MARK, AttemptFolder(self.attempt.folder).token)


class Seat:
    """A backend, the environment it is run in, and a folder for its attempts."""

    def __init__(self, backend: "Backend", folder: str, environ: "Mapping[str, str]") -> None:
        self.backend = backend
        self.folder = folder
        self.environ = dict(environ)
        self.place = f"{folder}/place"
        os.makedirs(self.place, exist_ok=True)
        self.count = 0
        self._executor = LocalExecutor(folder)

    def close(self) -> None:
        self._executor.close()

    def __enter__(self) -> "Self":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def play(self, *steps: "dict[str, Any]") -> None:
        """Set what the agent does when it runs next."""
        raise NotImplementedError

    def attempt(self, prompt: str = "go", **options: "Any") -> Attempt:
        self.count += 1
        folder = f"{self.folder}/attempts/1.{self.count}"
        os.makedirs(folder)
        named = {"subject": "1", "role": "worker", "seconds": LIMIT, **options}
        return Attempt(
            "s", epoch=self.count, backend=self.backend.name, place=self.place, folder=folder, prompt=prompt, **named
        )

    def start(self, attempt: Attempt) -> Running:
        command = self.backend.command(attempt, self.environ)
        return Running(self._executor, attempt, command)

    def heard(self) -> str:
        """All that has reached the agents so far."""
        raise NotImplementedError

    def run(self, attempt: Attempt) -> "AgentOutcome":
        return self.backend.read(attempt, self.start(attempt).wait())


class ScriptSeat(Seat):
    """The scripted agent with its own file."""

    def __init__(self, folder: str) -> None:
        path = f"{folder}/agents.toml"
        environ = {"PATH": os.environ.get("PATH", os.defpath), script.VARIABLE: path}
        super().__init__(table.get("script"), folder, environ)

    def play(self, *steps: "dict[str, Any]") -> None:
        """Set the steps; first it repeats its prompt, so that a test can see it."""
        told = [{"say": "{prompt}"}, *steps]
        self.write("[[agent]]\ndo = [\n" + "".join(f"  {_toml(step)},\n" for step in told) + "]\n")

    def heard(self) -> str:
        """Return what it was told, which it repeats."""
        path = f"{self.folder}/attempts/1.{self.count}/out.jsonl"
        with open(path, encoding="utf-8") as file:
            texts = [json.loads(line).get("text", "") for line in file]
        return "".join(texts)

    def write(self, text: str) -> None:
        with open(self.environ[script.VARIABLE], "w", encoding="utf-8") as file:
            file.write(text)


def _toml(value: object) -> str:
    """Return one value on one line; JSON's strings, numbers and lists are valid TOML."""
    if isinstance(value, dict):
        pairs = (f"{json.dumps(key)} = {_toml(item)}" for key, item in value.items())
        return "{ " + ", ".join(pairs) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return json.dumps(value)


class ModelSeat(Seat):
    """A real program whose model plays the steps; `dialect` has the names of the program's tools."""

    def __init__(
        self, name: str, folder: str, program: str, environ: "Mapping[str, str]", model: "ScriptedModel"
    ) -> None:
        path = f"{os.path.dirname(program)}{os.pathsep}{environ['PATH']}"
        super().__init__(table.get(name), folder, {**environ, "PATH": path})
        self.model = model
        self.dialect = DIALECTS[name]

    def play(self, *steps: "dict[str, Any]") -> None:
        if "limit" in steps[0]:
            self.answer({"error": _too_fast(steps[0]["limit"])})
            return
        replies = [self.reply(step) for step in steps if "spend" not in step]
        self.model.engine.rules = [Rule({"match": {"agent": "main"}, "replies": replies}, 0)]

    def answer(self, reply: "dict[str, Any]") -> None:
        """Set the model's answer to everything."""
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
        "write": lambda place, step: ("Write", {"file_path": f"{place}/{step['write']}", "content": step["text"]}),
        "run": lambda _, step: ("Bash", {"command": _shell(step)}),
        "answer": lambda _, step: ("StructuredOutput", step["answer"]),
    },
    "codex": {
        "write": lambda _, step: ("exec_command", {"cmd": _put(step)}),
        "run": lambda _, step: ("exec_command", {"cmd": _shell(step)}),
    },
    "gemini": {
        "write": lambda place, step: ("write_file", {"file_path": f"{place}/{step['write']}", "content": step["text"]}),
        "run": lambda _, step: ("run_shell_command", {"command": _shell(step)}),
    },
    "opencode": {
        "write": lambda place, step: ("write", {"filePath": f"{place}/{step['write']}", "content": step["text"]}),
        "run": lambda _, step: ("bash", {"command": _shell(step), "description": "run it"}),
    },
}
