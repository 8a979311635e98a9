"""Run the criteria of a plan's tasks again on the delivered files: a later task may have undone one. A failing
criterion names its task, and the task after which it began to fail."""

from ...core.course.roles import list_reading
from ...core.plan import criteria, statuses
from ...core.plan.criteria import Criterion
from ...core.plan.task import Task
from ...core.session.session import Session
from ...core.value import Value
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

    @property
    def words(self) -> dict[str, str]:
        return {"task": self.task.id, "criterion": self.criterion.text}


class PlanCriteria:
    """The criteria in the verification of a planned session."""

    def __init__(self, comparison: Comparison) -> None:
        self._comparison = comparison
        self._session = comparison.context.session
        self._plan = tasks.list_all(comparison.context.store.database, self._session.id)
        self.wanted = [criterion for task in self._plan for criterion in _list_criteria(self._session, task)]
        self._runs: dict[str, RunReceipt | None] = {}

    def run(self, gates: list[CheckPair]) -> None:
        """Run the criteria before the checks, which then see the same files. Commands that are also checks run with
        those."""
        known = {pair.gate.command for pair in gates if pair.gate.where == "."}
        for wanted in self.wanted:
            command = wanted.criterion.command
            if command not in known and command not in self._runs:
                self._runs[command] = self._run_once(wanted)

    def _run_once(self, wanted: TaskCriterion) -> RunReceipt | None:
        context = self._comparison.context
        if not context.may_run(wanted.criterion.command) or not context.left:
            return None
        kept = self._comparison.matrix.find_now(wanted.gate)
        return kept or self._settle(wanted, self._comparison.matrix.run_now(wanted.gate))

    def _settle(self, wanted: TaskCriterion, first: RunReceipt) -> RunReceipt:
        """Repeat a failure; if it then passes, it has to pass twice more."""
        if _is_met(wanted.criterion, first) or not first.seconds * 4 < self._comparison.context.left:
            return first
        for _ in range(3):
            again = self._comparison.matrix.run_now(wanted.gate)
            if not _is_met(wanted.criterion, again):
                return again
        return again

    def list_measured(self, gates: list[CheckState]) -> list[CheckState]:
        """Return the state of each criterion. A criterion that is not met counts against the work; one that is met is
        shown and proves nothing."""
        by_command = {gate.pair.gate.command: gate for gate in gates if gate.pair.gate.where == "."}
        measured = []
        for wanted in self.wanted:
            state = self._measure(wanted, by_command.get(wanted.criterion.command))
            if state is not None:
                state.fact.required = state.fact.result != GREEN
                measured.append(state)
                if state.fact.result == GREEN and (why := self._explain_idle(wanted, state)):
                    state.report("criterion-idle", why=why, **wanted.words)
        return measured

    def _explain_idle(self, wanted: TaskCriterion, state: CheckState) -> str:
        """Return why a criterion shows nothing: it is met without the change, or only reads notes the work wrote."""
        matrix, now = self._comparison.matrix, state.now
        why = self._find_own_notes(wanted)
        if why or now is None or now.seconds > _SHORT:
            return why
        before = matrix.run(Cell(BASE, wanted.gate, matrix.base))
        return "it also passes without the change" if _is_met(wanted.criterion, before) else ""

    def _find_own_notes(self, wanted: TaskCriterion) -> str:
        words = {word.strip("'\"") for word in wanted.criterion.command.split()}
        named = [path for path in self._comparison.change.paths if path in words]
        if named and all(map(is_doc, named)):
            return f"it only checks {named[0]}, which this work wrote"
        return ""

    def _measure(self, wanted: TaskCriterion, gate: CheckState | None) -> CheckState | None:
        """Run a criterion. None if a check of the project is the same command: it is judged and fixed as that."""
        run = self._runs.get(wanted.criterion.command) if gate is None else gate.now
        if gate is not None and (run is None or (run.result.colour != GREEN and not gate.fact.as_before)):
            return None
        pair = CheckPair(wanted.name, wanted.gate, None)
        state = CheckState(pair, GateFact(wanted.name, None, task=wanted.task.id), now=run)
        if run is None:
            state.report("criterion-blocked", **wanted.words)
            return state
        is_met = _is_met(wanted.criterion, run)
        if is_met and gate is not None:
            return None
        ran = run.document["run"]["exit"] is not None
        state.fact.result = GREEN if is_met else RED if ran else BROKEN
        state.fact.receipt = run.number
        state.fact.reason = run.result.reason if state.fact.result == BROKEN else ""
        if state.fact.result == RED:
            by = self._find_breaker(wanted)
            since = f" since task {by} ended" if by else ""
            state.report("criterion-fails", receipt=run.number, since=since, **wanted.words)
        return state

    def _find_breaker(self, wanted: TaskCriterion) -> str:
        """Return the task after which it began to fail, by running it on the files of each end; empty if unclear."""
        ends = self._list_ends()
        own = next((at for at, (task, _) in enumerate(ends) if task == wanted.task.id), None)
        if own is None:
            return ""
        good, bad = own, len(ends)
        while bad - good > 1:
            middle = (good + bad) // 2
            if self._comparison.context.left < 10.0:
                return ""
            run = self._comparison.matrix.run(Cell(TASK_END, wanted.gate, ends[middle][1]))
            good, bad = (middle, bad) if _is_met(wanted.criterion, run) else (good, middle)
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
    commands = [criterion for criterion in parsed if not criterion.judged]
    return [
        TaskCriterion(f"task {task.id}" + (f" ({at})" if at > 1 else ""), task, criterion)
        for at, criterion in enumerate(commands, 1)
    ]


def _is_met(criterion: Criterion, run: RunReceipt) -> bool:
    return criteria.is_met(criterion, exit=run.document["run"]["exit"], output=run.result.output)
