"""
Attempts on other machines: Temporal carries each as one standalone activity, git carries the code.

All that is decided stays here. An attempt is carried once: its id holds its epoch, Temporal tries nothing again,
and whoever comes after a crash finds it at work, ended, or lost. Its result is taken in (fetched, put into the
attempt's worktree, its output beside it) before anybody hears of it; from there on it is a result like any other.
"""

import asyncio
import os
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from ..core.errors import Conflict, Trouble, UltraworkError
from ..core.wording import join_lines
from ..engine.agents.attempt import (
    ENDED,
    LOST,
    RUNNING,
    AgentCommand,
    Attempt,
    AttemptReport,
)
from ..engine.agents.executor import CANCELLED, CRASHED, Executor, say_nothing
from ..engine.contract import RunHalted
from ..engine.loop.supervisor import DEPTH_VARIABLE
from ..store import atomic, machines
from ..store.codec import dumps, loads
from ..store.machines import ClusterMachine
from .async_thread import AsyncThread
from .carrier import Carrier, CarrierLost
from .job import AttemptJob, JobResult, pack_command
from .journal import ORDER, GitJournal
from .late_result import CANCEL, RESULT, LostAttempts
from .place import ClusterPlace, read_place, require_temporal
from .refusal import RefusalBoard, RemotePatience, RemoteRefusal
from .transfer import LONGEST, Answer, Transfer, persist

if TYPE_CHECKING:
    from ..engine.run import HeadlessRun
    from ..store.settings import Settings

_PATIENCE = 30.0
_COUNT = 3.0  # seconds between looks at who is there
_LOOK = 1.0  # seconds between looks at what a worker told of an attempt


class _Carried:
    """
    One that is in hand: what was last told of it, and whom to tell of its end; `fresh`: nobody has it yet, `given`:
    Temporal has it.
    """

    __slots__ = (
        "attempt", "cancelled", "detail", "fresh", "given", "lost", "patience", "seen", "seen_at", "stranded", "wake",
    )  # fmt: skip

    def __init__(self, attempt: Attempt, wake: Callable[[], None], *, fresh: bool) -> None:
        self.attempt = attempt
        self.fresh = fresh
        self.given = False
        self.wake = wake
        self.seen: dict[str, Any] = {}
        self.seen_at = 0.0
        self.cancelled = asyncio.Event()
        self.lost = False
        self.patience: RemotePatience | None = None
        self.stranded = False
        self.detail = ""


