"""One worker of a team: claims a task, lets its program work in its own worktree, submits the result, and continues
until the list is settled or it should end. If killed, it loses only its lease: the next worker finds what was merged,
and starts the rest."""

import os
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from ....clients.headless import base, table
from ....clients.headless.attempt import RUNNING, WORKER, AgentOutcome, Attempt, AttemptReport, write_note
from ....core.course.roles import WORKER as WORKER_AGENT
from ....core.course.roles import Spawn
from ....core.errors import Conflict
from ....core.redact import redact
from ....core.times import format_iso
from ....core.wording import cut, join_lines
from ....engine.agents import prompts
from ....engine.agents.executor import CANCELLED
from ....engine.agents.integration import read_left, write_left
from ....engine.agents.local.executor import LocalExecutor
from ....engine.repository import outside_changes, worktrees
from ....engine.repository.cleanup import remove_worktree
from ....engine.repository.worker_traces import record_state
from ....engine.repository.worktrees import Worktree
from ....engine.run import EngineLock
from ....store import attempts
from ....store.database import Transaction
from ..store.team_mail import DRAIN, SHUTDOWN, TeamMail
from ..store.worker import SwarmWorker
from ..values import team as rules
from ..values.tasks import BEAT, SwarmTask
from ..values.team import BROKEN, PUT_OFF, RED, STOPPED, WorkerEnd, WorkerRights
from ..values.wording import describe_task
from .team import Team

POLL = 1.0
DRAIN_SECONDS = 300.0
ALONE = 10.0  # seconds that an agent continues without its worker, whose lease has expired by then
UNSAID_WAIT = 60.0
_THEN = "Do this one task, then end. If you cannot, end with BLOCKED: why."
SETTLED, QUARANTINED = "settled", "quarantined"


@dataclass(slots=True, kw_only=True)
class TeammateWishes:
    """`stays`: it waits for more when the list is settled. `drain` is how long an agent may continue after an order."""

    name: str
    backend: str
    model: str
    rights: WorkerRights = field(default_factory=WorkerRights)
    stays: bool = False
    drain: float = DRAIN_SECONDS
    seconds: float = 3600.0


