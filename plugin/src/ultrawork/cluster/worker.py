"""A machine of a cluster: takes attempts from Temporal, runs them, reports that they are alive, returns their results.

The beats come from here, not from the agent. Whatever ends an attempt early (a cancel, a lost lease, a shutdown), its
agent is ended and its work pushed first."""

import asyncio
import time
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from ..clients.headless.attempt import RUNNING, Attempt, AttemptReport
from ..core.errors import Trouble, UltraworkError
from ..engine.agents.executor import CANCELLED, CRASHED, HANDED_BACK, ORPHANED
from ..engine.agents.prompts import AgentFollower
from ..engine.contract import CalledOff
from ..store.paths import read_version
from ..store.witness import ClusterMachine
from .aftermath import Aftermath
from .intake import MOST_STEPS
from .job import ACTIVITY, LOG_ACTIVITY, LOGS, AttemptJob, JobResult, restore_attempt
from .machine_site import CollectedResult, MachineSite
from .place import make_worker_name, name_queue
from .refusal import RemoteRefusal, RemoteTrouble
from .self_test import Readiness
from .slots import QueueAsker, SlotPool, make_tuner

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from temporalio.client import Client

Answer = TypeVar("Answer")

BEATS = 4  # in a lease
DRAIN = 300.0  # seconds that agents may go on after a SIGTERM
_PAUSE = 2.0
_PATIENCE = 600.0  # seconds that a remote may be unreachable
_SURE = 0.8  # of a lease
_LEASE = 30.0  # seconds, until the job has been read
_DIGEST = 16


class ClusterWorker:
    """Serves `slots` attempts at once, from any of its queues, of agent programs that have an account here."""

    def __init__(
        self,
        client: "Client",
        site: MachineSite,
        *,
        slots: int,
        readiness: Readiness,
        labels: "Sequence[str]" = (),
        drain: float = DRAIN,
    ) -> None:
        self._client = client
        self._site = site
        self._pool = SlotPool(slots)
        self._readiness = readiness
        self._labels = labels
        self._drain = drain
        self._stop = asyncio.Event()
        self._heard_at = time.monotonic()
        self._aftermath = Aftermath(site)

    def stop(self) -> None:
        """Stop, from a signal handler: take nothing more, let agents continue for a while, then return them."""
        self._stop.set()

    async def run(self) -> None:
        workers = [self._serve(backend, queue) for backend, queue in self._list_queues()]
        workers.append(self._serve_logs())
        tasks = [asyncio.create_task(worker.run()) for worker in workers]
        waiting = asyncio.create_task(self._stop.wait())
        listening = asyncio.create_task(self._listen())
        await asyncio.wait({waiting, *tasks}, return_when=asyncio.FIRST_COMPLETED)
        await asyncio.gather(*(worker.shutdown() for worker in workers))
        for task in (waiting, listening):
            task.cancel()
        await asyncio.gather(*tasks)
        await asyncio.to_thread(self._aftermath.close)

    async def _listen(self) -> None:
        """Check whether Temporal receives us: lost beats are not reported here."""
        while True:
            try:
                await self._client.service_client.check_health(timeout=timedelta(seconds=_PAUSE))
                self._heard_at = time.monotonic()
            except Exception:  # noqa: BLE001 (whatever it is, we were not heard)
                pass
            await asyncio.sleep(1.0)

    def _is_cut_off(self, lease: float) -> bool:
        """Return whether the attempt now belongs to another: its agent must not continue beside the other one."""
        return time.monotonic() - self._heard_at > _SURE * lease

    def _list_queues(self) -> list[tuple[str, str]]:
        queues = []
        for backend, account in self._site.accounts.items():
            names = [name_queue(backend, host=self._site.host)]
            for label in ("", *self._labels):
                names += [name_queue(backend, label), name_queue(backend, label, account=account)]
            queues += [(backend, name) for name in names]
        return queues

    def _serve(self, backend: str, queue: str) -> Any:
        from temporalio import activity
        from temporalio.worker import Worker

        asker = QueueAsker(self._pool, partial(self._readiness.may_ask, backend))

        async def run_attempt(document: dict[str, Any]) -> dict[str, Any]:
            return await self.run_attempt(document)

        return Worker(
            self._client,
            task_queue=queue,
            activities=[activity.defn(name=ACTIVITY)(run_attempt)],
            identity=self._describe(),
            tuner=make_tuner(asker),
            max_concurrent_activity_task_polls=1,
            graceful_shutdown_timeout=timedelta(seconds=self._drain),
            max_heartbeat_throttle_interval=timedelta(seconds=1),
            default_heartbeat_throttle_interval=timedelta(seconds=1),
        )

    def _serve_logs(self) -> Any:
        """Serve logs even while every slot is taken."""
        from temporalio import activity
        from temporalio.worker import Worker

        async def read_log(sealed: dict[str, Any]) -> dict[str, str]:
            return await asyncio.to_thread(self._site.read_log, sealed)

        return Worker(
            self._client,
            task_queue=name_queue(LOGS, host=self._site.host),
            activities=[activity.defn(name=LOG_ACTIVITY)(read_log)],
            identity=self._site.host,
            max_concurrent_activities=2,
            max_concurrent_activity_task_polls=1,
        )

    def _describe(self) -> str:
        machine = ClusterMachine(self._site.host, self._pool.slots, version=read_version())
        machine.labels = ",".join(self._labels)
        machine.accounts = ",".join(f"{name}:{account}" for name, account in self._site.accounts.items())
        return make_worker_name(machine)

    async def run_attempt(self, document: dict[str, Any]) -> dict[str, Any]:
        """Waiting and beating are one loop: there is no beat without work, and no work without beats."""
        from temporalio import activity

        course = _Course(self._site, document, self._pool, self._readiness, self._aftermath)
        work = asyncio.create_task(course.go())
        while not work.done():
            try:
                await asyncio.wait({work}, timeout=min(1.0, course.lease / BEATS))
            except asyncio.CancelledError:
                course.end(_find_reason(activity.cancellation_details()))
            if self._is_cut_off(course.lease):
                course.end(ORPHANED)
            if not work.done():
                activity.heartbeat(course.sign(course.sample()))
        return course.sign(work.result().document())