class TemporalExecutor(Executor):
    __slots__ = (
        "_board",
        "_carried",
        "_carrier",
        "_environ",
        "_journal",
        "_machines",
        "_place",
        "_run",
        "_thread",
        "_transfer",
    )

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
        self._carried: dict[str, _Carried] = {}
        self._machines: dict[str, ClusterMachine] = {}
        self._transfer = Transfer(place.remote, environ)
        self._carrier = Carrier(place, environ)
        self._thread = AsyncThread("temporal")
        try:
            self._thread.call(self._carrier.open(say), _PATIENCE)
        except BaseException:
            self._thread.close()
            raise
        self._thread.begin(self._look())

    @classmethod
    def require_ready(cls, settings: "Settings") -> None:
        read_place(settings)
        require_temporal()

    @classmethod
    def open(
        cls,
        session_folder: str,
        environ: Mapping[str, str],
        settings: "Settings",
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
            variables={DEPTH_VARIABLE: command.environ.get(DEPTH_VARIABLE, "1")},
            command=pack_command(command) if command.travels else None,
        )
        fresh = not _is_there(attempt, ORDER)
        atomic.write(f"{attempt.folder}/{ORDER}", dumps(job.document()), sync=False)
        self._carry(attempt, wake, fresh=fresh)
        return None

    def _require_alone(self, attempt: Attempt) -> None:
        for other in list(self._carried.values()):  # those that have ended are taken out meanwhile
            theirs = other.attempt
            same = (theirs.session, theirs.subject) == (attempt.session, attempt.subject)
            if same and theirs.epoch != attempt.epoch and self.describe(theirs).state == RUNNING:
                raise Conflict(f"an agent of {attempt.subject} is still at work; wait for its end")

    def attach(self, attempt: Attempt, wake: Callable[[], None]) -> bool:
        if self.describe(attempt).state == ENDED:
            wake()
            return True
        if not _is_there(attempt, ORDER):
            return False
        self._carry(attempt, wake, fresh=False)
        return True

    def _carry(self, attempt: Attempt, wake: Callable[[], None], *, fresh: bool) -> None:
        known = self._carried.get(attempt.key)
        if known is not None and not known.lost:
            known.wake = wake
            return
        carried = self._carried[attempt.key] = _Carried(attempt, wake, fresh=fresh)
        self._thread.begin(self._follow(carried))

    async def _follow(self, carried: _Carried) -> None:
        """From the order to the end, whatever is not there for a while."""
        attempt = carried.attempt
        try:
            result = await self._take_first(carried)
            _write_result(attempt, result)
        except RunHalted:
            return  # nobody goes on here: whoever resumes finds it as it is
        except UltraworkError as error:
            if isinstance(error, RemoteRefusal) and self._journal is not None:
                self._journal.halt(error)
                return
            carried.detail, carried.lost = str(error), True
        except Exception as error:  # noqa: BLE001 (whatever it is: an attempt that nobody follows would hang)
            carried.detail, carried.lost = f"it could not be followed: {error!r}"[:200], True
        finally:
            carried.wake()
        self._board.take_away(attempt.key)

    async def _persist(self, job: Callable[..., Answer], attempt: Attempt, *more: object) -> Answer:
        return await persist(RemotePatience(self._board, attempt.key, LONGEST), job, attempt, *more)

    async def _take_first(self, carried: _Carried) -> JobResult:
        """What came of it, or of an earlier one that was thought lost, whichever is there first; taken in."""
        attempt, lost = carried.attempt, LostAttempts(carried.attempt, self._transfer)
        late = await lost.take(failed=carried.fresh)
        if late is not None:
            return late
        bringing = asyncio.ensure_future(self._bring(carried))
        try:
            while not bringing.done():
                await asyncio.wait({bringing}, timeout=lost.pause)
                late = await lost.take() if carried.given and not bringing.done() else None
                if late is not None:
                    await self._carrier.cancel(attempt.key)
                    return late
            result = await bringing
        finally:
            bringing.cancel()
        if carried.stranded and result.why == CANCELLED:
            raise CarrierLost(f"no machine with the account {attempt.account} is there now")
        await self._persist(self._transfer.take_in, attempt, result)
        return result

    async def _bring(self, carried: _Carried) -> JobResult:
        attempt = carried.attempt
        if _is_there(attempt, CANCEL):
            carried.cancelled.set()
        job = _read_order(attempt)
        if carried.fresh or not await self._carrier.is_known(attempt.key):
            # It may have been carried so long ago that Temporal has forgotten it.
            found = (
                None if carried.fresh else await self._persist(self._transfer.find_result, attempt)
            )
            if found is not None:
                return found
            if carried.cancelled.is_set():
                return JobResult(None, CANCELLED)
            document = job.document()
            if not self._transfer.has_sent(job):
                document = await self._persist(self._transfer.send, attempt, job)
            if self._journal is not None:
                await asyncio.to_thread(self._journal.require_order, attempt.key)
            await self._carrier.start(attempt, document)
        carried.given = True
        if carried.cancelled.is_set():
            await self._carrier.cancel(attempt.key)
        try:
            return await self._carrier.wait(attempt.key)
        except CarrierLost:
            # Its worker may have pushed all and died before it could say so.
            found = await self._persist(self._transfer.find_result, attempt)
            if found is None:
                raise
            return found

    def cancel(self, attempt: Attempt) -> None:
        if not os.path.isdir(attempt.folder) or self.describe(attempt).state == ENDED:
            return
        atomic.write(f"{attempt.folder}/{CANCEL}", "", sync=False)
        carried = self._carried.get(attempt.key)
        if carried is not None:
            self._thread.begin(self._cancel(carried))
            return
        try:  # whoever only cancels is gone at once: it has to be told now
            self._thread.call(self._carrier.cancel(attempt.key), _PATIENCE)
        except TimeoutError:
            raise Trouble(
                f"Temporal at {self._place.address} does not answer; {attempt.subject} goes on there"
            ) from None

    async def _cancel(self, carried: _Carried) -> None:
        carried.cancelled.set()
        await self._carrier.cancel(carried.attempt.key)

    def describe(self, attempt: Attempt) -> AttemptReport:
        known = _read_json(f"{attempt.folder}/{RESULT}")
        if known is not None:
            return AttemptReport(ENDED, **known, output_bytes=_count_output(attempt.folder))
        carried = self._carried.get(attempt.key)
        if carried is None or carried.lost:
            detail = carried.detail if carried else ""
            machine = carried.seen.get("machine", "") if carried else ""
            return AttemptReport(LOST, why=CRASHED, detail=detail, machine=machine)
        seen, since = carried.seen, time.time() - carried.seen_at
        return AttemptReport(
            RUNNING,
            started_at=carried.seen_at - seen["age"] if "age" in seen else 0.0,
            cpu_seconds=seen.get("cpu", 0.0),
            quiet_seconds=seen["quiet"] + since if "quiet" in seen else 0.0,
            output_bytes=seen.get("bytes", 0),
            machine=seen.get("machine", ""),
            account=seen.get("account", ""),
            tokens=seen.get("tokens", 0),
            cost_usd=seen.get("usd"),
            last=seen.get("last", ""),
            calls=seen.get("calls", ()),
        )

    async def _look(self) -> None:
        """What workers tell with their beats, and which of them there are."""
        next_count = 0.0
        while True:
            await asyncio.sleep(_LOOK)
            for carried in [one for one in list(self._carried.values()) if not one.lost]:
                await self._look_at(carried)
            if time.monotonic() >= next_count:
                next_count = time.monotonic() + _COUNT
                await self._count_machines()
                for carried in list(self._carried.values()):
                    await self._free_stranded(carried)

    async def _look_at(self, carried: _Carried) -> None:
        if _is_there(carried.attempt, RESULT):
            self._carried.pop(carried.attempt.key, None)
            return
        seen = await self._carrier.read_beat(carried.attempt.key)
        if seen:
            carried.seen, carried.seen_at = seen, time.time()
            self._heed_refusal(carried)

    def _heed_refusal(self, carried: _Carried) -> None:
        """Work that its machine cannot push is kept there; what is refused to one is refused to the next."""
        seen = carried.seen
        if not seen.get("refused"):
            if carried.patience is not None:
                carried.patience.end()
            carried.patience = None
            return
        if carried.patience is None:
            carried.patience = RemotePatience(self._board, carried.attempt.key, LONGEST)
        told = join_lines(f"{seen['machine']}: {seen['refused']}")
        error = RemoteRefusal(told, join_lines(str(seen.get("cure", ""))))
        if carried.patience.is_over(error) and self._journal is not None:
            self._journal.halt(error)

    async def _count_machines(self) -> None:
        programs = {one.attempt.backend for one in list(self._carried.values())}
        if self._run is not None:
            programs |= {self._run.backend.name, *self._run.crew}
        listed = [await self._carrier.list_machines(name, time.time()) for name in sorted(programs)]
        told = {one.seen["machine"]: one.seen for one in list(self._carried.values()) if one.seen}
        # One that is full asks for nothing, for as long as its agents take; they tell that it is there.
        full = {name: one for name, one in self._machines.items() if name in told}
        self._machines = {**full, **{one.name: one for some in listed for one in some}}
        for name, machine in self._machines.items():
            machine.used = int(told.get(name, {}).get("used", 0))
            machine.seen_at = time.time()
        if self._run is not None:
            found, run = list(self._machines.values()), self._run
            try:  # each thread has a store of its own, so it is asked for there
                await asyncio.to_thread(lambda: machines.save(run.store.database, found))
            except UltraworkError:
                pass  # it is only shown

    async def _free_stranded(self, carried: _Carried) -> None:
        """What waits for an account whose machines have gone is given back, if another one could take it."""
        attempt = carried.attempt
        there = {one.find_account(attempt.backend) for one in self._machines.values()} - {""}
        if attempt.account and there and attempt.account not in there and not carried.seen:
            carried.stranded = True
            await self._carrier.cancel(attempt.key)

    def open_journal(self, run: "HeadlessRun") -> GitJournal:
        self._journal = GitJournal(run, self._place.remote, self._environ, self._board)
        self._run = run
        return self._journal

    def close(self) -> None:
        self._thread.close()