class TeamWorker:
    """`tell` gets one line of news; `orders` come from signals, beside those in the mail."""

    def __init__(self, team: Team, wishes: TeammateWishes, tell: Callable[[str], None]) -> None:
        self.team = team
        self.wishes = wishes
        self.orders: list[str] = []
        self._tell = tell
        self._backend = table.choose(wishes.backend, team.environ)
        self._mail = TeamMail(team.omc, team.name, wishes.name)
        self._folder = f"{team.store.home.session(team.session.id)}/workers/{wishes.name}"
        self._owner = SwarmWorker(
            f"{team.name}/{wishes.name}", session=team.session.id, agent=wishes.name, pid=os.getpid()
        )
        self._wake = threading.Event()
        self._errors = 0
        self._said = ""
        self._beaten = 0.0

    def work(self) -> str:
        """Work until there is nothing more to do; return why."""
        with EngineLock(self._folder):
            self._mail.open()
            executor = LocalExecutor(self._folder, alone=ALONE)
            try:
                self._report("ready", backend=self._backend.name)
                return self._leave(self._go_on(executor))
            finally:
                executor.close()

    def _go_on(self, executor: LocalExecutor) -> str:
        while True:
            order = self._find_order()
            if order:
                return order
            if self._errors >= rules.MOST_ERRORS:
                return QUARANTINED
            task = None if self._waits() else self._claim()
            if task is not None:
                self._do(executor, task)
            elif self.team.is_settled and not self.wishes.stays:
                return SETTLED
            else:
                self._idle()

    def _find_order(self) -> str:
        orders = [*self.orders, self._mail.find_order()]
        return SHUTDOWN if SHUTDOWN in orders else DRAIN if DRAIN in orders else ""

    def _waits(self) -> bool:
        """Return whether its provider asked to wait; reported once."""
        store = self.team.store
        until = dict(attempts.list_providers(store.database)).get(self._backend.name, 0.0)
        if until <= store.now():
            return False
        self._say_once(f"{self._backend.name} is rate limited until {format_iso(until)}; other workers continue")
        return True

    def _claim(self) -> SwarmTask | None:
        task = self.team.board.claim(self._owner, self.team.store.now())
        merged = self.team.find_taken_in(task) if task is not None else ""
        if task is None or not merged:
            return task
        proof = f"merged as {merged[:12]} before its worker died"
        self.team.board.done(task.id, task.token, self.team.store.now(), proof=proof)
        self._report("task_complete", task=task.id, proof=proof)
        return None

    def _idle(self) -> None:
        self._beat("idle")
        self._say_once("no task is ready; waiting")
        self._wake.wait(POLL)
        self._wake.clear()

    def _do(self, executor: LocalExecutor, task: SwarmTask) -> None:
        self._said, self._beaten = "", 0.0
        self._report("task_begun", task=task.id, subject=cut(join_lines(task.subject), 100))
        try:
            end = self._attempt(executor, task)
            self._settle(task, end)
        except Conflict as lost:
            # The lease belongs to another: so does the task, and its report.
            end = WorkerEnd(STOPPED, str(lost))
        self._errors = rules.count_errors(self._errors, end)
        self._beaten = 0.0

    def _attempt(self, executor: LocalExecutor, task: SwarmTask) -> WorkerEnd:
        team = self.team
        worktree = worktrees.prepare(team.repository, task.id, task.token)
        fence = record_state(team.repository)
        attempt = self._make_attempt(task, worktree)
        write_note(attempt)
        command = self._backend.command(attempt, {**team.environ, **worktree.environ})
        executor.start(attempt, command, self._wake.set)
        report = self._follow(executor, attempt, task)
        outcome = self._backend.read(attempt, report)
        try:
            end = self._judge_end(report, outcome)
            if end is None:
                changes = outside_changes.examine(team.repository, fence, worktree, outcome.tool_inputs)
                if changes.sentence:
                    end = WorkerEnd(RED, changes.sentence)
            if end is None:
                end = team.take_in(task, worktree, outcome, self.wishes.rights)
        except Conflict as error:
            team.board.held(task.id, task.token)
            end = WorkerEnd(RED, str(error))
        self._note_cost(task, outcome)
        return end

    def _make_attempt(self, task: SwarmTask, worktree: Worktree) -> Attempt:
        nonce = os.urandom(8).hex()
        text = describe_task(task, self.team.board.counts(), _THEN)
        spawn = Spawn(WORKER_AGENT, self.wishes.model, task.id, f"task {task.id}", text)
        mail = rules.quote_messages(self._mail.receive(), nonce)
        attempt = Attempt(
            self.team.session.id, task.id, WORKER, task.token, backend=self._backend.name,
            place=worktree.path, folder=f"{self._folder}/attempts/{task.id}.{task.token}",
            prompt=prompts.compose(spawn, self.wishes.rights.describe(), mail, read_left(self._left(task))),
            model=self.wishes.model, seconds=self.wishes.seconds, alone=ALONE,
        )  # fmt: skip
        os.makedirs(attempt.folder, mode=0o700, exist_ok=True)
        return attempt

    def _follow(self, executor: LocalExecutor, attempt: Attempt, task: SwarmTask) -> AttemptReport:
        """Wait until the agent has ended; after an order it gets the drain time."""
        limit = 0.0
        while (report := executor.describe(attempt)).state == RUNNING:
            self._beat("working", task=task.id)
            order = self._find_order()
            if order and not limit:
                limit = time.monotonic() + (0.0 if order == SHUTDOWN else self.wishes.drain)
            over = limit and (time.monotonic() >= limit or self._find_order() == SHUTDOWN)
            if over or not self._holds(task):
                executor.cancel(attempt)
            self._wake.wait(POLL)
            self._wake.clear()
        return report

    def _holds(self, task: SwarmTask) -> bool:
        try:
            self.team.board.held(task.id, task.token)
        except Conflict:
            return False
        return True

    def _judge_end(self, report: AttemptReport, outcome: AgentOutcome) -> WorkerEnd | None:
        """Return its program's end, if there is no result to judge."""
        detail = redact(outcome.detail, self.team.environ)
        if report.why == CANCELLED:
            return WorkerEnd(STOPPED, "stopped on request")
        if outcome.trouble == base.LIMIT:
            until = outcome.retry_at or self.team.store.now() + UNSAID_WAIT
            return WorkerEnd(PUT_OFF, detail, until)
        if outcome.trouble in (base.MISSING, base.AUTH):
            return WorkerEnd(BROKEN, detail)
        return WorkerEnd(RED, detail) if outcome.trouble else None

    def _settle(self, task: SwarmTask, end: WorkerEnd) -> None:
        """Settle a task: merged ones are already recorded; anything else goes back to the others."""
        team, now = self.team, self.team.store.now()
        if end.kind == rules.MERGED:
            self._report("task_complete", task=task.id, proof=end.reason)
            return
        self._put_aside(task)
        if end.counts_as_try:
            team.board.fail(task.id, task.token, end.reason, now)
        else:
            team.board.give_back(team.session.id, now, agent=self.wishes.name, leaves=False)
        if end.kind == PUT_OFF:
            with Transaction(team.store.database):
                attempts.block_provider(team.store.database, self._backend.name, end.until, now)
        self._report("task_failed", task=task.id, end=end.kind, reason=cut(end.reason, 500))

    def _put_aside(self, task: SwarmTask) -> None:
        """Save unmerged work by a ref, so that the next worker can see it."""
        name = self.team.repository.names.attempt_name(task.id, task.token)
        worktree = worktrees.find(self.team.repository, name)
        if worktree is not None:
            os.makedirs(self._left(task), mode=0o700, exist_ok=True)
            write_left(worktree, self._left(task))
            remove_worktree(self.team.repository, name)

    def _left(self, task: SwarmTask) -> str:
        return f"{self.team.store.home.session(self.team.session.id)}/left/{task.id}"

    def _note_cost(self, task: SwarmTask, outcome: AgentOutcome) -> None:
        spent = {"tokens": outcome.tokens, "cost_usd": outcome.cost_usd}
        self._mail.log("usage", self.team.store.now(), task=task.id, **spent)

    def _leave(self, why: str) -> str:
        acks = {SHUTDOWN: "shutdown_ack", DRAIN: "drain_ack", QUARANTINED: "error"}
        self._report(acks.get(why, "idle"), reason=why)
        self.team.board.give_back(self.team.session.id, self.team.store.now(), agent=self.wishes.name)
        self._mail.beat(self.team.store.now(), why)
        return why

    def _beat(self, status: str, **more: object) -> None:
        if time.monotonic() - self._beaten >= BEAT or not self._beaten:
            self._beaten = time.monotonic()
            now = self.team.store.now()
            self.team.board.beat(self._owner.owner, now)
            self._mail.beat(now, status, errors=self._errors, **more)

    def _say_once(self, text: str) -> None:
        if text != self._said:
            self._said = text
            self._report("idle", reason=text)

    def _report(self, kind: str, **more: object) -> None:
        self._mail.say(kind, self.team.store.now(), **more)
        words = " ".join(str(value) for value in more.values() if value)
        self._tell(f"{self.wishes.name}: {kind.replace('_', ' ')} {words}".rstrip())
