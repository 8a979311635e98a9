"""Ask other models: start jobs, advance them, deliver their results once.

A job is an attempt of the executor with its own process group, deadline and output limit. It continues if the server
that started it is killed; the next reader takes it over."""

import fcntl
import os
import threading
import time
from collections.abc import Callable, Mapping
from shutil import rmtree

from ...clients.headless import table
from ...clients.headless.attempt import ENDED, AgentOutcome, Attempt, AttemptReport
from ...clients.headless.attempt import RUNNING as AT_WORK
from ...clients.headless.base import LIMIT, MALFORMED, find_answer
from ...core import reviews
from ...core.errors import Conflict, UltraworkError
from ...core.redact import RedactedStream, redact
from ...core.wording import count_things
from ...engine.agents.executor import CANCELLED
from ...engine.agents.local.executor import LocalExecutor
from ...store import atomic, attempts
from ...store import reviews as stored_reviews
from ...store.atomic import find_write_time, is_held
from ...store.database import Database, Transaction
from ...store.paths import ENGINE_LOCK, Home
from . import worktree
from .job import Job, JobShelf
from .question import AskingPlace
from .values import helpers
from .values.helpers import FAILED, HELPERS, NEXT

LOST = "lost"
LOOK = 1.0
UNSAID_WAIT = 60.0
VAIN_TRIES = 15.0
FRESH = 60.0
_CHUNK = 1 << 20


