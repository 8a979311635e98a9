"""What travels: an attempt as a job for another machine, and its result.

Both are small. Temporal stores what it carries, and resends anything over two MiB forever; so a long prompt and an
agent's output travel as commits. Nothing of the coordinator's environment or paths does. The receiver reads them by
the tables of `intake`."""

import os
import zlib
from base64 import b64decode, b64encode
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from hashlib import sha256
from typing import Any

from ..clients.headless.attempt import AgentCommand, Attempt
from ..core.errors import Conflict, UsageError
from ..core.wording import cut
from ..store.codec import dumps, loads
from ..system.git import Git
from . import intake
from .keys import ClusterKey
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
NO_ROOM = 16 << 20  # bytes left on a disk, below which git fails for that
TAKEN = "output"  # beside an attempt: the commit whose content is there


@dataclass(slots=True)
class AttemptJob:
    """A job. `base` is the commit to work on, `depth` how deeply the agent is nested in other agents' runs. `command`
    exists only for what is not an agent program: a worker builds an agent's command itself, with its own program and
    keys."""

    attempt: dict[str, Any]
    remote: str
    base: str
    _: KW_ONLY
    lease: float
    depth: int = 1
    command: dict[str, Any] | None = None

    def document(self) -> dict[str, Any]:
        """Return the stored form. Nothing in it is copied."""
        return {name: getattr(self, name) for name in self.__slots__}

    def make_request(self) -> dict[str, Any]:
        """Return the form for another machine: local paths of the attempt are useless there."""
        attempt = {name: value for name, value in self.attempt.items() if name in intake.ATTEMPT}
        return {**self.document(), "attempt": attempt}

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> "AttemptJob":
        """Return our own job from a local file."""
        return cls(**document)

    @classmethod
    def read(cls, given: object) -> "AttemptJob":
        """Return a received job; raise if it asks for more than a job may."""
        needed = ("attempt", "remote", "base", "lease")
        return cls(**intake.read_fields(given, intake.JOB, "the job", needed))


@dataclass(slots=True)
class JobResult:
    """A result. `work` is the commit of the changes, `output` the one with the output, and `said` the same again if
    short, so that it need not be fetched; `seconds` by any clock."""

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
        """Return whether it contains everything, so that no one has to wait for the remote."""
        return bool(self.said) and not self.work

    def document(self) -> dict[str, Any]:
        self.detail = cut(self.detail, _TEXT)
        return {name: getattr(self, name) for name in self.__slots__}

    @classmethod
    def read(cls, given: object) -> "JobResult":
        """Read a machine's result; raise if it is malformed."""
        return cls(**intake.read_fields(given, intake.RESULT, "the result", ("code", "why")))

    @classmethod
    def unseal(cls, sealed: object, key: ClusterKey, of: str) -> "JobResult":
        """Read a result that a worker signed for this attempt: its work is checked by running it."""
        return cls.read(key.unseal_report(sealed, of, "the result"))


def pack_command(command: AgentCommand) -> dict[str, Any]:
    return {"argv": command.argv, "environ": command.environ, "stdin": command.stdin.decode("utf-8", "surrogateescape")}


def unpack_command(document: Mapping[str, Any]) -> AgentCommand:
    stdin = str(document["stdin"]).encode("utf-8", "surrogateescape")
    return AgentCommand(list(document["argv"]), dict(document["environ"]), stdin)


def pack_output(result: JobResult, attempt: Attempt, key: ClusterKey) -> bytes:
    """Return one file, because each costs a git process: a signed header line, then the outputs in sequence."""
    printed = [_read_ends(f"{attempt.folder}/{name}") for name in OUTPUT_FILES]
    rest = b"".join(printed)
    head = {
        "result": result.document(),
        "sizes": [len(output) for output in printed],
        "digest": sha256(rest).hexdigest(),
    }
    return dumps(key.seal_report(attempt.key, head)).encode() + b"\n" + rest


def unpack_output(data: bytes, key: ClusterKey, of: str) -> tuple[JobResult, dict[str, bytes]]:
    """Return what a worker signed of this attempt: everyone with the git token can push something else."""
    line, _, rest = data.partition(b"\n")
    head = _read_head(line, key, of)
    if head["digest"] != sha256(rest).hexdigest():
        raise Conflict(f"the output of {of} is not what its machine signed")
    printed, start = {}, 0
    for name, size in zip(OUTPUT_FILES, head["sizes"], strict=True):
        printed[name] = rest[start : start + size]
        start += size
    return JobResult(**head["result"]), printed


def _read_head(line: bytes, key: ClusterKey, of: str) -> dict[str, Any]:
    try:
        sealed = loads(line.decode())
    except ValueError:
        sealed = None
    head = key.unseal_report(sealed, of, "the output")
    return intake.read_fields(head, intake.OUTPUT_HEAD, "the output", intake.OUTPUT_HEAD)


def shorten_output(data: bytes) -> str:
    """Return text that Temporal may carry; empty if it would be too long."""
    if len(data) > intake.MOST_SAID * 8:
        return ""
    packed = b64encode(zlib.compress(data)).decode()
    return packed if len(packed) <= intake.MOST_SAID else ""


def restore_output(text: str) -> bytes:
    """Restore at most the promised size, whatever a machine sent."""
    try:
        return zlib.decompressobj().decompress(b64decode(text), intake.MOST_SAID * 8)
    except (ValueError, zlib.error):
        raise UsageError("could not unpack the agent's output; its machine sent something else") from None


def _read_ends(path: str) -> bytes:
    """Return the whole file, or its start and end on separate lines."""
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
    """Return the attempt for this machine. Without a worker it ends before another one gets it."""
    alone = max(1.0, job.lease / 2 - 2.0)
    here = {"place": place, "folder": folder, "resume": "", "alone": alone}
    return Attempt.of({**job.attempt, **here})


def read_sealed_job(git: Git, commit: str) -> object:
    """Return the signed job in a commit; the key holder opens it."""
    try:
        return loads(read_commit(git, commit, "job.json").decode())
    except ValueError:
        raise UsageError(f"the job in {commit[:12]} is not JSON") from None
