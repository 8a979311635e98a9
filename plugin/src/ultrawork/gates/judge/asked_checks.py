"""Run checks that others ask for, beside those of the project: criteria of a plan's tasks, claims of reviewers, and
errors that language servers report.

The criteria of tasks run again on the delivered files: a later task may have undone one, so a failing one names its
task and the task after which it began to fail. A reviewer's command runs in a scratch copy if the user approved it; a
failure confirms the claim, which stays until the command passes. Language servers are asked about changed files, now
and, where they report an error, on the baseline: with consent, in their own process."""

import os
import sys
from collections.abc import Iterator

from ...core import reviews
from ...core.course.roles import list_reading
from ...core.errors import NotFound
from ...core.plan import criteria
from ...core.plan.criteria import Criterion
from ...core.plan.task import RESOLVED, Task
from ...core.reviews import CONFIRMED, OPINION, ReviewClaim
from ...core.session.session import Session
from ...core.value import Value
from ...core.verdict import delivered, rules
from ...core.verdict.gate import ERROR_FREE, FUNCTIONALITY, Gate
from ...core.verdict.gate_findings import is_doc
from ...core.verdict.gate_run import BROKEN, GREEN, RED
from ...core.verdict.verdict import Finding, GateFact
from ...store import receipts, tasks
from ...store import reviews as stored
from ..context import HOOK
from ..find.gate_table import parse_table
from ..run.receipt import BASE, NEW, TASK_END, RunReceipt
from .matrix import Cell, Comparison
from .standing import CheckPair, CheckState, is_unwanted

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
    if task.is_verify or task.status != RESOLVED or task.id in list_reading(session):
        return []
    parsed = [criteria.parse(text) for text in task.criteria]
    commands = [criterion for criterion in parsed if not criterion.judged]
    return [
        TaskCriterion(f"task {task.id}" + (f" ({at})" if at > 1 else ""), task, criterion)
        for at, criterion in enumerate(commands, 1)
    ]


def _is_met(criterion: Criterion, run: RunReceipt) -> bool:
    return criteria.is_met(criterion, exit=run.document["run"]["exit"], output=run.result.output)


REVIEW = "review"


def make_claim_gate(claim: ReviewClaim) -> Gate:
    return Gate(
        name=f"review {claim.id[:6]}",
        kind=FUNCTIONALITY,
        argv=["sh", "-c", claim.command],
        command=claim.command,
        source=f"a finding of {claim.reviewer}",
        reason="a reviewer reports that it fails",
    )


def make_consent_key(claim: ReviewClaim) -> str:
    """Return the key for consent to one command of one reviewer in a scratch copy; it allows the command nowhere
    else."""
    return f"review {claim.id}"


def adjudicate_open(comparison: Comparison) -> list[Finding]:
    """Run the approved commands, store the results, and return the findings."""
    context = comparison.context
    paths = comparison.source.names(comparison.matrix.tree)
    findings: list[Finding] = []
    for claim in stored.list_claims(context.store.home, context.root):
        if claim.is_open:
            findings += _settle(comparison, claim, paths)
    return findings


def _settle(comparison: Comparison, claim: ReviewClaim, paths: list[str]) -> list[Finding]:
    context = comparison.context
    if not reviews.is_about_files(claim.command, paths):
        _keep(comparison, claim, OPINION, "its command does not check these files")
        return []
    if not receipts.is_allowed(context.store.database, context.root, make_consent_key(claim)):
        return [_note(claim, "not run; run it: ultrawork review check")]
    if not context.left:
        return [_note(claim, "not run: there was no time left")]
    run = comparison.matrix.run(Cell(REVIEW, make_claim_gate(claim), comparison.matrix.tree))
    status = reviews.settle_claim(claim, run.document["run"]["exit"])
    if not status:
        return [_note(claim, "its command could not be run")]
    claim.receipt = run.number
    _keep(comparison, claim, status, f"`{claim.command}` is {run.result.colour}")
    words = {"reviewer": claim.reviewer, "title": claim.title, "command": claim.command}
    place = {"where": claim.where, "receipt": claim.receipt}
    confirmed = status == CONFIRMED
    return [rules.make_finding("review-confirmed", **words, **place)] if confirmed else []


