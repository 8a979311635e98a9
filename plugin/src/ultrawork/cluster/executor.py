"""Attempts on other machines: Temporal carries each as one standalone activity, git carries the code.

All decisions stay here. An attempt is carried once: its id holds its epoch, Temporal retries nothing, and after a
crash it is found running, ended, or lost. Its result is imported (fetched, put into the attempt's worktree, with its
output) before anyone is notified; then it is a result like any other."""

import asyncio
import os
import time
from collections.abc import Callable, Mapping

from ..clients.headless.attempt import ENDED, RUNNING, AgentCommand, Attempt, AttemptReport
from ..core.errors import Conflict, Trouble, UltraworkError, UsageError
from ..core.wording import join_lines
from ..engine.agents.executor import CANCELLED, Executor, say_nothing
from ..engine.contract import RunHalted
from ..engine.loop.supervisor import DEPTH_VARIABLE
from ..engine.run import HeadlessRun
from ..store import atomic, witness
from ..store.codec import dumps
from ..store.settings import Settings
from ..store.witness import ClusterMachine
from .async_thread import AsyncThread
from .carried import CarriedAttempt, describe_attempt, has_file, read_json, read_order, write_result
from .carrier import Carrier, CarrierLost
from .departure import list_uncommitted, require_consent
from .job import AttemptJob, JobResult, pack_command
from .journal import ORDER, GitJournal
from .keys import JOBS_KEY_FILE, read_key
from .place import ClusterPlace, read_place, require_temporal
from .refusal import RefusalBoard, RemotePatience, RemoteRefusal
from .transfer import CANCEL, LONGEST, RESULT, Answer, LostAttempts, Transfer, persist

_PATIENCE = 30.0
_COUNT = 3.0  # seconds between scans for machines
_STOPPED = "the run was stopped before a machine started it"
_LOOK = 1.0  # seconds between reads of a worker's beats


