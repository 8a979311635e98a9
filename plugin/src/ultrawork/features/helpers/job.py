"""Jobs of other models on disk: one folder each, a document, and the lock of whoever advances it.

Everything needed to continue a job is there, so it does not matter which server started it."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from shutil import rmtree
from typing import Any

from ...clients.headless.attempt import Attempt
from ...core.check import quote
from ...core.errors import NotFound, UsageError
from ...store import atomic
from ...store.codec import dumps_pretty, loads
from .values.helpers import FAILED, RUNNING

SUBJECT = "ask"
_ID = frozenset("0123456789abcdef")
_ID_LENGTH = 16
_KEEP = 200


@dataclass(slots=True, kw_only=True)
class Job:
    """
    `number` counts the tries, one a model; `keeper` is the lock of the server that answers for it. `told_at`
    is when its result was first handed over; `top` is the worktree that it belongs to. `given_up` is why its
    try was ended by us, in the words of what it waited for.
    """

    id: str
    provider: str
    top: str
    place: str
    models: list[str]
    created_at: float
    seconds: float
    keeper: str
    role: str = ""
    effort: str = ""
    session: str = ""
    output_file: str = ""
    writes: bool = False
    ends_with_session: bool = False
    number: int = 1
    status: str = RUNNING
    trouble: str = ""
    detail: str = ""
    retry_at: float = 0.0
    ended_at: float = 0.0
    told_at: float = 0.0
    killed_by_user: bool = False
    given_up: str = ""
    tokens: int = 0
    notes: list[str] = field(default_factory=list)

    @property
    def model(self) -> str:
        return self.models[self.number - 1]

    @property
    def used_fallback(self) -> bool:
        return self.number > 1

    @property
    def is_over(self) -> bool:
        return self.status != RUNNING

    def document(self) -> dict[str, Any]:
        """Return the public document, without paths of the state folder."""
        shown = asdict(self)
        for key in ("keeper", "top", "place", "number", "models"):
            del shown[key]
        more = {"model": self.model, "used_fallback": self.used_fallback}
        return {key: value for key, value in {**shown, **more}.items() if value not in ("", 0.0, [])}


class JobShelf:
    """All jobs of this user; `root` is their folder."""

    def __init__(self, root: str) -> None:
        self.root = root

    def folder(self, name: str) -> str:
        if len(name) != _ID_LENGTH or not _ID.issuperset(name):
            raise UsageError(f"{quote(name)} is not a job id; call list_jobs")
        return f"{self.root}/{name}"

    def add(self, job: Job) -> None:
        os.makedirs(self.folder(job.id), mode=0o700)
        self.save(job)

    def save(self, job: Job) -> None:
        atomic.write(f"{self.folder(job.id)}/job.json", dumps_pretty(asdict(job)))

    def load(self, name: str) -> Job:
        job = self._read(name)
        if job is None:
            raise NotFound(f"no job {quote(name)} in this worktree; call list_jobs")
        return job

    def _read(self, name: str) -> Job | None:
        try:
            with open(f"{self.folder(name)}/job.json", encoding="utf-8") as file:
                return Job(**loads(file.read()))
        except (FileNotFoundError, NotADirectoryError, ValueError, TypeError):
            return None

    def list_all(self) -> list[Job]:
        """Return all jobs, newest first."""
        try:
            names = [name for name in os.listdir(self.root) if len(name) == _ID_LENGTH]
        except FileNotFoundError:
            return []
        jobs = [job for name in names if (job := self._read(name)) is not None]
        return sorted(jobs, key=lambda job: -job.created_at)

    def attempt(self, job: Job, prompt: str = "") -> Attempt:
        """Return its newest attempt, as the executor knows it."""
        return Attempt(
            job.id, SUBJECT, job.role or "helper", job.number, backend=job.provider, place=job.place,
            folder=f"{self.folder(job.id)}/{SUBJECT}.{job.number}", prompt=prompt, model=job.model,
            effort=job.effort, read_only=not job.writes, seconds=job.seconds,
            alone=ALONE_WITH_SESSION if job.ends_with_session else job.seconds,
            most_bytes=MOST_OUTPUT,
        )  # fmt: skip

    def read_prompt(self, job: Job) -> str:
        with open(f"{self.folder(job.id)}/{SUBJECT}.1/prompt.txt", encoding="utf-8") as file:
            return file.read()

    def answer_path(self, job: Job) -> str:
        return f"{self.folder(job.id)}/answer.md"

    def read_answer(self, job: Job) -> str:
        try:
            with open(self.answer_path(job), encoding="utf-8") as file:
                return file.read()
        except FileNotFoundError:
            return ""

    @contextmanager
    def turn(self, job: Job) -> Iterator[Job]:
        """Let one process at a time advance a job, over all servers; it is read again."""
        path = f"{self.folder(job.id)}/turn"
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
            yield self.load(job.id)
        finally:
            os.close(handle)

    def prune(self) -> None:
        """Delete the oldest finished jobs when there are very many."""
        over = [job for job in self.list_all() if job.is_over]
        for job in over[_KEEP:]:
            rmtree(self.folder(job.id), ignore_errors=True)


ALONE_WITH_SESSION = 10.0
MOST_OUTPUT = 64 * 1024 * 1024
STATUSES = {"active": (RUNNING,), "completed": ("completed",), "failed": (FAILED, "timeout")}


def choose_by_status(jobs: list[Job], word: str, limit: int) -> list[Job]:
    wanted = STATUSES.get(word)
    return [job for job in jobs if wanted is None or job.status in wanted][:limit]
