"""Real agent programs as the agents of a headless run, with a scripted model behind them."""

import json
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from . import clients
from .claude import Claude
from .codex import Codex
from .floor import Answer
from .headless import GOAL, Headless
from .scripted.rules import Rule

PATIENCE = 900
Step = dict[str, Any]
CLIENTS: dict[str, tuple[type, str, Callable[[str], tuple[str, Step]]]] = {
    "claude": (Claude, clients.CLAUDE, lambda line: ("Bash", {"command": line})),
    "codex": (Codex, clients.CODEX, lambda line: ("exec_command", {"cmd": line})),
}


class Troupe:
    """A backend whose model plays a part for each agent, distinguished by its prompt."""

    def __init__(self, name: str, project: Headless, seat_at: Callable[..., Any]) -> None:
        kind, program, self._shell = CLIENTS[name]
        self.name = name
        self.project = project
        self.seat = seat_at(kind, clients.program(program), [])
        before = project.environ["PATH"]
        path = [os.path.dirname(self.seat.program), before, self.seat.env["PATH"]]
        project.environ |= {**self.seat.env, "PATH": os.pathsep.join(path)}

    def does(self, line: str) -> Step:
        name, given = self._shell(line)
        return {"tool": {"name": name, "input": given}}

    def answers(self, document: Mapping[str, Any]) -> Step:
        if self.name == "claude":
            return {"tool": {"name": "StructuredOutput", "input": document}}
        return {"text": json.dumps(document)}

    def cast(
        self, plan: Sequence[Mapping[str, Any]], parts: Sequence[tuple[str, list[Step]]], first: Sequence[Step] = ()
    ) -> None:
        """`parts`: a pattern of an agent's prompt, and its replies; the first match plays."""
        always: list[tuple[str, list[Step]]] = [
            ("EXPLORER_ID", [{"text": "calc.py subtracts"}]),
            ("require_success_criteria", [self.answers({"tasks": plan}), {"text": "planned"}]),
            ("RECEIPTS:", [self.answers({"verdict": "PASS", "findings": []}), {"text": "judged"}]),
        ]
        rules = [
            {"match": {"agent": "main", "first": told}, "replies": replies, "after": "repeat"}
            for told, replies in [*parts, *always]
        ]
        every = [*first, *rules]
        self.seat.model.engine.rules = [Rule(rule, place) for place, rule in enumerate(every)]

    def run(self, *words: str) -> Answer:
        return self.project.run("run", "--auto", "--backend", self.name, *words, GOAL, patience=PATIENCE)

    def attempts(self, subject: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.project.run("logs", subject, "--json").data["attempts"]
        return found