class TemporalExecutor(Executor):
    def __init__(
        self,
        session_folder: str,
        place: ClusterPlace,
        environ: Mapping[str, str],
        say: Callable[[str], None] = say_nothing,
    ) -> None:
        os.makedirs(f"{session_folder}/attempts", mode=0o700, exist_ok=True)
        self._place = place
        self._environ = environ
        self._board = RefusalBoard()
        self._journal: GitJournal | None = None
        self._run: HeadlessRun | None = None
        self._carried: dict[str, CarriedAttempt] = {}
        self._machines: dict[str, ClusterMachine] = {}
        key = read_key(environ, JOBS_KEY_FILE)
        self._transfer = Transfer(place.remote, environ, key)
        self._carrier = Carrier(place, environ, key)
        self._thread = AsyncThread("temporal")
        try:
            self._thread.call(self._carrier.open(say), _PATIENCE)
        except BaseException:
            self._thread.close()
            raise
        self._thread.begin(self._look())

    @classmethod
    def require_ready(cls, settings: Settings) -> None:
        read_place(settings)
        require_temporal()

    @classmethod
    def open(
        cls,
        session_folder: str,
        environ: Mapping[str, str],
        settings: Settings,
        say: Callable[[str], None] = say_nothing,
    ) -> "TemporalExecutor":
        return cls(session_folder, read_place(settings), environ, say)

    def start(self, attempt: Attempt, command: AgentCommand, wake: Callable[[], None]) -> None:
        os.makedirs(attempt.folder, mode=0o700, exist_ok=True)
        if self.describe(attempt).state == ENDED:
            return wake()
        self._require_alone(attempt)
        job = AttemptJob(
            attempt.document(),
            self._place.remote,
            self._transfer.find_base(attempt.place),
            lease=self._place.lease,
            depth=int(command.environ.get(DEPTH_VARIABLE, "1")),
            command=pack_command(command) if command.travels else None,
        )
        fresh = not has_file(attempt, ORDER)
        atomic.write(f"{attempt.folder}/{ORDER}", dumps(job.document()), sync=False)
        self._carry(attempt, wake, fresh=fresh)
        return None

    def _require_alone(self, attempt: Attempt) -> None:
        for carried in list(self._carried.values()):  # attempts that have ended are removed meanwhile
            theirs = carried.attempt
            same = (theirs.session, theirs.subject) == (attempt.session, attempt.subject)
            if same and theirs.epoch != attempt.epoch and self.describe(theirs).state == RUNNING:
                raise Conflict(f"an agent of {attempt.subject} is still running; wait until it ends")

    def attach(self, attempt: Attempt, wake: Callable[[], None]) -> bool:
        if self.describe(attempt).state == ENDED:
            wake()
            return True
        if not has_file(attempt, ORDER):
            return False
        self._carry(attempt, wake, fresh=False)
        return True

    def _carry(self, attempt: Attempt, wake: Callable[[], None], *, fresh: bool) -> None:
        known = self._carried.get(attempt.key)
        if known is not None and not known.lost:
            known.wake = wake
            return
        carried = self._carried[attempt.key] = CarriedAttempt(attempt, wake, fresh=fresh)
        self._thread.begin(self._follow(carried))

    async def _follow(self, carried: CarriedAttempt) -> None:
        """Follow from the order to the end, through temporary outages."""
        attempt = carried.attempt
        try:
            result = await self._take_first(carried)
            write_result(attempt, result)
        except RunHalted:
            return  # this engine stops here: a resume finds it as it is
        except UltraworkError as error:
            if isinstance(error, RemoteRefusal) and self._journal is not None:
                self._journal.halt(error)
                return
            carried.detail, carried.lost = str(error), True
            self._forget_base(attempt)
        except Exception as error:  # noqa: BLE001 (whatever it is: an attempt that no thread follows would hang)
            carried.detail, carried.lost = f"could not follow it: {error!r}"[:200], True
        finally:
            carried.wake()
        self._board.take_away(attempt.key)

    def _forget_base(self, attempt: Attempt) -> None:
        order = read_json(f"{attempt.folder}/{ORDER}")
        self._transfer.forget_base(str((order or {}).get("base")))

    async def _persist(self, job: Callable[..., Answer], attempt: Attempt, *more: object) -> Answer:
        return await persist(RemotePatience(self._board, attempt.key, LONGEST), job, attempt, *more)

    async def _take_first(self, carried: CarriedAttempt) -> JobResult:
        """Return its result, or that of an earlier attempt thought lost, whichever comes first; imported."""
        attempt, lost = carried.attempt, LostAttempts(carried.attempt, self._transfer)
        late = await lost.take(failed=carried.fresh)
        if late is not None:
            return late
        bringing = asyncio.ensure_future(self._bring(carried))
        spoiling = asyncio.ensure_future(carried.spoiled.wait())
        try:
            while not bringing.done():
                first = asyncio.FIRST_COMPLETED
                await asyncio.wait({bringing, spoiling}, timeout=lost.pause, return_when=first)
                if carried.spoiled.is_set():
                    await self._carrier.cancel(attempt.key)
                    raise CarrierLost(carried.detail)
                late = await lost.take() if carried.given and not bringing.done() else None
                if late is not None:
                    await self._carrier.cancel(attempt.key)
                    return late
            result = await bringing
        finally:
            bringing.cancel()
            spoiling.cancel()
        if carried.stranded and result.why == CANCELLED:
            raise CarrierLost(carried.stranded)
        await self._persist(self._transfer.take_in, attempt, result)
        return result

    async def _bring(self, carried: CarriedAttempt) -> JobResult:
        attempt = carried.attempt
        if has_file(attempt, CANCEL):
            carried.cancelled.set()
        job = read_order(attempt)
        if carried.fresh or not await self._carrier.is_known(attempt.key):
            # It may have been carried so long ago that Temporal has forgotten it.
            result = None if carried.fresh else await self._persist(self._transfer.find_result, attempt)
            if result is not None:
                return result
            if carried.cancelled.is_set():
                return JobResult(None, CANCELLED)
            request = self._transfer.find_request(job)
            if request is None:
                request = await self._persist(self._transfer.send, attempt, job)
            if self._journal is not None:
                await asyncio.to_thread(self._journal.require_order, attempt.key)
            if self._is_ending():
                raise CarrierLost(_STOPPED)
            await self._carrier.start(attempt, request)
        carried.given = True
        if carried.cancelled.is_set():
            await self._carrier.cancel(attempt.key)
        try:
            return await self._carrier.wait(attempt.key)
        except CarrierLost:
            # Its worker may have pushed everything and died before reporting.
            result = await self._persist(self._transfer.find_result, attempt)
            if result is None:
                raise
            return result

    def cancel(self, attempt: Attempt) -> None:
        if not os.path.isdir(attempt.folder) or self.describe(attempt).state == ENDED:
            return
        atomic.write(f"{attempt.folder}/{CANCEL}", "", sync=False)
        carried = self._carried.get(attempt.key)
        if carried is not None:
            self._thread.begin(self._cancel(carried))
            return
        try:  # a process that only cancels exits at once, so cancel now
            self._thread.call(self._carrier.cancel(attempt.key), _PATIENCE)
        except TimeoutError:
            raise Trouble(
                f"the Temporal server at {self._place.address} does not answer; {attempt.subject} keeps running there"
            ) from None

    async def _cancel(self, carried: CarriedAttempt) -> None:
        carried.cancelled.set()
        await self._carrier.cancel(carried.attempt.key)

    def describe(self, attempt: Attempt) -> AttemptReport:
        return describe_attempt(attempt, self._carried.get(attempt.key))

    async def _look(self) -> None:
        """Read workers' beats, and which workers exist, as long as this lives: agents that are not heard look hung."""
        next_count = 0.0
        while True:
            await asyncio.sleep(_LOOK)
            try:
                for carried in [carried for carried in list(self._carried.values()) if not carried.lost]:
                    await self._look_at(carried)
                if time.monotonic() >= next_count:
                    next_count = time.monotonic() + _COUNT
                    await self._count_machines()
                    for carried in list(self._carried.values()):
                        await self._free_stranded(carried)
            except Exception:  # noqa: BLE001 (as of a full disk: the next look comes in a second)
                pass

    async def _look_at(self, carried: CarriedAttempt) -> None:
        if has_file(carried.attempt, RESULT):
            self._carried.pop(carried.attempt.key, None)
            return
        try:
            seen = await self._carrier.read_beat(carried.attempt.key)
        except (UsageError, Conflict) as error:
            carried.detail = f"its machine sent an invalid heartbeat: {error}"
            carried.spoiled.set()
            return
        if seen:
            carried.seen, carried.seen_at = seen, time.time()
            self._heed_refusal(carried)
        elif carried.given and not carried.seen and self._is_ending():
            await self._recall(carried, _STOPPED)

    def _is_ending(self) -> bool:
        """Return whether no attempt may start any more, including those that no machine has taken yet."""
        return self._run is not None and self._run.orders.is_ending

    def _heed_refusal(self, carried: CarriedAttempt) -> None:
        """Handle work that its machine cannot push: it is kept there, and what is refused to one is refused to the
        next."""
        seen = carried.seen
        if not seen.get("refused"):
            if carried.patience is not None:
                carried.patience.end()
            carried.patience = None
            return
        if carried.patience is None:
            carried.patience = RemotePatience(self._board, carried.attempt.key, LONGEST)
        text = join_lines(f"{seen['machine']}: {seen['refused']}")
        error = RemoteRefusal(text, join_lines(str(seen.get("cure", ""))))
        if carried.patience.is_over(error) and self._journal is not None:
            self._journal.halt(error)

    async def _count_machines(self) -> None:
        programs = {carried.attempt.backend for carried in list(self._carried.values())}
        if self._run is not None:
            programs |= {self._run.backend.name, *self._run.crew}
        listed = [await self._carrier.list_machines(name, time.time()) for name in sorted(programs)]
        reports = {carried.seen["machine"]: carried.seen for carried in list(self._carried.values()) if carried.seen}
        # A full machine asks for nothing while its agents run; they report that it exists.
        full = {name: machine for name, machine in self._machines.items() if name in reports}
        self._machines = {**full, **{machine.name: machine for some in listed for machine in some}}
        for name, machine in self._machines.items():
            machine.used = int(reports.get(name, {}).get("used", 0))
            machine.seen_at = time.time()
        if self._run is not None:
            found, run = list(self._machines.values()), self._run
            try:  # each thread has its own store, so it is opened there
                await asyncio.to_thread(lambda: witness.save_machines(run.store.database, found))
            except UltraworkError:
                pass  # it is only shown

    async def _free_stranded(self, carried: CarriedAttempt) -> None:
        """Return work that waits for an account without machines, if another one could take it."""
        attempt = carried.attempt
        there = {machine.find_account(attempt.backend) for machine in self._machines.values()} - {""}
        if attempt.account and there and attempt.account not in there and not carried.seen:
            await self._recall(carried, f"no machine with the account {attempt.account} is available")

    async def _recall(self, carried: CarriedAttempt, why: str) -> None:
        carried.stranded = why
        await self._carrier.cancel(carried.attempt.key)

    @classmethod
    def list_leaving(cls, place: str, environ: Mapping[str, str]) -> list[str]:
        return list_uncommitted(place, environ)

    def forget(self) -> None:
        if self._journal is not None:
            self._journal.remove()

    def open_journal(self, run: HeadlessRun) -> GitJournal:
        require_consent(run, self._place.remote)
        self._journal = GitJournal(run, self._place.remote, self._environ, self._board)
        self._run = run
        return self._journal

    def close(self) -> None:
        self._thread.close()