def _is_there(attempt: Attempt, name: str) -> bool:
    return os.path.exists(f"{attempt.folder}/{name}")


def _read_order(attempt: Attempt) -> AttemptJob:
    found = _read_json(f"{attempt.folder}/{ORDER}")
    if found is None:
        raise Trouble(f"{attempt.folder}/{ORDER} is gone")
    return AttemptJob.of(found)


def _write_result(attempt: Attempt, result: JobResult) -> None:
    """By our own clock: those of other machines may be wrong."""
    now = time.time()
    document = {
        "code": result.code,
        "why": result.why,
        "started_at": now - result.seconds,
        "ended_at": now,
        "cpu_seconds": result.cpu_seconds,
        "machine": result.machine,
        "account": result.account,
        "detail": result.detail,
    }
    # What a power cut takes is asked for again: Temporal has it, and the remote.
    atomic.write(f"{attempt.folder}/{RESULT}", dumps(document), sync=False)


def _read_json(path: str) -> dict[str, Any] | None:
    try:
        with open(path, encoding="utf-8") as file:
            return dict(loads(file.read()))
    except (FileNotFoundError, ValueError):  # the latter of what a power cut has left
        return None


def _count_output(folder: str) -> int:
    paths = (f"{folder}/out.jsonl", f"{folder}/err.log")
    return sum(os.path.getsize(path) for path in paths if os.path.exists(path))