def _keep(comparison: Comparison, claim: ReviewClaim, status: str, why: str) -> None:
    context = comparison.context
    tree = comparison.matrix.tree
    if (claim.status, claim.tree) == (status, tree):
        return
    claim.status, claim.why, claim.tree = status, why, tree
    stored.write(context.store.home, context.root, [claim])


def _note(claim: ReviewClaim, why: str) -> Finding:
    words = {"reviewer": claim.reviewer, "title": claim.title, "why": why}
    return rules.make_finding("review-open", where=claim.where, **words)


SECONDS = 60.0
FILES = 40
ASKED = "asked"
COMMAND = "ultrawork code errors"
# Judged by external schemas and styles; whether they parse is checked for every change.
_DATA = ("JSON", "HTML", "CSS", "YAML")
_START = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
_PROGRAM = f"{_START}/cli/start.py"


def list_new_errors(comparison: Comparison, states: list[CheckState]) -> list[Finding]:
    """Return new errors. None if there is no server, a check of the project covers this, or it is turned off."""
    context = comparison.context
    off = parse_table(context.settings.gates, context.settings.gates_source).off
    # A hook that may run none of the project's checks starts no server either.
    may_start = context.by != HOOK or any(state.now is not None for state in states)
    if delivered.RULE in off or not may_start or not context.left or is_unwanted(comparison):
        return []
    own = context.confinement is None and context.may_run(COMMAND)
    paths = list(_list_served(comparison, [state.pair.gate for state in states], own=own))
    if not paths:
        return []
    gate = make_server_gate(paths, own=own)
    now = comparison.matrix.run(Cell(ASKED, gate, comparison.matrix.tree))
    return _judge(comparison, gate, now)


def make_server_gate(paths: list[str], *, own: bool) -> Gate:
    words = ["code", "errors", *(["--own"] if own else []), *paths]
    cached = ["-X", f"pycache_prefix={sys.pycache_prefix}"] if sys.pycache_prefix else ["-B"]
    return Gate(
        name=delivered.RULE,
        kind=ERROR_FREE,
        argv=[sys.executable, "-I", "-S", *cached, _PROGRAM, *words],
        command=" ".join(["ultrawork", *words]),
        source="a language server",
        reason="its errors in changed files are reported where the baseline had none",
        timeout=SECONDS,
        required=False,
    )


def _judge(comparison: Comparison, gate: Gate, now: RunReceipt) -> list[Finding]:
    """Return the findings of a run. A server that could not run has only its receipt: it is not a check of this
    project."""
    errors = delivered.read_errors(now.result.output)
    if now.document["run"]["exit"] != 1 or not errors:
        return []
    before = comparison.matrix.run(Cell(BASE, gate, comparison.matrix.base))
    if before.document["run"]["exit"] not in (0, 1):
        return []
    known = delivered.read_errors(before.result.output)
    new = delivered.find_new_errors(errors, known)
    return delivered.judge_errors(new, now.result.receipt)


def _list_served(comparison: Comparison, gates: list[Gate], *, own: bool) -> Iterator[str]:
    """Yield changed files whose language has a server that may run."""
    from ...system import language_servers

    context = comparison.context
    programs = context.environ.get("PATH", os.defpath)
    changed = [file.path for file in comparison.change.own if file.status != "D" and not file.binary]
    for path in filter(language_servers.is_known, changed[:FILES]):
        language = language_servers.find_language(path).name
        if language in _DATA or delivered.is_held_by_gate(language, gates):
            continue
        try:
            where = os.path.join(context.root, path)
            language_servers.find(where, context.root, own=own, programs=programs)
        except NotFound:
            continue
        yield path
