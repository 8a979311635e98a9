"""What agents are told, their role from `agents/`, then this attempt; and what they said and did, line by line, from
their programs' output.

A read-only agent continues the conversation of the attempt before: a planner whose plan was invalid, or an interrupted
agent, already knows the project. A worker starts over: each attempt has its own files, so earlier knowledge is
outdated, and programs store a conversation with its folder."""

from collections.abc import Iterable, Sequence
from typing import Any

from ...clients.headless import attempt, table
from ...clients.headless.attempt import EXPLORER, PLANNER, VERIFIER, WORKER, read_note
from ...clients.headless.base import Backend, OutputReading, take
from ...content import library
from ...core.course.roles import Spawn
from ...core.errors import Trouble
from ...core.run.tool_calls import ToolInputs
from ...store.atomic import read_text
from ...store.paths import find_root
from ..contract import AgentSigns

PLAN = "plan"
READ_ONLY = (EXPLORER, PLANNER, VERIFIER)
_ALONE = (
    "A program runs you; no user is present. Your folder is your own worktree: stay in it, and do not touch"
    " commits or branches. Your changes are collected when you finish."
)
_TEXT: dict[str, Any] = {"type": "string"}
_TEXTS: dict[str, Any] = {"type": "array", "items": _TEXT}
_TASK: dict[str, Any] = {
    "type": "object",
    "properties": {
        "id": _TEXT,
        "subject": _TEXT,
        "description": _TEXT,
        "complexity": {"enum": ["simple", "standard", "complex"]},
        "criteria": _TEXTS,
        "blockedBy": _TEXTS,
        "files": _TEXTS,
    },
    "required": ["id", "subject", "criteria"],
}
_FINDING: dict[str, Any] = {
    "type": "object",
    "properties": {"what": _TEXT, "where": _TEXT, "severity": {"enum": ["P0", "P1", "P2"]}},
    "required": ["what"],
}
# The form of the answer that a role ends with; the others end with text.
SCHEMAS: dict[str, dict[str, Any]] = {
    PLANNER: {"type": "object", "properties": {"tasks": {"type": "array", "items": _TASK}}, "required": ["tasks"]},
    VERIFIER: {
        "type": "object",
        "properties": {"verdict": {"enum": ["PASS", "FAIL"]}, "findings": {"type": "array", "items": _FINDING}},
        "required": ["verdict", "findings"],
    },
}


def find_role(spawn: Spawn) -> str:
    """Return whose rights and answer form it has."""
    return spawn.counts_as.rpartition(":")[2]


def find_schema(role: str, subject: str) -> dict[str, Any] | None:
    """Return the answer schema; a planner also gets requests for other texts than a plan."""
    return None if role == PLANNER and subject != PLAN else SCHEMAS.get(role)


def compose(spawn: Spawn, *more: str) -> str:
    """Return the agent's own page, how it works here, and the spawn's prompt with further context."""
    own = library.parse(read_text(spawn.page) or "").body if spawn.page else _page(spawn.agent.rpartition(":")[2])
    parts = [own, _ALONE if find_role(spawn) == WORKER else "", spawn.prompt, *more]
    return "\n\n".join(part.strip() for part in parts if part.strip()) + "\n"


def _page(name: str) -> str:
    path = f"{find_root()}/agents/{name}.md"
    try:
        with open(path, encoding="utf-8") as file:
            return library.get_body(file.read())
    except OSError as error:
        raise Trouble(f"{path} cannot be read ({error.strerror}); reinstall ultrawork") from None


_GO_ON = "Continue your work in this folder. Where these instructions differ from earlier ones, follow these."


def find_resumable(backend: Backend, folders: Sequence[str], place: str) -> str:
    """Return the newest attempt's conversation, if this program ran it here and it was not a continuation itself."""
    last = read_note(folders[-1]) if folders else None
    if last is None or last.backend != backend.name or last.place != place or last.resume:
        return ""
    return backend.read(last).session


def choose_prompt(whole: str, spawn: str, resume: str) -> str:
    """Return the prompt; a resumed conversation already knows its role."""
    return f"{_GO_ON}\n\n{spawn}\n" if resume else whole


MOST = 400
_SEEN = 64


def read_said(backend: str, folder: str) -> list[str]:
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
