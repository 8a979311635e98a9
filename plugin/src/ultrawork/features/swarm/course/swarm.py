"""Settle tasks of a swarm: done by a check that we run ourselves, never by a statement alone."""

from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass

from ....core.session.session import Session
from ....core.stop import last_message
from ....core.verdict.gate import make_task_gate
from ....core.verdict.gate_run import GREEN
from ....core.wording import cut, join_lines
from ....gates.context import GateContext
from ....gates.run.receipt import NEW, RunTarget, make_receipt
from ....gates.session import pinning
from ....store import pins, receipts
from ....store.settings import Settings
from ....store.store import Store
from ..store.board import Board
from ..values import tasks as rules
from ..values.tasks import SwarmTask

SECONDS = 240.0
_TAIL = 200


def _may_run_all(_command: str) -> bool:
    return True


@dataclass
class SwarmCheck:
    """Runs the check of a task in a checkout, for a session that gets the receipts."""

    store: Store
    environ: Mapping[str, str]
    place: str
    session: Session
    _: KW_ONLY
    by: str
    may_run: Callable[[str], bool] = _may_run_all
    seconds: float = SECONDS
    settings: Settings | None = None

    def run(self, task: SwarmTask) -> tuple[bool, str]:
        """Return whether the check passes, and its receipt with the output."""
        work = GateContext(
            self.store,
            self.session,
            root=self.place,
            settings=self.settings or self._settings(),
            environ=self.environ,
            by=self.by,
            seconds=self.seconds,
        )
        tree = pinning.take_tree(self.place, self.store, self.environ)
        gate = make_task_gate(f"swarm task {task.id}", task.check, "the check of a task")
        ran = make_receipt(work, gate, RunTarget(self.place, tree, NEW))
        if ran.result.colour == GREEN:
            return True, f"#{ran.number} green"
        reason = ran.result.reason or _tail(ran.result.output) or f"exit {ran.document['run']['exit']}"
        return (False, f"{ran.result.colour} (#{ran.number}): {join_lines(task.check)}: {cut(reason, _TAIL)}")

    def _settings(self) -> Settings:
        pin = pins.get(self.store.database, self.session.id)
        if pin is None:
            return pinning.read_settings(self.place, self.store, self.environ)
        return pinning.read_pinned_settings(self.place, self.store, self.environ, pin)


def _tail(output: str) -> str:
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    return " | ".join(lines[-3:])


def settle_task(board: Board, task: SwarmTask, judge: SwarmCheck, *, now: float, message: str = "") -> SwarmTask:
    """Settle a task when the holder of its lease has ended: done if the check passes or there is none, else it goes
    back with the reason. The lease cannot expire while the check runs."""
    blocked = last_message.find_blocked_reason(message)
    if blocked:
        return board.fail(task.id, task.token, f"the worker reports that it is blocked: {blocked}", now)
    if not task.check:
        return board.done(task.id, task.token, now)
    board.hold(task, now, lease=judge.seconds + rules.LEASE)
    green, report = judge.run(task)
    ended = judge.store.now()
    if green:
        return board.done(task.id, task.token, ended, proof=report)
    return board.fail(task.id, task.token, report, ended)


def record_consent(store: Store, place: str, command: str) -> None:
    """A permitted `ultrawork swarm done` is consent for exactly this check."""
    receipts.allow(store.database, place, [command], at=store.now(), how="ultrawork swarm done")
