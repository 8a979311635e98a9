"""One try of one agent at one subject: the request, the command, and the result; and its output as lines of JSON, a
bounded part of however many there are."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import KW_ONLY, dataclass, field
from mmap import ACCESS_READ, mmap
from typing import Any, BinaryIO

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
    """Everything an executor or a backend needs, storable as JSON. `subject` is a task id, an explorer id, `plan` or
    `verify`. `epoch` grows with every attempt at a subject, so that a late writer of an older epoch is rejected.
    `alone` is how many seconds it may continue without an engine, `most_bytes` how much it may print; 0 leaves both to
    the executor. `account` is the required account, if machines have several; empty means any."""

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
    """What a backend wants to run, in the attempt's place. One that `travels` is the same on any machine; for others a
    remote machine builds its own, with its own program and keys."""

    argv: list[str]
    environ: dict[str, str]
    stdin: bytes = b""
    travels: bool = False


@dataclass(slots=True)
class AgentOutcome:
    """What a backend read from an attempt's output. `last` can be read while the agent runs; `tool_inputs` is its tools'
    input. `bills` is the program's own statement per model: its tokens, in the order of our price tables, and their
    cost."""

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
    tool_inputs: ToolInputs = field(default_factory=ToolInputs)
    bills: dict[str, tuple[tuple[int, ...], float]] = field(default_factory=dict)
    finished: bool = False

    @property
    def is_whole(self) -> bool:
        """Return whether it ended by itself with everything that was requested."""
        return self.finished and not self.trouble


@dataclass(slots=True)
class AttemptReport:
    """What an executor knows about an attempt. `lost`: there is no result and no one who could write one; `detail`
    says why, if known. `machine` is where, if not here; only then the contents of its output are here too."""

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
    """Write a note for a possible successor, before the agent starts. It must survive this process, not a power cut,
    after which no agent is left. All notes of a session are lines of one file, because a separate file could cost more
    than everything else written."""
    path, key = _note(attempt.folder)
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    with open(handle, "ab") as file:
        file.write(key + dumps(attempt.document()).encode("utf-8", "replace"))


def read_note(folder: str) -> Attempt | None:
    """Return the attempt; None if it was never started."""
    path, key = _note(folder)
    try:
        with open(path, "rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as notes:
            start = notes.rfind(key)
            text = notes[start + len(key) : _end_of_line(notes, start + len(key))]
        return Attempt.of(loads(text.decode())) if start >= 0 else None
    except (FileNotFoundError, ValueError):  # half a note: its writer was killed before it went on
        return None


def _note(folder: str) -> tuple[str, bytes]:
    """Return the notes file, beside the executor's folder, and the line's key. A line starts fresh even after a
    partial one."""
    path, name = os.path.split(folder)
    return f"{path}/notes", f"\n{name} ".encode("utf-8", "replace")


def _end_of_line(notes: mmap, start: int) -> int:
    end = notes.find(b"\n", start)
    return len(notes) if end < 0 else end


SHORT = 64_000
HEAD = 1_000_000
TAIL = 16_000_000
LINE = 8_000_000


def read_events(path: str) -> Iterator[dict[str, Any]]:
    """Yield every event; of more than 17 MB the beginning and the end."""
    return _events(path, HEAD, TAIL)


def read_ends(path: str) -> Iterator[dict[str, Any]]:
    """Yield the first and newest events of a running program."""
    return _events(path, SHORT, SHORT)


class EventTail:
    """Follows a running program's output: each read returns the events since the last."""

    def __init__(self, path: str) -> None:
        self._path = path
        self.place = 0

    def read_new(self) -> Iterator[dict[str, Any]]:
        """Yield new events; an incomplete line, and the rest of a flood, waits for the next read."""
        try:
            with open(self._path, "rb") as file:
                file.seek(self.place)
                part = file.read(LINE)
        except OSError:
            return
        whole = part.rfind(b"\n") + 1 or (len(part) if len(part) == LINE else 0)
        self.place += whole
        for line in part[:whole].splitlines():
            event = _event(line)
            if event is not None:
                yield event


def read_tail(path: str) -> str:
    """The end of a text, at most 64 kB."""
    try:
        with open(path, "rb") as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - SHORT))
            return file.read(SHORT).decode("utf-8", "replace")
    except OSError:
        return ""


def _events(path: str, head: int, last: int) -> Iterator[dict[str, Any]]:
    try:
        with open(path, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            if size <= head + last:
                yield from _part(file, 0, size)
            else:
                yield from _part(file, 0, head)
                yield from _part(file, size - last, size)
    except OSError:
        return


def _part(file: BinaryIO, start: int, end: int) -> Iterator[dict[str, Any]]:
    """Yield events of lines that begin between two places; a line cut in two is not JSON and is dropped."""
    file.seek(start)
    while file.tell() < end:
        event = _event(file.readline(LINE))
        if event is not None:
            yield event


def _event(line: bytes) -> dict[str, Any] | None:
    if not line.startswith(b"{"):
        return None
    text = line.decode("utf-8", "replace")
    try:
        value = loads(text)
        if "\\ud" in text.lower():  # half a character of cut output, which could not be stored
            value = loads(dumps(value).encode("utf-8", "replace").decode())
    except ValueError:
        return None
    return value if isinstance(value, dict) else None
