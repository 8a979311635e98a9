"""
Handle a worker's end: collect what it left, merge it aside, check it there, and import it only if it passes.

Its task's criteria and the pinned checks decide, run by us on exactly the merged files.
"""

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from math import inf
from time import monotonic

from ...clients.headless.attempt import AgentOutcome, Attempt
from ...core.errors import Trouble, UltraworkError
from ...core.plan.task import BLOCKED, FAILED, IN_PROGRESS, PENDING, RESOLVED
from ...core.wording import cut, join_lines
from ...flow import agent_ends
from ...gates.context import ENGINE
from ...report import timeline
from ...store import agents, atomic, attempts, codec, tasks
from ...store.atomic import read_text
from ...store.store import Store
from ..contract import CalledOff, RunHalted, Settlement
from ..repository import outside_changes, worktrees
from ..repository.cleanup import remove_worktree
from ..repository.filters import FilterRefusal
from ..repository.merge_queue import CONFLICT, EMPTY, MERGED, MergeQueue, MergeResult
from ..repository.repository import Repository
from ..repository.results import list_brought
from ..repository.worker_traces import CheckoutState, record_state
from ..run import HeadlessRun

SECONDS = 3600.0


class ResultCheck:
    """
    Checks a result. Criteria run first: they are quick, and the worker knows them. `checked` is their outcome.
    `ask` is called from time to time and raises when the result is no longer wanted.
    """

    def __init__(
        self, store: Store, environ: Mapping[str, str], session: str, ask: Callable[[], None] | None = None
    ) -> None:
        self._ask = ask
        self._store = store
        self._environ = environ
        self._session = session
        self._next = 0.0
        self.checked: agent_ends.CriteriaResult | None = None

    def __call__(self, path: str, subject: str) -> tuple[bool, str]:
        task = tasks.get(self._store.database, self._session, subject)
        checked = agent_ends.check_criteria(
            self._store, self._environ, self._session, task, by=ENGINE, place=path, tick=self._tick
        )
        self.checked = checked
        if checked.lacking:
            raise RunHalted(checked.lacking[0])
        return (False, checked.reason) if checked.failed else self.run_gates(path, subject)

    def run_gates(self, path: str, subject: str) -> tuple[bool, str]:
        others = _list_beside(self._store, self._session, subject)
        before, beside = list_brought(path, self._environ, subject, others) if others else ("", [])
        return agent_ends.run_gates(
            self._store,
            self._environ,
            self._session,
            by=ENGINE,
            seconds=SECONDS,
            place=path,
            tick=self._tick,
            before=before,
            beside=beside,
        )

    def _tick(self) -> None:
        """Stop waiting if the result is no longer wanted; raising here ends the running program."""
        if self._ask is not None and monotonic() >= self._next:
            self._next = monotonic() + 1.0
            self._ask()


def _list_beside(store: Store, session: str, subject: str) -> set[str]:
    """Return subjects that were still running when this one first started: it did not build on their results."""
    tried = attempts.list_all(store.database, session)
    begun = min((attempt_row.claimed_at for attempt_row in tried if attempt_row.subject == subject), default=inf)
    ended = (
        attempt_row.subject for attempt_row in tried if attempt_row.ended_at is None or attempt_row.ended_at > begun
    )
    return {other for other in ended if other != subject}


_FENCE = "fence.json"
_LEFT = "left.txt"
_SHOWN = 3
_LEFT_HEAD = "RESULT OF THE LAST ATTEMPT (not in your files; reuse what is good):"


