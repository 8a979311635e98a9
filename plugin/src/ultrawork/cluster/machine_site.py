"""A worker's own files: clones of the remotes it serves, worktrees of attempts, and their agents' output.

An agent has the same wrapper as on one machine. Its work is committed and pushed before anything is removed, however
it ended; the next worker pushes what a killed one left."""

import os
import threading
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from shutil import disk_usage
from typing import Any

from ..clients.headless import table
from ..clients.headless.attempt import RUNNING, AgentCommand, Attempt, AttemptReport, read_note, write_note
from ..clients.headless.base import LIMIT
from ..content.models import list_prices
from ..core.check import require_session_id, require_task_id
from ..core.errors import Conflict, NotFound, Trouble, UltraworkError
from ..engine.agents.executor import CRASHED, ENDED, ORPHANED
from ..engine.agents.local.executor import LocalExecutor
from ..engine.agents.prompts import AgentFollower
from ..engine.loop.supervisor import DEPTH_VARIABLE
from ..engine.repository import worktrees
from ..engine.repository.cleanup import remove_worktree
from ..engine.repository.repository import Repository, choose_worktrees_folder
from ..engine.run import EngineLock
from ..gates.trees.scratch import remove_folder
from ..store import atomic
from ..store.atomic import Lock
from ..store.codec import digest, dumps, loads
from ..store.paths import Home
from ..store.settings import PROJECT_FILES, load_from
from ..system.checkout import find_at
from ..system.git import Git
from .intake import JOB_PLACE, LOG_PLACE, read_fields
from .job import (
    NO_ROOM,
    OUTPUT,
    OUTPUT_FILES,
    AttemptJob,
    JobResult,
    pack_output,
    read_sealed_job,
    restore_attempt,
    shorten_output,
    unpack_command,
)
from .keys import JOBS_KEY_FILE, read_key
from .packs import ObjectPack
from .place import hide_secrets
from .remote import AttemptRefs, GitRemote, RefPush, init_repository, name_base

_JOB = "job.json"
_PUSHED = "pushed"
_PATIENCE = 30.0
_PAUSE = 0.05
_MOST_OPEN = 64
_REST = 60.0  # seconds for a provider that does not say how long
_LOG = 256_000  # bytes of a log that are shown while its agent runs


@dataclass(frozen=True, slots=True)
class CollectedResult:
    """The result of an attempt; `pack` holds its output until it is pushed."""

    job: AttemptJob
    attempt: Attempt
    result: JobResult
    pack: ObjectPack