def _find_reason(details: Any) -> str:
    """Return the reason: empty for a cancel by the coordinator, else the machine's."""
    if details is not None and details.cancel_requested:
        return ""
    return HANDED_BACK if details is not None and details.worker_shutdown else ORPHANED


class _Course:
    """One attempt on this machine, from its job to its result."""

    def __init__(
        self, site: MachineSite, document: dict[str, Any], pool: SlotPool, readiness: Readiness, aftermath: Aftermath
    ) -> None:
        self._site = site
        self._document = document
        self._pool = pool
        self._readiness = readiness
        self._aftermath = aftermath
        self._attempt: Attempt | None = None
        self._follower: AgentFollower | None = None
        self._ending = False
        self._why = ""
        self._refused: RemoteRefusal | None = None
        self._collected: CollectedResult | None = None
        self._of = ""
        self.lease = _LEASE

    def sign(self, report: dict[str, Any]) -> dict[str, str]:
        """Sign a report as one of this attempt; of none before its job was read."""
        return self._site.sign(self._of, report)

    def end(self, why: str) -> None:
        self._ending, self._why = True, self._why or why
        if self._attempt is not None:
            self._site.cancel(self._attempt)

    def sample(self) -> dict[str, Any]:
        """Return what the coordinator shows and judges liveness by; ages, because clocks differ."""
        beat: dict[str, Any] = {"machine": self._site.host, "used": self._pool.used}
        if self._refused is not None:
            beat |= {"refused": str(self._refused), "cure": self._refused.cure}
        if self._attempt is None:
            return beat
        try:
            return {**beat, **self._measure(self._attempt)}
        except (OSError, UltraworkError):
            return beat  # its files are being taken away; a beat it is all the same

    def _measure(self, attempt: Attempt) -> dict[str, Any]:
        report = self._site.describe(attempt)
        age = time.time() - report.started_at if report.started_at else 0.0
        return {
            "age": round(max(0.0, age), 2),
            "cpu": round(report.cpu_seconds, 2),
            "quiet": round(report.quiet_seconds, 2),
            "bytes": report.output_bytes,
            "account": self._site.accounts.get(attempt.backend, ""),
            **self._listen(attempt),
        }

    def _listen(self, attempt: Attempt) -> dict[str, Any]:
        """Return what the agent said and spent so far, for its budget and the repeat check."""
        if self._follower is None:
            self._follower = self._site.follow(attempt)
        seen = self._follower.look()
        return {
            "tokens": seen.tokens,
            "usd": seen.cost_usd,
            "estimated": seen.is_estimate,
            "last": seen.last,
            "calls": [step[:_DIGEST] for step in seen.steps[-MOST_STEPS:]],
        }

    async def go(self) -> JobResult:
        """Run it; if two queues answered at once, one waits here for a slot."""
        async with self._pool.places:
            return await self._work()

    async def _work(self) -> JobResult:
        try:
            job = await self._wait_for_remote(self._site.read_job, self._document)
            self.lease, self._of = job.lease, restore_attempt(job).key
            await self._wait_for_remote(self._site.prepare, job)
            report = await self._run(job)
        except CalledOff:
            return JobResult(None, self._why or CANCELLED, machine=self._site.host)
        except (UltraworkError, OSError) as error:
            # A project's error occurs everywhere; an error of this machine is ours.
            self._readiness.note(began=not isinstance(error, Trouble | OSError))
            return JobResult(None, CRASHED, machine=self._site.host, detail=str(error))
        self._readiness.note(began=True)
        self._heed_limit(report)
        return await self._hand_over(job, report)

    def _heed_limit(self, report: AttemptReport) -> None:
        """Handle a limit: others with this account learn it from the coordinator; this machine takes nothing more at
        once."""
        assert self._attempt is not None
        until = self._site.find_limit(self._attempt, report)
        if until:
            self._readiness.note_limit(self._attempt.backend, until)

    async def _wait_for_remote(self, ask: "Callable[..., Answer]", *given: object) -> Answer:
        """Retry fetching when the remote is back; the beats continue meanwhile."""
        limit = time.monotonic() + max(_PATIENCE, 4 * self.lease)
        while not self._ending:
            try:
                thread = await asyncio.to_thread(ask, *given)
            except RemoteTrouble as error:
                self._refused = error if isinstance(error, RemoteRefusal) else None
                if time.monotonic() >= limit:
                    raise
            else:
                self._refused = None
                return thread
            await asyncio.sleep(_PAUSE)
        raise CalledOff("it was cancelled before it started")

    async def _run(self, job: AttemptJob) -> AttemptReport:
        ended = asyncio.Event()
        loop = asyncio.get_running_loop()

        def wake() -> None:
            loop.call_soon_threadsafe(ended.set)

        attempt = await asyncio.to_thread(self._site.begin, job, wake)
        self._attempt = attempt
        if self._ending:
            self._site.cancel(attempt)
        while (report := self._site.describe(attempt)).state == RUNNING:
            try:
                await asyncio.wait_for(ended.wait(), _PAUSE)
            except TimeoutError:
                pass
            ended.clear()
        return report

    async def _hand_over(self, job: AttemptJob, report: AttemptReport) -> JobResult:
        """Deliver the result; wait for a remote that is temporarily gone, while the beats continue."""
        limit = time.monotonic() + max(_PATIENCE, 4 * self.lease)
        while True:
            try:
                return await asyncio.to_thread(self._push, job, report)
            except (Trouble, OSError) as error:
                self._refused = error if isinstance(error, RemoteRefusal) else None
                if time.monotonic() >= limit:
                    if self._collected is not None:  # the remote may be back before the next worker here
                        self._aftermath.take(self._collected)
                    detail = f"its work stays on {self._site.host}: {error}"
                    return JobResult(None, CRASHED, machine=self._site.host, detail=detail)
            await asyncio.sleep(_PAUSE)

    def _push(self, job: AttemptJob, report: AttemptReport) -> JobResult:
        """Push what must arrive first; the rest may take time."""
        assert self._attempt is not None
        collected = self._collected = self._site.collect(job, self._attempt, report, self._why)
        if not collected.result.is_whole:
            self._site.push(collected)
        self._aftermath.take(collected)
        return collected.result
