"""A headless run as tests see it: a little project in git, agents that follow a script, the real program."""

import os
import subprocess
import threading

from ultrawork.clients.headless.script import VARIABLE
from ultrawork.store.codec import dumps

from . import template
from .floor import PLUGIN, Program

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from .floor import Answer

FILES = {
    "calc.py": "def add(a, b):\n    return a - b\n",
    "test_calc.py": (
        "import unittest\nfrom calc import add\n\n\nclass CalcTest(unittest.TestCase):\n"
        "    def test_nothing_added(self):\n        self.assertEqual(add(2, 0), 2)\n"
    ),
    "Makefile": "test:\n\t@python3 -m unittest -q\n",
    ".gitignore": "__pycache__/\n",
}
FIX: "dict[str, Any]" = {"write": "calc.py", "text": "def add(a, b):\n    return a + b\n"}
SHOW: "dict[str, Any]" = {
    "write": "test_sum.py",
    "text": (
        "import unittest\nfrom calc import add\n\n\nclass SumTest(unittest.TestCase):\n"
        "    def test_sum(self):\n        self.assertEqual(add(2, 2), 4)\n"
    ),
}
ADDS = "python3 -c 'from calc import add; assert add(2, 2) == 4' => exit 0"
PATIENCE = 240.0
GOAL = "Fix the sum of two numbers"
_STARTED: "list[subprocess.Popen[bytes]]" = []


def task(name: str, *after: str, criteria: "Sequence[str]" = (ADDS,)) -> "dict[str, Any]":
    return {
        "id": name,
        "subject": f"Do {name}",
        "complexity": "simple",
        "criteria": list(criteria),
        "blockedBy": list(after),
    }


def agent(role: str, *steps: "Mapping[str, Any]", **when: object) -> "dict[str, Any]":
    return {"role": role, **when, "do": list(steps)}


def worker(subject: str, *steps: "Mapping[str, Any]", **when: object) -> "dict[str, Any]":
    return agent("worker", *steps, subject=subject, **when)


class Headless(Program):
    """`cast` writes the script; explorers, the planner and a content verifier exist unless given."""

    __slots__ = ()

    def __init__(self, root: str) -> None:
        super().__init__(root)
        self.environ[VARIABLE] = f"{self.root}/agents.toml"
        template.fill(self.place, "headless", self._lay)

    def _lay(self) -> None:
        for name, text in FILES.items():
            self.write(name, text)
        self.git("init", "-q", "-b", "main")
        self.git("config", "user.name", "Pat")
        self.git("config", "user.email", "pat@example.org")
        self.git("add", "-A")
        self.git("commit", "-qm", "A sum")

    def write(self, name: str, text: str) -> None:
        with open(f"{self.place}/{name}", "w", encoding="utf-8") as file:
            file.write(text)

    def read(self, name: str) -> str:
        with open(f"{self.place}/{name}", encoding="utf-8") as file:
            return file.read()

    def git(self, *words: str) -> str:
        done = subprocess.run(["git", *words], cwd=self.place, env=self.environ, capture_output=True, check=True)
        return done.stdout.decode().strip()

    def cast(self, plan: "Sequence[Mapping[str, Any]]", *agents: "Mapping[str, Any]") -> None:
        always = [
            agent("explorer", {"say": "calc.py subtracts"}),
            agent("planner", {"answer": {"tasks": list(plan)}}),
            agent("verifier", {"answer": {"verdict": "PASS", "findings": []}}),
        ]
        write_cast(self.environ[VARIABLE], [*agents, *always])

    def go(self, *words: str) -> "Answer":
        """Run to the end, without a user to ask."""
        return self.run("run", "--auto", "--backend", "script", *words, GOAL, patience=PATIENCE)

    def start(self, *words: str, **how: "Any") -> "subprocess.Popen[bytes]":
        self.remember_python()
        engine = subprocess.Popen(
            [f"{PLUGIN}/bin/ultrawork", *words],
            env=self.environ,
            cwd=self.place,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            **how,
        )
        _STARTED.append(engine)
        return engine

    @property
    def session(self) -> str:
        return os.listdir(f"{self.home}/sessions")[0]


def end_started() -> None:
    """End what a failed test left running: its open pipes would fail the next test of this process."""
    while _STARTED:
        engine = _STARTED.pop()
        engine.kill()
        engine.wait()
        for pipe in (engine.stdout, engine.stderr):
            if pipe is not None:
                pipe.close()


def write_cast(path: str, agents: "Sequence[Mapping[str, Any]]") -> dict[str, str]:
    """Write what scripted agents do; return the variable that names the file."""
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(map(_table, agents))
    return {VARIABLE: path}


def read_until(engine: "subprocess.Popen[bytes]", words: bytes) -> str:
    """Read until a line contains these words; an engine that never prints them is ended."""
    watch = threading.Timer(PATIENCE, engine.kill)
    watch.start()
    assert engine.stdout is not None
    try:
        for line in engine.stdout:
            if words in line:
                return line.decode()
    finally:
        watch.cancel()
    raise AssertionError(f"never said: {words!r}")


def _table(one: "Mapping[str, Any]") -> str:
    lines = [f"{key} = {_value(value)}" for key, value in one.items()]
    return "\n".join(["[[agent]]", *lines, "", ""])


def _value(value: "Any") -> str:
    """TOML's inline form; texts and numbers are written as in JSON."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {_value(inner)}" for key, inner in value.items()) + " }"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_value(inner) for inner in value) + "]"
    return dumps(value)
