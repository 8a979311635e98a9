"""
What travels: an attempt as a job for another machine, and what came of it.

Both are small. Temporal keeps what it carries, and what is over two MiB it sends again for ever; so a long prompt
and all that an agent printed travel as commits. Nothing of the coordinator's environment or paths does. Whoever gets one
of them reads it by the tables of `intake`.
"""

import os
import zlib
from base64 import b64decode, b64encode
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any

from ..clients.headless.attempt import AgentCommand, Attempt
from ..core.errors import UsageError
from ..core.wording import cut
from ..store.codec import dumps, loads
from ..system.git import Git
from . import intake
from .packs import read_commit

ACTIVITY = "ultrawork.attempt"
LOG_ACTIVITY = "ultrawork.log"
LOGS = "logs"  # the kind of queue that it is asked by
LIMIT = 128_000  # bytes of a job that Temporal is asked to carry
_TEXT = 2_000
_OUTPUT = 48 << 20  # bytes of an agent's output that travel: its beginning and its end
_HEAD = 1 << 20
OUTPUT_FILES = ("out.jsonl", "err.log")
OUTPUT = "attempt"  # the file of an output's commit
TAKEN = "output"  # beside an attempt: the commit whose content lies there


@dataclass(slots=True)
class AttemptJob:
    """
    `base` is the commit to work on, `depth` how deep the agent lies in runs of other agents. `command` is there only for
    what is no agent program: a worker makes the command of an agent itself, with its own program and its own keys.
    """

    attempt: dict[str, Any]
    remote: str
    base: str
    _: KW_ONLY
    lease: float
    depth: int = 1
    command: dict[str, Any] | None = None

    def document(self) -> dict[str, Any]:
        """As it is kept here. Nothing in it is copied: whoever gets it writes it down."""
        return {name: getattr(self, name) for name in self.__slots__}

    def make_request(self) -> dict[str, Any]:
        """As another machine gets it: where the attempt lies here is of no use there."""
        told = {name: value for name, value in self.attempt.items() if name in intake.ATTEMPT}
        return {**self.document(), "attempt": told}

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> "AttemptJob":
        """One of our own, from a file here."""
        return cls(**document)

    @classmethod
    def read(cls, given: object) -> "AttemptJob":
        """One that came from elsewhere: refused with a sentence if it asks for more than a job may."""
        needed = ("attempt", "remote", "base", "lease")
        return cls(**intake.read_fields(given, intake.JOB, "the job", needed))


@dataclass(slots=True)
class JobResult:
    """
    `work` is the commit of what was changed, `output` the one with what was printed, and `said` the same again if it
    is short, so that nobody has to fetch it; `seconds` by any clock.
    """

    code: int | None
    why: str
    _: KW_ONLY
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    work: str = ""
    output: str = ""
    machine: str = ""
    account: str = ""
    detail: str = ""
    said: str = ""

    @property
    def is_whole(self) -> bool:
        """Whether it tells all that there is, so that nobody has to wait until it is on the remote too."""
        return bool(self.said) and not self.work

    def document(self) -> dict[str, Any]:
        self.detail = cut(self.detail, _TEXT)
        return {name: getattr(self, name) for name in self.__slots__}

    @classmethod
    def read(cls, given: object) -> "JobResult":
        """As a machine told it: refused with a sentence if it is not what a result looks like."""
        return cls(**intake.read_fields(given, intake.RESULT, "the result", ("code", "why")))


def pack_command(command: AgentCommand) -> dict[str, Any]:
    return {
        "argv": command.argv,
        "environ": command.environ,
        "stdin": command.stdin.decode("utf-8", "surrogateescape"),
    }


def unpack_command(document: Mapping[str, Any]) -> AgentCommand:
    stdin = str(document["stdin"]).encode("utf-8", "surrogateescape")
    return AgentCommand(list(document["argv"]), dict(document["environ"]), stdin)


def pack_output(result: JobResult, folder: str) -> bytes:
    """One file, as each costs a program of git: a line that tells of it, then what was printed, one after the other."""
    printed = [_read_ends(f"{folder}/{name}") for name in OUTPUT_FILES]
    head = {"result": result.document(), "sizes": [len(one) for one in printed]}
    return dumps(head).encode() + b"\n" + b"".join(printed)


def unpack_output(data: bytes) -> tuple[JobResult, dict[str, bytes]]:
    line, _, rest = data.partition(b"\n")
    head = _read_head(line)
    printed, start = {}, 0
    for name, size in zip(OUTPUT_FILES, head["sizes"], strict=True):
        printed[name] = rest[start : start + size]
        start += size
    return JobResult(**head["result"]), printed


def _read_head(line: bytes) -> dict[str, Any]:
    try:
        given = loads(line.decode())
    except ValueError:
        given = None
    return intake.read_fields(given, intake.OUTPUT_HEAD, "the output", intake.OUTPUT_HEAD)


def shorten_output(data: bytes) -> str:
    """As a text that Temporal may carry; empty if that would be too long."""
    if len(data) > intake.MOST_SAID * 8:
        return ""
    packed = b64encode(zlib.compress(data)).decode()
    return packed if len(packed) <= intake.MOST_SAID else ""


def restore_output(said: str) -> bytes:
    """No more than was promised, whatever a machine has sent."""
    try:
        return zlib.decompressobj().decompress(b64decode(said), intake.MOST_SAID * 8)
    except (ValueError, zlib.error):
        raise UsageError(
            "could not unpack the agent's output; its machine sent something else"
        ) from None


def _read_ends(path: str) -> bytes:
    """Whole, or its beginning and its end on lines of their own."""
    try:
        with open(path, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            if size <= _OUTPUT:
                return file.read()
            head = file.read(_HEAD)
            file.seek(size - _OUTPUT + _HEAD)
            return head.rpartition(b"\n")[0] + b"\n" + file.read().partition(b"\n")[2]
    except FileNotFoundError:
        return b""


def restore_attempt(job: AttemptJob, *, place: str = "", folder: str = "") -> Attempt:
    """The attempt as it is on this machine. Without a worker it ends before it is given to another one."""
    alone = max(1.0, job.lease / 2 - 2.0)
    here = {"place": place, "folder": folder, "resume": "", "alone": alone}
    return Attempt.of({**job.attempt, **here})


def read_sealed_job(git: Git, commit: str) -> object:
    """The signed job that a commit holds; whoever has the key opens it."""
    try:
        return loads(read_commit(git, commit, "job.json").decode())
    except ValueError:
        raise UsageError(f"the job in {commit[:12]} is not JSON") from None
