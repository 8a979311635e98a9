"""A team in a checkout: the list of its swarm, the repository for its results, and how a result is merged: aside,
checked there, one after another over all processes."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial

from ....clients.headless.attempt import AgentOutcome
from ....core.errors import Conflict, NotFound
from ....core.session.session import CHECKOUT, Session
from ....core.stop.last_message import find_blocked_reason
from ....core.wording import cut, join_lines
from ....engine.repository import merge_queue, worktrees
from ....engine.repository.cleanup import remove_worktree
from ....engine.repository.delivery import Delivery, deliver
from ....engine.repository.merge_queue import MergeQueue, MergeResult
from ....engine.repository.opening import open_repository
from ....engine.repository.results import ResultHistory
from ....engine.repository.worktrees import Worktree
from ....flow import agent_ends
from ....gates.context import ENGINE
from ....gates.session import pinning
from ....store import pins, sessions
from ....store.atomic import Lock
from ....store.codec import digest
from ....store.omc.folder import Omc
from ....store.store import Store
from ..course.swarm import SwarmCheck
from ..store.board import Board
from ..values.tasks import SwarmTask
from ..values.team import CLASHED, MERGED, RED, WorkerEnd, WorkerRights

CHECK_SECONDS = 3600.0
# A result waits for those before it, and each of them for its checks.
TURN_PATIENCE = 4 * CHECK_SECONDS
TEAM = "team"


class Team:
    """A team. Its session is the list's, so that a new list has its own results."""

    def __init__(self, store: Store, environ: Mapping[str, str], place: str, name: str) -> None:
        self.store = store
        self.environ = environ
        self.name = name
        self.omc = Omc(place)
        self.board = _join_board(self.omc, name)
        key = f"{place}\n{self.board.get('began_at')}"
        with Lock(f"{store.home.root}/team.lock", patience=TURN_PATIENCE):
            self.session = _find_session(self, f"team-{name}-{digest(key)[:8]}", place)
            self.repository = open_repository(
                place, store.home, self.session.id, environ, begun_at=self.session.started_at
            )

    @property
    def is_settled(self) -> bool:
        """Return whether no one works and nothing is left to start."""
        counts = self.board.counts()
        return not counts["claimed"] and counts["open"] <= counts["stuck"]

    def find_taken_in(self, task: SwarmTask) -> str:
        """Return the commit of a result whose worker died before reporting it; empty if there is none."""
        history = ResultHistory(self.repository, self.repository.head())
        result_commits = history.list_of_task(task.id)
        return result_commits[-1].commit if result_commits else ""

    def take_in(self, task: SwarmTask, worktree: Worktree, outcome: AgentOutcome, rights: WorkerRights) -> WorkerEnd:
        """Merge its result if it respects its rights, merges and passes; the lease is held meanwhile."""
        blocked = find_blocked_reason(outcome.text)
        if blocked:
            return WorkerEnd(RED, f"the worker reports that it is blocked: {blocked}")
        commit = worktree.collect(f"{cut(join_lines(task.subject), 70)}\n")
        changed = self.repository.git.changes(worktree.base, commit) if commit else []
        wrong = rights.list_violations([file_change.path for file_change in changed])
        if wrong:
            return WorkerEnd(RED, f"it changed files it must not change: {'; '.join(wrong[:3])}")
        self.board.hold(task, self.store.now(), lease=TURN_PATIENCE + CHECK_SECONDS)
        with self._turn():
            return self._merge(task, worktree, commit)

    def _turn(self) -> Lock:
        """Return the lock for merging: one worktree, one worker at a time."""
        return Lock(f"{self.repository.folder}/merging", patience=TURN_PATIENCE)

    def _merge(self, task: SwarmTask, worktree: Worktree, commit: str) -> WorkerEnd:
        proofs: list[str] = []
        check = partial(self._check, task, proofs)
        merged = MergeQueue(self.repository, check, partial(self._taking, task)).merge(task.id, commit)
        if merged.status == merge_queue.EMPTY:
            merged = self._check_unchanged(task, check, merged)
        if merged.status == merge_queue.CONFLICT:
            return WorkerEnd(CLASHED, merged.detail)
        if merged.status != merge_queue.MERGED:
            return WorkerEnd(RED, merged.detail)
        proof = "; ".join([*proofs, f"merged as {merged.commit[:12]}"] if merged.commit else proofs)
        self.board.done(task.id, task.token, self.store.now(), proof=proof)
        remove_worktree(self.repository, worktree.name)
        return WorkerEnd(MERGED, proof)

    def _check(self, task: SwarmTask, proofs: list[str], path: str, _subject: str) -> tuple[bool, str]:
        """Run the task's own check first: it is quick, and the worker knows it."""
        if task.check:
            run = SwarmCheck(self.store, self.environ, path, self.session, by=ENGINE, seconds=CHECK_SECONDS)
            green, report = run.run(task)
            if not green:
                return False, report
            proofs.append(report)
        return agent_ends.run_gates(
            self.store, self.environ, self.session.id, by=ENGINE, seconds=CHECK_SECONDS, place=path
        )

    def _check_unchanged(
        self, task: SwarmTask, check: Callable[[str, str], tuple[bool, str]], empty: MergeResult
    ) -> MergeResult:
        """Accept an unchanged result if the check passes on the current results."""
        if not task.check:
            return empty
        head = self.repository.head()
        worktree = worktrees.prepare_detached(self.repository, f"checked-{head[:12]}", head)
        green, report = check(worktree.path, task.id)
        return MergeResult(merge_queue.MERGED if green else merge_queue.RED, detail=report)

    @contextmanager
    def _taking(self, task: SwarmTask) -> Iterator[None]:
        """Raise if the lease was lost, so that nothing is merged."""
        self.board.held(task.id, task.token)
        yield

    def deliver(self) -> Delivery | None:
        """Deliver all results to the user's branch, once every task is done; None while one is not."""
        counts = self.board.counts()
        if counts["done"] < counts["total"]:
            return None
        with self._turn():
            return deliver(self.repository)


def _join_board(omc: Omc, name: str) -> Board:
    """Return the list; it has one team, named by the first that joins."""
    board = Board(omc)
    other = board.get(TEAM)
    if other not in ("", name):
        raise Conflict(f"the task list here belongs to team {other}; join it: ultrawork worker --team {other}")
    board.put(team=name)
    return board


def _find_session(team: Team, name: str, place: str) -> Session:
    """Return the session, made by the first worker: results are measured against it from then on."""
    try:
        return sessions.get(team.store.database, name)
    except NotFound:
        pass
    goal = team.board.get("goal") or f"the tasks of team {team.name}"
    made = Session(name, goal, place, team.store.now(), kind=CHECKOUT)
    pin = pinning.pin(place, team.store, team.environ, goal)
    with team.store.change(name) as change:
        sessions.create(change, made)
        pins.save(change, pin)
    return made
