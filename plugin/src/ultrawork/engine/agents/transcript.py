"""What an agent said and did, line by line, from its program's output."""

from collections.abc import Iterable
from typing import Any

from ...clients.headless import attempt, table
from ...clients.headless.base import Backend, OutputReading, take
from ...core.run.tool_calls import ToolInputs
from ..contract import AgentSigns

MOST = 400
_SEEN = 64


def read(backend: str, folder: str) -> list[str]:
    """Return the last lines of an attempt; empty for one that never started."""
    return _lines(table.get(backend), attempt.read_events(f"{folder}/out.jsonl"))[-MOST:]


class AgentFollower:
    """Follows a running agent: what it does, and what it has spent so far."""

    def __init__(self, backend: Backend, folder: str) -> None:
        self._backend = backend
        self._tail = attempt.EventTail(f"{folder}/out.jsonl")
        self.reading = OutputReading()

    @property
    def place(self) -> int:
        return self._tail.place

    def look(self) -> OutputReading:
        for event in self._tail.read_new():
            take(self._backend, event, self.reading)
        self.reading.tool_inputs = ToolInputs()  # whole files; read the output again to get them
        return self.reading


def read_signs(seen: OutputReading) -> AgentSigns:
    return AgentSigns(
        calls=seen.steps[-_SEEN:],
        last=seen.last,
        tokens=seen.tokens,
        cost_usd=seen.cost_usd,
        estimated=seen.is_estimate,
    )


def count_spent(backend: Backend, folder: str) -> tuple[int, float | None]:
    """Tokens and money of an attempt, by all that it printed, however it ended."""
    follower = AgentFollower(backend, folder)
    before = -1
    while (seen := follower.look()) and follower.place != before:
        before = follower.place
    return seen.tokens, seen.cost_usd


def _lines(backend: Backend, events: Iterable[dict[str, Any]]) -> list[str]:
    reading = OutputReading()
    lines: list[str] = []
    for event in events:
        reading.last = ""
        take(backend, event, reading)
        if reading.last:
            lines.append(reading.last)
    return lines