class MachineSite:
    """A worker's files. `remotes` are those that jobs may name, `accounts` the installed agent programs with their
    accounts. Other commands run only if that was allowed, as in tests."""

    def __init__(
        self,
        home: Home,
        environ: Mapping[str, str],
        remotes: Collection[str],
        *,
        host: str,
        any_command: bool = False,
        accounts: Mapping[str, str] | None = None,
    ) -> None:
        self.folder = f"{home.root}/cluster/{host}"
        self.host = host
        self._home = home
        self._key = read_key(environ, JOBS_KEY_FILE, home.root)
        self._environ = environ
        self._remotes = remotes
        self._any_command = any_command
        self.accounts = accounts or {}
        self._opened: dict[tuple[str, str, str], Repository] = {}
        self._opening = threading.Lock()
        os.makedirs(f"{self.folder}/attempts", mode=0o700, exist_ok=True)
        # While held, agents know that their worker exists; a second one of this name is refused.
        self._lock = EngineLock(self.folder, patience=1.0)
        try:
            self._lock.__enter__()
        except Conflict:
            raise Conflict(f"a worker named {host} is already running here; choose another name with --host") from None
        # A machine without power is silent for longer than a lease: its attempts belong to others.
        self._executor = LocalExecutor(self.folder, lasting=False)

    def close(self) -> None:
        self._executor.close()
        self._lock.__exit__()

    def read_job(self, sealed: object) -> AttemptJob:
        """Return a job signed with the jobs key; fetched first if it was too long for Temporal."""
        document = self._key.unseal(sealed, "the job")
        if "attempt" in document:
            return AttemptJob.read(document)
        place = read_fields(document, JOB_PLACE, "the job", JOB_PLACE)
        refs = AttemptRefs(place["session"], place["subject"], place["epoch"])
        remote = GitRemote(self._clone(place["remote"]), place["remote"], self._environ)
        remote.fetch(refs.job)
        job = AttemptJob.read(self._key.unseal(read_sealed_job(remote.git, refs.job), "the job"))
        named = {name: place[name] for name in LOG_PLACE}
        if {name: job.attempt[name] for name in named} != named:
            raise Conflict(f"refused {refs.job}: it holds the job of another attempt")
        return job

    def sign(self, of: str, report: Mapping[str, Any]) -> dict[str, str]:
        """Sign what is reported of an attempt, so that a coordinator takes it from its own workers alone."""
        return self._key.seal_report(of, report)

    def prepare(self, job: AttemptJob) -> None:
        """Fetch what it works on. May be repeated after an outage of the remote."""
        self._require_served(job)
        self._open(job, restore_attempt(job).session)

    def _require_served(self, job: AttemptJob) -> None:
        backend = job.attempt["backend"]
        if job.command is not None and not self._any_command:
            raise Conflict(f"{self.host} runs only agent programs, not commands from other machines")
        if job.command is None and backend not in self.accounts:
            raise Conflict(f"{self.host} does not serve the agent program {backend}")

    def begin(self, job: AttemptJob, wake: Callable[[], None]) -> Attempt:
        self._require_served(job)
        theirs = restore_attempt(job)
        folder = self._name_folder(theirs.session, theirs.subject, theirs.epoch)
        repository = self._open(job, theirs.session)
        fresh = not theirs.read_only and not os.path.exists(f"{folder}/{_JOB}")
        place = self._place(repository, theirs, job.base)
        os.makedirs(folder, mode=0o700, exist_ok=True)
        atomic.write(f"{folder}/{_JOB}", dumps(job.document()), sync=False)
        attempt = restore_attempt(job, place=place.path, folder=folder)
        write_note(attempt)
        # A setup command may have changed the index.
        settle = place.plan_settling() if fresh and not repository.setup else None
        self._executor.start(attempt, self._command(job, attempt, place), wake)
        if settle is not None:
            with suppress(UltraworkError, OSError):  # collecting its work reports the same error
                settle()
        return attempt

    def _name_folder(self, session: str, subject: str, epoch: int) -> str:
        """Return the folder; external names cannot lead anywhere else."""
        name = f"{require_session_id(session)}.{require_task_id(subject)}.{int(epoch)}"
        return f"{self.folder}/attempts/{name}"

    def _open(self, job: AttemptJob, session: str) -> Repository:
        """Return the repository; called twice per attempt, and shared by all that begin from one commit."""
        key = (job.remote, session, job.base)
        with self._opening:  # of two that begin from a new commit, one fetches it
            repository = self._opened.get(key)
            if repository is None:
                if len(self._opened) >= _MOST_OPEN:
                    self._opened.clear()
                repository = self._opened[key] = self._prepare(job, session)
            return repository

    def _prepare(self, job: AttemptJob, session: str) -> Repository:
        top = self._clone(job.remote)
        git = Git(top, self._environ)
        if git.commit(job.base) is None:
            GitRemote(top, job.remote, self._environ).fetch(name_base(session, job.base))
        checkout = find_at(top)
        if checkout is None:
            raise Trouble(f"{top} is no longer a clone; delete it")
        repository = Repository(checkout, self._home, session, self._agent_environ())
        # Separate from those of a coordinator with its home here too; agents may write there.
        below = choose_worktrees_folder(self._home, top, self._environ)
        repository.folder = f"{below}/machine.{self.host}/{repository.names.session}"
        os.makedirs(repository.folder, mode=0o700, exist_ok=True)
        files = repository.git.read_all(job.base, PROJECT_FILES)
        settings = load_from(self._environ, self._home, files)
        repository.setup = str(settings["run.setup"])
        repository.largest_file = int(settings["run.largest_file"])
        return repository

    def _clone(self, remote: str) -> str:
        if remote not in self._remotes:
            raise NotFound(f"{self.host} does not serve the remote {remote}")
        top = f"{self.folder}/clones/{digest(remote)[:16]}/{_short_name(remote)}"
        with Lock(f"{self.folder}/clones.lock"):
            init_repository(top, self._environ)
        return top

    def _agent_environ(self) -> dict[str, str]:
        return hide_secrets(self._environ)

    def _place(self, repository: Repository, attempt: Attempt, base: str) -> worktrees.Worktree:
        if attempt.read_only:
            name = repository.names.attempt_name(attempt.subject, attempt.epoch)
            return worktrees.prepare_detached(repository, name, base)
        return worktrees.prepare(repository, attempt.subject, attempt.epoch, base, lasting=False)

    def _command(self, job: AttemptJob, attempt: Attempt, place: worktrees.Worktree) -> AgentCommand:
        if job.command is not None:
            return unpack_command(job.command)
        depth = {DEPTH_VARIABLE: str(job.depth)}
        environ = {**self._agent_environ(), **place.environ, **depth}
        return table.get(attempt.backend).command(attempt, environ)

    def follow(self, attempt: Attempt) -> AgentFollower:
        backend = table.get(attempt.backend)
        backend.prices = list_prices(self._home)
        return AgentFollower(backend, attempt.folder)

    def find_limit(self, attempt: Attempt, report: AttemptReport) -> float:
        """Return until when its provider wants to be left alone; 0 if it did not say so."""
        outcome = table.get(attempt.backend).read(attempt, report)
        return outcome.retry_at or time.time() + _REST if outcome.trouble == LIMIT else 0.0

    def describe(self, attempt: Attempt) -> AttemptReport:
        return self._executor.describe(attempt)

    def cancel(self, attempt: Attempt) -> None:
        self._executor.cancel(attempt)

    def hand_over(self, job: AttemptJob, attempt: Attempt, report: AttemptReport, why: str) -> JobResult:
        """Commit and push the result; after a failed push, this may be called again."""
        collected = self.collect(job, attempt, report, why)
        self.push(collected)
        return collected.result

    def collect(self, job: AttemptJob, attempt: Attempt, report: AttemptReport, why: str) -> CollectedResult:
        """Collect the result; its work is a commit of the local clone, its output not yet."""
        repository = self._open(job, attempt.session)
        remote = GitRemote(repository.top, job.remote, self._environ)
        result = JobResult(
            report.code,
            # One that ended by itself is done, whatever happened to its machine.
            report.why if report.why == ENDED else why or report.why,
            seconds=max(0.0, report.ended_at - report.started_at),
            cpu_seconds=report.cpu_seconds,
            machine=self.host,
            account=self.accounts.get(attempt.backend, ""),
        )
        if not attempt.read_only:
            result.work, result.detail = self._collect(repository, attempt)
        output = pack_output(result, attempt, self._key)
        pack = ObjectPack(job.base)
        message = f"Output of {attempt.key}"
        result.output = pack.add_files({OUTPUT: output}, message, remote.identity)
        result.said = shorten_output(output)
        return CollectedResult(job, attempt, result, pack)

    def push(self, collected: CollectedResult) -> None:
        job, attempt, result = collected.job, collected.attempt, collected.result
        refs = AttemptRefs.of(attempt)
        remote = GitRemote(self._clone(job.remote), job.remote, self._environ)
        collected.pack.write(remote.git)
        work = [RefPush(refs.work, result.work)] if result.work else []
        self._push(remote, [*work, RefPush(refs.output, result.output)])
        atomic.write(f"{attempt.folder}/{_PUSHED}", "", sync=False)

    def is_pushed(self, attempt: Attempt) -> bool:
        return os.path.exists(f"{attempt.folder}/{_PUSHED}")

    def push_outputs(self, url: str, ended: Sequence[CollectedResult]) -> None:
        """Push outputs of attempts without changes at once; if one is already there, each separately."""
        remote = GitRemote(self._clone(url), url, self._environ)
        pack = ObjectPack(ended[0].job.base)
        moves = []
        for collected in ended:
            pack.take(collected.pack)
            moves.append(RefPush(AttemptRefs.of(collected.attempt).output, collected.result.output))
        pack.write(remote.git)
        try:
            remote.push(moves)
        except Conflict:
            for move in moves:
                self._push(remote, [move])
        for collected in ended:
            atomic.write(f"{collected.attempt.folder}/{_PUSHED}", "", sync=False)

    def _collect(self, repository: Repository, attempt: Attempt) -> tuple[str, str]:
        """Collect the work; retry what a full disk prevented, but not what git cannot do with these files."""
        place = worktrees.prepare(repository, attempt.subject, attempt.epoch)
        try:
            return place.collect(f"{attempt.subject}, attempt {attempt.epoch}\n"), ""
        except Trouble as error:
            if disk_usage(self.folder).free < NO_ROOM:
                raise
            return "", str(error)
        except UltraworkError as error:
            return "", str(error)

    def _push(self, remote: GitRemote, moves: list[RefPush]) -> None:
        """Push; what arrived before its answer was lost stays."""
        try:
            remote.push(moves)
        except Conflict:
            if not remote.list_refs(moves[-1].ref):
                raise

    def forget(self, job: AttemptJob, attempt: Attempt) -> None:
        """Remove what was pushed, its folder last, which marks it as finished."""
        repository = self._open(job, attempt.session)
        name = repository.names.attempt_name(attempt.subject, attempt.epoch)
        remove_worktree(repository, name, own=True)
        remove_folder(attempt.folder)

    def read_log(self, sealed: object) -> dict[str, str]:
        """Return, signed, the newest whole lines of a running agent's output; none if it is not here."""
        request = self._key.unseal(sealed, "the request for a log")
        place = read_fields(request, LOG_PLACE, "the log", LOG_PLACE)
        text = self._read_tail(f"{self._name_folder(**place)}/{OUTPUT_FILES[0]}").decode("utf-8", "replace")
        return self.sign(f"{place['session']}/{place['subject']}/{place['epoch']}", {"text": text})

    def _read_tail(self, path: str) -> bytes:
        try:
            with open(path, "rb") as file:
                size = os.fstat(file.fileno()).st_size
                file.seek(max(0, size - _LOG))
                return file.read() if size <= _LOG else file.read().partition(b"\n")[2]
        except FileNotFoundError:
            return b""

    def push_left(self) -> list[str]:
        """Push what a killed worker of this name left: each by its own ref, which no one else writes."""
        pushed = []
        for name in sorted(os.listdir(f"{self.folder}/attempts")):
            folder = f"{self.folder}/attempts/{name}"
            attempt = read_note(folder) if os.path.isfile(f"{folder}/{_JOB}") else None
            job = _read_job(folder) if attempt else None
            if attempt is None or job is None or job.remote not in self._remotes:
                continue
            if not os.path.exists(f"{folder}/{_PUSHED}"):
                report, why = self._end_left(attempt)
                self.hand_over(job, attempt, report, why)
                pushed.append(attempt.key)
            self.forget(job, attempt)
        return pushed

    def _end_left(self, attempt: Attempt) -> tuple[AttemptReport, str]:
        """End it; one that ended by itself still has a result."""
        report = self._executor.describe(attempt)
        if report.state != RUNNING:
            return report, report.why or CRASHED
        self._executor.cancel(attempt)
        end = time.monotonic() + _PATIENCE
        while self._executor.describe(attempt).state == RUNNING and time.monotonic() < end:
            time.sleep(_PAUSE)
        return self._executor.describe(attempt), ORPHANED


def _read_job(folder: str) -> AttemptJob:
    with open(f"{folder}/{_JOB}", encoding="utf-8") as file:
        return AttemptJob.of(loads(file.read()))


def _short_name(remote: str) -> str:
    """Return a folder name; agents see it as the project's name."""
    last = remote.rstrip("/").rpartition("/")[2].rpartition(":")[2].removesuffix(".git")
    return "".join(c if c.isalnum() or c in "-_." else "-" for c in last).strip(".") or "project"