class Integration:
    """Import results of workers one after another, however many end at once."""

    def __init__(self, run: HeadlessRun) -> None:
        self._run = run
        self._one = threading.Lock()
        self._told: set[str] = set()

    def integrate(self, attempt: Attempt, outcome: AgentOutcome) -> Settlement:
        try:
            trespass = self._trespass(attempt, outcome)
            if trespass or outcome.trouble:
                return self._sent_back(attempt, trespass or outcome.detail)
            return self._merge(attempt, outcome)
        except CalledOff as error:
            return self._put_aside(attempt, str(error))
        except Trouble:
            raise
        except FilterRefusal as error:
            self._sent_back(attempt, str(error))
            return Settlement(BLOCKED, str(error))
        except UltraworkError as error:
            self._run.require_ground()
            return self._sent_back(attempt, str(error))

    def _sent_back(self, attempt: Attempt, why: str, message: str = "") -> Settlement:
        self.salvage(attempt)
        tell_failure(self._run, attempt.subject, why, message)
        return Settlement(FAILED, why)

    def _put_aside(self, attempt: Attempt, why: str) -> Settlement:
        """Keep the work without judging it, and report where it is."""
        self.salvage(attempt)
        kept = self._worktree(attempt).result
        why = f"{why} before its result was merged"
        self._run.tell(timeline.KEPT, subject=attempt.subject, why=why, ref=kept)
        return Settlement(PENDING, f"{why}; its work is kept as {kept}")

    def salvage(self, attempt: Attempt) -> None:
        try:
            worktree = self._worktree(attempt)
        except UltraworkError:
            return
        write_left(worktree, attempt.folder)

    def _worktree(self, attempt: Attempt) -> worktrees.Worktree:
        return worktrees.prepare(self._run.repository, attempt.subject, attempt.epoch)

    def _trespass(self, attempt: Attempt, outcome: AgentOutcome) -> str:
        with open(f"{attempt.folder}/{_FENCE}", encoding="utf-8") as file:
            fence = CheckoutState.of(codec.loads(file.read()))
        worktree, repository = self._worktree(attempt), self._run.repository
        changes = outside_changes.examine(repository, fence, worktree, outcome.tool_inputs)
        for name, command in list(changes.likely.items())[:_SHOWN]:
            self._run.tell(timeline.TRESPASS, subject=attempt.subject, name=name, command=command)
        self._told.update(changes.files, changes.likely)
        self._tell_others([name for name in changes.others if name not in self._told])
        return changes.sentence

    def _tell_others(self, names: list[str]) -> None:
        """Report files once, although each concurrent worker sees the same."""
        self._told.update(names)
        shown = ", ".join(names[:_SHOWN]) + (" …" if len(names) > _SHOWN else "")
        if names:
            text = f"not overwritten, because they changed in your checkout meanwhile: {shown}"
            self._run.tell(timeline.NOTE, text=text)

    def _merge(self, attempt: Attempt, outcome: AgentOutcome) -> Settlement:
        task = tasks.get(self._run.store.database, self._run.name, attempt.subject)
        require_wanted = partial(self._require_wanted, attempt)
        judge = ResultCheck(self._run.store, self._run.environ, self._run.name, require_wanted)
        commit = self._worktree(attempt).collect(f"{cut(join_lines(task.subject), 70)}\n")
        with self._one:
            queue = MergeQueue(self._run.repository, judge, partial(self._taking_in, attempt))
            merged = queue.merge(attempt.subject, commit)
            if merged.status == EMPTY:
                judge(check_out_results(self._run, CHECKED).path, attempt.subject)
        return self._settled(attempt, outcome, merged, judge.checked)

    def _require_wanted(self, attempt: Attempt) -> None:
        self._run.orders.check()
        task = tasks.get(self._run.store.database, self._run.name, attempt.subject)
        if task.token != attempt.epoch or task.status != IN_PROGRESS:
            raise CalledOff(f"another process marked it as {task.status}")

    @contextmanager
    def _taking_in(self, attempt: Attempt) -> Iterator[None]:
        """Lock the plan between the last check whether the result is wanted and the move of the branch."""
        with self._run.store.change(self._run.name):
            self._require_wanted(attempt)
            yield

    def _settled(
        self, attempt: Attempt, outcome: AgentOutcome, merged: MergeResult, checked: agent_ends.CriteriaResult | None
    ) -> Settlement:
        if merged.status == CONFLICT:
            self.salvage(attempt)
            self._run.tell(timeline.CONFLICT, subject=attempt.subject, files=merged.files)
            return Settlement(FAILED, merged.detail)
        if merged.status == MERGED:
            self._run.tell(timeline.MERGED, subject=attempt.subject, files=merged.files)
            remove_worktree(self._run.repository, self._worktree(attempt).name)
            # Merged before a crash, its checks do not run again: they passed then.
            evidence = checked.met if checked else ["merged, and its criteria are met"]
            return Settlement(RESOLVED, evidence=evidence, commit=merged.commit)
        status, reason, evidence = agent_ends.decide_end(checked or agent_ends.CriteriaResult(), outcome.text)
        if merged.status == EMPTY and status == RESOLVED:
            self._run.tell(timeline.MERGED, subject=attempt.subject, files=[])
            return Settlement(status, evidence=evidence)
        return self._sent_back(attempt, reason or merged.detail, outcome.text)


def record_checkout(repository: Repository, folder: str) -> None:
    """Record the state of the user's checkout before a worker starts, so that writes there are noticed."""
    atomic.write(f"{folder}/{_FENCE}", codec.dumps(record_state(repository).document()))


def tell_failure(run: HeadlessRun, subject: str, why: str, message: str = "") -> None:
    """Report a failure; it is retried only if a try or a round is left."""
    session, task = run.session, tasks.get(run.store.database, run.name, subject)
    rounds = int(str(session.options["max_iterations"])) - session.iteration
    again = task.may_retry or (rounds > 0 and not session.state.pipeline)
    if message:
        with run.store.change(run.name) as change:
            agents.record_refuted(change, subject, message, why)
    run.tell(timeline.SENT_BACK if again else timeline.FAILED, subject=subject, why=why, said=message)


def write_left(worktree: worktrees.Worktree, folder: str) -> None:
    try:
        left = worktree.salvage()
    except UltraworkError:
        return
    if left:
        atomic.write(f"{folder}/{_LEFT}", f"{_LEFT_HEAD}\n\n{left}")


def read_left(folder: str) -> str:
    """Return what the attempt of this folder left unmerged; empty if nothing."""
    return read_text(f"{folder}/{_LEFT}") or ""


CHECKED = "checked"


def check_out_results(run: HeadlessRun, kind: str) -> worktrees.Worktree:
    """
    Check out all merged results. The whole is verified alone, because a read-only agent's shell may leave files
    behind.
    """
    head = run.repository.head()
    with run.placing:
        return worktrees.prepare_detached(run.repository, f"{kind}-{head[:12]}", head)
