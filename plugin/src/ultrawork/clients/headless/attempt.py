"""One try of one agent at one subject: what is asked, what is run, and what came of it."""

import os
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, field
from mmap import ACCESS_READ, mmap
from typing import Any

from ...core.run.tool_calls import ToolInputs
from ...store.codec import dumps, loads

EXPLORER = "explorer"
PLANNER = "planner"
WORKER = "worker"
VERIFIER = "verifier"

RUNNING = "running"
ENDED = "ended"
LOST = "lost"


@dataclass(slots=True)
class Attempt:
    """
    Everything an executor or a backend needs, and all of it can be written down as JSON.

    `subject` is a task id, an explorer id, `plan` or `verify`. `epoch` grows with every attempt at a
    subject, whatever its cause: a late writer of an older epoch is fenced off. `alone` are the seconds that it
    may go on without an engine, `most_bytes` what it may print; 0 leaves both to the executor. `account` is whose it
    has to be, where machines have several; empty leaves it to whoever takes it.
    """

    session: str
    subject: str
    role: str
    epoch: int
    _: KW_ONLY
    backend: str
    place: str
    folder: str
    prompt: str
    model: str = ""
    resume: str = ""
    read_only: bool = False
    schema: dict[str, Any] | None = None
    seconds: float = 3600.0
    budget_usd: float = 0.0
    effort: str = ""
    alone: float = 0.0
    most_bytes: int = 0
    account: str = ""

    @property
    def key(self) -> str:
        return f"{self.session}/{self.subject}/{self.epoch}"

    def document(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in sorted(self.__slots__)}

    @classmethod
    def of(cls, document: dict[str, Any]) -> "Attempt":
        return cls(**document)


@dataclass(slots=True)
class AgentCommand:
    """
    What a backend wants to be run, in the attempt's place. One that `travels` is the same on any machine; of
    others a machine elsewhere makes its own, with its own program and keys.
    """

    argv: list[str]
    environ: dict[str, str]
    stdin: bytes = b""
    travels: bool = False


@dataclass(slots=True)
class AgentOutcome:
    """
    What a backend read from an attempt's output. `last` can be read while the agent is at work; `told` is
    what its tools were told. `bills` is what the program itself says of each model: its tokens, in the order of our
    price tables, and what they cost.
    """

    text: str = ""
    _: KW_ONLY
    answer: dict[str, Any] | None = None
    session: str = ""
    tokens: int = 0
    cost_usd: float | None = None
    trouble: str = ""
    retry_at: float = 0.0
    detail: str = ""
    last: str = ""
    told: ToolInputs = field(default_factory=ToolInputs)
    bills: dict[str, tuple[tuple[int, ...], float]] = field(default_factory=dict)
    finished: bool = False

    @property
    def is_whole(self) -> bool:
        """It came to its end by itself, and nothing is missing of what was asked for."""
        return self.finished and not self.trouble


@dataclass(slots=True)
class AttemptReport:
    """
    What an executor knows of an attempt. `lost`: there is no result and nobody who could write one; `detail`
    says why, if that is known. `machine` is where, if not here; only then what its output tells is here too.
    """

    state: str
    _: KW_ONLY
    code: int | None = None
    why: str = ""
    started_at: float = 0.0
    ended_at: float = 0.0
    cpu_seconds: float = 0.0
    quiet_seconds: float = 0.0
    output_bytes: int = 0
    detail: str = ""
    machine: str = ""
    account: str = ""
    tokens: int = 0
    cost_usd: float | None = None
    estimated: bool = False
    last: str = ""
    calls: Sequence[str] = ()


def write_note(attempt: Attempt) -> None:
    """
    Leaves a note for whoever has to take over, before the agent is started.

    It has to outlive this process, not a power cut: then no agent is left to take over. All notes of a
    session are lines of one file, as a file of its own may cost more than all else that is written.
    """
    path, key = _note(attempt.folder)
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    with open(handle, "ab") as file:
        file.write(key + dumps(attempt.document()).encode("utf-8", "replace"))


def read_note(folder: str) -> Attempt | None:
    """None if it was never started."""
    path, key = _note(folder)
    try:
        with open(path, "rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as notes:
            start = notes.rfind(key)
            text = notes[start + len(key) : _end_of_line(notes, start + len(key))]
        return Attempt.of(loads(text.decode())) if start >= 0 else None
    except (FileNotFoundError, ValueError):  # half a note: its writer was killed before it went on
        return None


def _note(folder: str) -> tuple[str, bytes]:
    """Beside the folder, which is the executor's. A line begins anew even after half a one."""
    path, name = os.path.split(folder)
    return f"{path}/notes", f"\n{name} ".encode("utf-8", "replace")


def _end_of_line(notes: mmap, start: int) -> int:
    end = notes.find(b"\n", start)
    return len(notes) if end < 0 else end