class HelperDesk:
    """The desk of one server. It starts nothing before the first job, because most servers are never asked."""

    def __init__(self, home: Home, environ: Mapping[str, str]) -> None:
        self.home = home
        self.environ = environ
        self.shelf = JobShelf(f"{home.root}/helpers")
        self._lock = threading.RLock()
        self._executor: LocalExecutor | None = None
        self._keeper = ""
        self._held: dict[str, int] = {}
        self._limited: dict[str, float] = {}
        self._watched: set[str] = set()
        self._watcher: threading.Thread | None = None
        self._wake = threading.Event()
        self._closed = False

    def ask(self, job: Job, prompt: str) -> Job:
        """Start a job and return at once; raise Conflict if its folder could not be made."""
        executor = self._open()
        job.keeper = self._keeper
        self.shelf.prune()
        self._sweep_desks()
        self.shelf.add(job)
        if job.writes:
            job.place = worktree.add(job.top, self.shelf.folder(job.id), self.environ)
            self.shelf.save(job)
        self._start(executor, job, prompt)
        self._watch(job.id)
        return job

    def _open(self) -> LocalExecutor:
        with self._lock:
            if self._executor is None:
                folder = f"{self.shelf.root}/desks/{os.urandom(8).hex()}"
                os.makedirs(folder, mode=0o700)
                self._keeper = f"{folder}/{ENGINE_LOCK}"
                self._hold(self._keeper)
                self._executor = LocalExecutor(folder)
            return self._executor

    def _sweep_desks(self) -> None:
        """Remove folders of servers that are gone, unless a job of theirs is still running."""
        needed = {job.keeper for job in self.shelf.list_all() if not job.is_over}
        home = f"{self.shelf.root}/desks"
        for name in os.listdir(home) if os.path.isdir(home) else ():
            lock = f"{home}/{name}/{ENGINE_LOCK}"
            # One that is being made has not taken its lock yet.
            is_old = find_write_time(f"{home}/{name}") < time.time() - FRESH
            if is_old and lock not in needed and lock not in self._held and not is_held(lock):
                rmtree(f"{home}/{name}", ignore_errors=True)

    def _hold(self, path: str) -> bool:
        """Hold the lock that tells wrappers that a server is responsible for them."""
        if path in self._held:
            return True
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(handle)
            return False
        self._held[path] = handle
        return True

    def _start(self, executor: LocalExecutor, job: Job, prompt: str) -> None:
        attempt = self.shelf.attempt(job, prompt)
        command = table.get(job.provider).command(attempt, self.environ)
        executor.start(attempt, command, self._wake.set)

    def look(self, name: str, top: str) -> Job:
        """Return the current job; raise for one of another worktree."""
        job = self.shelf.load(name)
        if job.top != top:
            raise Conflict(f"job {name} belongs to another worktree; call the tool there")
        return self.move_on(job)

    def list_jobs(self, provider: str, top: str) -> list[Job]:
        mine = [job for job in self.shelf.list_all() if (job.provider, job.top) == (provider, top)]
        return [self.move_on(job) for job in mine]

    def wait(self, job: Job, seconds: float, tell: Callable[[str], None], stop: Callable[[], bool]) -> Job:
        """Wait until it is over or the time is; report what it does meanwhile."""
        limit = time.monotonic() + min(seconds, helpers.LONGEST_WAIT)
        last_report = ""
        while not (job := self.move_on(job)).is_over and not stop():
            if time.monotonic() >= limit:
                break
            if (doing := self.describe_work(job)) != last_report:
                last_report = doing
                tell(doing)
            time.sleep(min(0.2, max(0.0, limit - time.monotonic())))
        return job

    def describe_work(self, job: Job) -> str:
        seen = table.get(job.provider).read(self.shelf.attempt(job))
        last = redact(seen.detail if seen.trouble else seen.last, self.environ)
        return f"{job.provider} {job.model}: {last or 'running'}"

    def kill(self, job: Job) -> Job:
        with self.shelf.turn(job) as now:
            if now.is_over:
                return now
            now.killed_by_user = True
            self.shelf.save(now)
            self._open().cancel(self.shelf.attempt(now))
        return self.wait(now, 10.0, lambda _: None, lambda: False)

    def tell_once(self, job: Job) -> bool:
        """Return whether this is the first time that its result is handed over."""
        with self.shelf.turn(job) as now:
            if now.told_at:
                job.told_at = now.told_at
                return False
            now.told_at = time.time()
            self.shelf.save(now)
            return True

    def adopt(self, provider: str) -> None:
        """Take over running jobs of a killed server."""
        for job in self.shelf.list_all():
            if job.provider == provider and not job.is_over:
                self._hold(job.keeper)
                self._watch(job.id)

    def move_on(self, job: Job) -> Job:
        """Advance a job: its end, or its next try."""
        if job.is_over:
            return job
        with self.shelf.turn(job) as now:
            if now.is_over:
                return now
            executor = self._open()
            self._hold(now.keeper)
            attempt = self.shelf.attempt(now)
            report = executor.describe(attempt)
            if report.state == AT_WORK:
                self._end_vain_tries(executor, now, attempt)
                return now
            outcome = self._read_end(now, report)
            self._settle(executor, now, report, outcome)
            return now

    def _end_vain_tries(self, executor: LocalExecutor, job: Job, attempt: Attempt) -> None:
        """End a program that retries a rate limit for minutes: report it, or ask the next model."""
        seen = table.get(job.provider).read(attempt)
        if seen.trouble != LIMIT or job.given_up:
            self._limited.pop(attempt.folder, None)
        elif time.time() - self._limited.setdefault(attempt.folder, time.time()) > VAIN_TRIES:
            job.given_up, job.retry_at = seen.detail, seen.retry_at
            self.shelf.save(job)
            executor.cancel(attempt)

    def _read(self, job: Job, report: AttemptReport) -> AgentOutcome:
        if report.state == ENDED:
            return table.get(job.provider).read(self.shelf.attempt(job), report)
        text = "its process was stopped before it had a result; ask again"
        return AgentOutcome(trouble=LOST, detail=text)

    def _read_end(self, job: Job, report: AttemptReport) -> AgentOutcome:
        """Return the result; an end without text is not an answer, whatever the program calls it; a patch is one."""
        outcome = self._read(job, report)
        if job.given_up and report.why == CANCELLED:
            return AgentOutcome(trouble=LIMIT, detail=job.given_up, retry_at=job.retry_at)
        if not outcome.trouble and not outcome.text.strip() and not job.writes:
            text = f": {outcome.last}" if outcome.last else ""
            outcome.trouble, outcome.detail = MALFORMED, f"it exited without an answer{text}"
        return outcome

    def _settle(self, executor: LocalExecutor, job: Job, report: AttemptReport, outcome: AgentOutcome) -> None:
        helper = HELPERS[job.provider]
        left = 0 if job.killed_by_user else len(job.models) - job.number
        status = helpers.settle_try(helper, outcome.trouble, outcome.detail, left=left, why=report.why)
        job.tokens += outcome.tokens
        detail = redact(outcome.detail, self.environ)
        self._clean_files(job)
        if status == NEXT:
            job.notes.append(f"{job.model}: {detail}; asked {job.models[job.number]} instead")
            prompt = self.shelf.read_prompt(job)
            job.number += 1
            job.given_up, job.retry_at = "", 0.0
            self.shelf.save(job)
            self._start(executor, job, prompt)
            return
        job.status, job.trouble, job.detail = status, outcome.trouble, detail
        if report.why == CANCELLED and job.killed_by_user:
            job.status, job.trouble, job.detail = FAILED, "killed", "stopped on request"
        self._finish(job, outcome)

    def _finish(self, job: Job, outcome: AgentOutcome) -> None:
        job.ended_at = time.time()
        if job.trouble == LIMIT:
            self._remember_limit(job, outcome.retry_at)
        if not job.trouble:
            self._keep_answer(job, outcome.text)
        if job.writes:
            job.notes += worktree.take_changes(job.top, self.shelf.folder(job.id), self.environ)
        self.shelf.save(job)

    def _keep_answer(self, job: Job, text: str) -> None:
        text = redact(text, self.environ)
        if len(text) > helpers.LONGEST_ANSWER:
            text = text[: helpers.LONGEST_ANSWER] + "\n… the rest was omitted: more than 10 MB\n"
        atomic.write(self.shelf.answer_path(job), text)
        self._keep_claims(job, text)
        if job.output_file:
            try:
                folder = job.top if job.writes else job.place
                AskingPlace(job.top, folder, self.environ).write_output(job.output_file, text)
            except UltraworkError as error:
                job.notes.append(str(error))

    def _keep_claims(self, job: Job, text: str) -> None:
        """Store findings of a review; their commands will show whether they hold."""
        if job.role not in reviews.REVIEW_ROLES:
            return
        claims = reviews.read_claims(find_answer(text), job.provider)
        stored_reviews.keep_claims(self.home, job.top, claims, time.time())
        if claims:
            count = sum(1 for claim in claims if claim.command)
            sentence = f"{count_things(len(claims), 'finding')}, {count} with a command: ultrawork review check"
            job.notes.append(f"{sentence} runs them in a scratch copy")

    def _clean_files(self, job: Job) -> None:
        """Redact keys from the program's output, which stays as long as the job."""
        attempt = self.shelf.attempt(job)
        for name in ("out.jsonl", "err.log"):
            try:
                _redact_file(f"{attempt.folder}/{name}", self.environ)
            except FileNotFoundError:
                pass

    def _remember_limit(self, job: Job, until: float) -> None:
        job.retry_at = until or time.time() + UNSAID_WAIT
        database = Database(self.home.database)
        try:
            with Transaction(database):
                attempts.block_provider(database, job.provider, job.retry_at, time.time())
        finally:
            database.close()

    def find_block(self, provider: str) -> float:
        """Return until when the provider asked to wait; 0 if it did not, or that is over."""
        database = Database(self.home.database)
        try:
            until = dict(attempts.list_providers(database)).get(provider, 0.0)
        finally:
            database.close()
        return until if until > time.time() else 0.0

    def _watch(self, name: str) -> None:
        with self._lock:
            self._watched.add(name)
            if self._watcher is None or not self._watcher.is_alive():
                self._watcher = threading.Thread(target=self._keep_watch, daemon=True)
                self._watcher.start()

    def _keep_watch(self) -> None:
        while True:
            self._wake.wait(LOOK)
            self._wake.clear()
            with self._lock:
                if self._closed or not self._watched:
                    self._watcher = None
                    return
                names = list(self._watched)
            for name in names:
                if not self._is_at_work(name):
                    self._watched.discard(name)

    def _is_at_work(self, name: str) -> bool:
        try:
            return not self.move_on(self.shelf.load(name)).is_over
        except (UltraworkError, OSError):
            return False  # its folder is gone, or the disk is full: the next caller gets an error

    def close(self) -> None:
        """Close; jobs continue, except those that end with the session."""
        with self._lock:
            self._closed = True
            if self._executor is not None:
                for job in self.shelf.list_all():
                    mine = job.ends_with_session and job.keeper in self._held
                    if mine and not job.is_over:
                        self._executor.cancel(self.shelf.attempt(job))
                self._executor.close()
            for handle in self._held.values():
                os.close(handle)
            self._held.clear()


def _redact_file(path: str, environ: Mapping[str, str]) -> None:
    stream = RedactedStream(environ)
    with open(path, "rb") as source, open(f"{path}.tmp", "wb", opener=_private) as target:
        while data := source.read(_CHUNK):
            target.write(stream.feed(data))
        target.write(stream.finish())
    os.replace(f"{path}.tmp", path)


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)
