"""Run the criteria of a plan's tasks again on the delivered files: a later task may have undone one. A failing
criterion names its task, and the task after which it began to fail."""

from ...core.course.roles import list_reading
from ...core.plan import criteria, statuses
from ...core.plan.criteria import Criterion
from ...core.plan.task import Task
from ...core.session import phases
from ...core.session.session import Session
from ...core.value import Value
from ...core.verdict import rules
from ...core.verdict.finding import Finding
from ...core.verdict.gate import Gate
from ...core.verdict.gate_findings import is_doc
from ...core.verdict.gate_run import BROKEN, GREEN, RED
from ...core.verdict.verdict import GateFact
from ...store import receipts, tasks
from ..run.receipt import BASE, NEW, TASK_END, RunReceipt
from .comparison import Comparison
from .matrix import Cell
from .standing import CheckPair, CheckState

# Seconds: a longer criterion does not run on the baseline too.
_SHORT = 10.0


class TaskCriterion(Value):
    """One criterion of one task; `name` is unique."""

    name: str
    task: Task
    criterion: Criterion

    @property
    def gate(self) -> Gate:
        return criteria.make_gate(self.task.id, self.criterion)


class PlanCriteria:
    """The criteria in the verification of a planned session; none elsewhere, where tasks are still running."""

    def __init__(self, comparison: Comparison) -> None:
        self._comparison = comparison
        self._session = comparison.context.session
        self._plan: list[Task] = []
        if self._session.phase == phases.VERIFICATION:
            self._plan = tasks.list_all(comparison.context.store.database, self._session.id)
        self.wanted = [
            criterion for task in self._plan for criterion in _list_criteria(self._session, task)
        ]
        self._runs: dict[str, RunReceipt | None] = {}

    def run(self, gates: list[CheckPair]) -> None:
        """Run the criteria before the checks, which then see the same files. Commands that are also checks run with
        those."""
        known = {pair.gate.command for pair in gates if pair.gate.where == "."}
        for one in self.wanted:
            command = one.criterion.command
            if command not in known and command not in self._runs:
                self._runs[command] = self._run_once(one)

    def _run_once(self, one: TaskCriterion) -> RunReceipt | None:
        context = self._comparison.context
        if not context.may_run(one.criterion.command) or not context.left:
            return None
        kept = self._comparison.matrix.find_now(one.gate)
        return (
            kept
            if kept is not None
            else self._settle(one, self._comparison.matrix.run_now(one.gate))
        )

    def _settle(self, one: TaskCriterion, first: RunReceipt) -> RunReceipt:
        """Repeat a failure; if it then passes, it has to pass twice more."""
        if _is_met(one.criterion, first) or not first.seconds * 4 < self._comparison.context.left:
            return first
        for _ in range(3):
            again = self._comparison.matrix.run_now(one.gate)
            if not _is_met(one.criterion, again):
                return again
        return again

    def list_measured(self, gates: list[CheckState]) -> list[CheckState]:
        """Return the state of each criterion. A criterion that is not met counts against the work; one that is met is
        shown and proves nothing."""
        by_command = {gate.pair.gate.command: gate for gate in gates if gate.pair.gate.where == "."}
        found = [self._measure(one, by_command.get(one.criterion.command)) for one in self.wanted]
        measured = [one for one in found if one is not None]
        for one in measured:
            one.fact.required = one.fact.result != GREEN
            if one.fact.result == GREEN:
                one.findings += self._find_idle(one)
        return measured

    def _find_idle(self, measured: CheckState) -> list[Finding]:
        """Report a criterion that is met without the change, or that only reads notes the work wrote."""
        wanted, now = self._find(measured.fact.name), measured.now
        why = self._find_own_notes(wanted)
        short = now is not None and now.seconds <= _SHORT
        if not why and short and self._is_met_at_start(wanted):
            why = "it also passes without the change"
        if not why:
            return []
        words = {"task": wanted.task.id, "criterion": wanted.criterion.text, "why": why}
        return [rules.make_finding("criterion-idle", gate=measured.fact.name, **words)]

    def _find_own_notes(self, wanted: TaskCriterion) -> str:
        words = {word.strip("'\"") for word in wanted.criterion.command.split()}
        named = [path for path in self._comparison.change.paths if path in words]
        if named and all(map(is_doc, named)):
            return f"it only checks {named[0]}, which this work wrote"
        return ""

    def _is_met_at_start(self, wanted: TaskCriterion) -> bool:
        matrix = self._comparison.matrix
        run = matrix.run(Cell(BASE, wanted.gate, matrix.base))
        return _is_met(wanted.criterion, run)

    def _measure(self, one: TaskCriterion, gate: CheckState | None) -> CheckState | None:
        """Run a criterion. None if a check of the project is the same command: it is judged and fixed as that."""
        run = self._runs.get(one.criterion.command) if gate is None else gate.now
        if gate is not None and (
            run is None or (run.result.colour != GREEN and not gate.fact.as_before)
        ):
            return None
        pair = CheckPair(one.name, one.gate, None)
        if run is None:
            return CheckState(pair, GateFact(one.name, None, task=one.task.id), [_not_run(one)])
        if _is_met(one.criterion, run):
            if gate is not None:
                return None
            return CheckState(pair, _fact(one, run, GREEN), now=run)
        if run.document["run"]["exit"] is None:
            return CheckState(pair, _fact(one, run, BROKEN), now=run)
        return CheckState(pair, _fact(one, run, RED), [self._undone(one, run)], now=run)

    def _find(self, name: str) -> TaskCriterion:
        return next(one for one in self.wanted if one.name == name)

    def _undone(self, one: TaskCriterion, run: RunReceipt) -> Finding:
        by = self._find_breaker(one)
        since = f" since task {by} ended" if by else ""
        words = {"task": one.task.id, "criterion": one.criterion.text, "since": since}
        return rules.make_finding("criterion-fails", gate=one.name, receipt=run.number, **words)

    def _find_breaker(self, one: TaskCriterion) -> str:
        """Return the task after which it began to fail, by running it on the files of each end; empty if unclear."""
        ends = self._list_ends()
        own = next((at for at, (task, _) in enumerate(ends) if task == one.task.id), None)
        if own is None:
            return ""
        good, bad = own, len(ends)
        while bad - good > 1:
            middle = (good + bad) // 2
            if self._comparison.context.left < 10.0:
                return ""
            run = self._comparison.matrix.run(Cell(TASK_END, one.gate, ends[middle][1]))
            good, bad = (middle, bad) if _is_met(one.criterion, run) else (good, middle)
        return ends[bad][0] if bad < len(ends) else ""

    def _list_ends(self) -> list[tuple[str, str]]:
        """Return tasks in the order of their ends, with the files of their last receipt."""
        database = self._comparison.context.store.database
        last: dict[str, str] = {}
        done = {f"task {task.id}": task.id for task in self._plan}
        for receipt in receipts.list_all(database, self._session.id):
            task = done.get(receipt["gate"]["name"])
            now = receipt["id"] in self._comparison.matrix.runs
            if task is not None and receipt["run"]["on"] == NEW and not now:
                last.pop(task, None)
                last[task] = receipt["tree"]["after"]
        return list(last.items())


def _list_criteria(session: Session, task: Task) -> list[TaskCriterion]:
    """Return the criteria to run. A read-only stage changes no files, and unfinished tasks prove nothing."""
    if task.is_verify or task.status != statuses.RESOLVED or task.id in list_reading(session):
        return []
    parsed = [criteria.parse(text) for text in task.criteria]
    commands = [one for one in parsed if not one.judged]
    return [
        TaskCriterion(f"task {task.id}" + (f" ({at})" if at > 1 else ""), task, one)
        for at, one in enumerate(commands, 1)
    ]


def _fact(one: TaskCriterion, run: RunReceipt, result: str) -> GateFact:
    return GateFact(
        one.name,
        result,
        run.number,
        reason=run.result.reason if result == BROKEN else "",
        task=one.task.id,
    )


def _not_run(one: TaskCriterion) -> Finding:
    words = {"task": one.task.id, "criterion": one.criterion.text}
    return rules.make_finding("criterion-blocked", gate=one.name, **words)


def _is_met(criterion: Criterion, run: RunReceipt) -> bool:
    return criteria.is_met(criterion, exit=run.document["run"]["exit"], output=run.result.output)
