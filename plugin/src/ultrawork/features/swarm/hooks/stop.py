"""The end of a turn in a swarm. What this session holds is settled by its check; then a worker gets its next task, and
the leader waits, is sent back, or is left to the checks."""

from collections.abc import Callable
from time import monotonic, sleep

from ....core.errors import Conflict
from ....core.modes import modes as names
from ....core.modes import record
from ....core.session.session import Session
from ....core.stop import last_message, rules
from ....core.stop.rules import StopDecision
from ....core.value import Value
from ....gates.context import HOOK
from ....hooks.event import Answer, Event
from ....hooks.process import HookDeadline
from ....hooks.stop import event_facts
from ....hooks.stop.facts import StopContext
from ....hooks.table import is_skipped
from ....store import decisions
from ....store.omc import states
from ....store.omc.folder import Omc
from ..course import swarm
from ..store.board import STOPPED, Board
from ..values import stop as course
from ..values import wording as words
from ..values.stop import SEND, SwarmFacts
from ..values.tasks import FAILED, SwarmTask
from .begin import find_leader, make_own_worker

# Rules of the normal decision that a swarm replaces.
OVERRULED = ("blocked", "read-only", rules.NOTHING_DONE)
LONGEST = 270.0
# Unattended, the process ends after this stop, and its claimed tasks would be lost.
WAIT = 240.0
_POLL = 0.5


def decide(known: StopContext, facts: rules.StopFacts, before: StopDecision | None) -> Answer | None:
    """Decide; None if the normal decision applies: the checks, a question, another loop."""
    event = known.event
    off = names.SWARM not in record.read_active(known.session) or is_skipped(event.environ, names.SWARM)
    if off or (before is not None and not _overruled(before, event)):
        return None
    board = Board(Omc(known.session.working_dir))
    with HookDeadline(LONGEST) as deadline:
        judge = make_judge(event, known.session, known.may_run, seconds=deadline.left - 30.0)
        judge.settings = known.settings
        outcomes, swarm_task = settle(board, event, judge, make_own_worker(event).owner)
        if swarm_task:
            return _send(
                known, course.decide_unchecked_task(swarm_task.id), words.ask_for_check(swarm_task, event.program)
            )
        leads = board.get("leader") == event.session
        turn = _Turn(known, facts, board, outcomes, deadline)
        return turn.lead() if leads else turn.work()


def _overruled(before: StopDecision, event: Event) -> bool:
    """Return whether the swarm decides instead; a turn without changes is talk only if a user is present."""
    return before.rule in OVERRULED or (before.rule == "talk" and not event.attended)


def make_judge(event: Event, session: Session, may_run: Callable[[str], bool], *, seconds: float) -> swarm.SwarmCheck:
    return swarm.SwarmCheck(
        event.store, event.environ, session.working_dir, session, by=HOOK, may_run=may_run, seconds=seconds
    )


def settle(board: Board, event: Event, judge: swarm.SwarmCheck, owner: str) -> tuple[list[str], SwarmTask | None]:
    """Return what happened to the tasks that it held; and one whose check only the agent can start, requested once."""
    outcomes: list[str] = []
    for task in board.held_by(owner):
        if task.check and not judge.may_run(task.check):
            if not board.noted(task, "asked"):
                board.note(task, "asked", event.clock())
                return outcomes, task
            ended = board.fail(task.id, task.token, "its check has not run", event.clock())
        else:
            message = event.text("last_assistant_message")
            try:
                ended = swarm.settle_task(board, task, judge, now=event.clock(), message=message)
            except Conflict as late:
                outcomes.append(str(late))
                continue
        outcomes.append(words.describe_outcome(ended))
    return outcomes, None


class _Turn(Value):
    """One stop: the list, what was just settled, and the time limit."""

    known: StopContext
    facts: rules.StopFacts
    board: Board
    outcomes: list[str]
    deadline: HookDeadline

    @property
    def event(self) -> Event:
        return self.known.event

    def work(self) -> Answer | None:
        idle = self._idle()
        task = None if idle >= course.MOST_IDLE else self._next()
        swarm_facts = self._facts(handed=task.id if task else "", idle=idle)
        decision = course.decide_worker_stop(swarm_facts)
        if task is not None and decision is not None and decision.action == SEND:
            text = "\n".join([*self.outcomes, words.describe_task(task, self.board.counts())])
            return _send(self.known, decision, text)
        self.board.give_back(self.event.session, self.event.clock())
        if decision is not None:
            return self._ended(decision)
        self._over()
        return None

    def _over(self) -> None:
        """End a swarm from a terminal, because all is settled and no one leads."""
        omc, now = Omc(self.event.place), self.event.clock()
        states.show(omc, names.SWARM, {"active": False}, session=states.SHARED, now=now)

    def _next(self) -> SwarmTask | None:
        """Return the next task; without a user, wait for blocked tasks and to take over from dead workers."""
        end = monotonic() + min(WAIT, self.deadline.left - 20.0)
        while True:
            task = self.board.claim(make_own_worker(self.event), self.event.clock())
            counts = self.board.counts()
            if task is not None or self.event.attended or monotonic() > end:
                return task
            if not self._may_come(counts) or self.board.get("state") == STOPPED:
                return None
            self._until_moved(counts, end)

    def _may_come(self, counts: dict[str, int]) -> bool:
        """Return whether running tasks may unblock others or come back; a leader would watch for that."""
        waiting = counts["open"] > counts["stuck"]
        return bool(counts["claimed"]) and (waiting or not find_leader(self.event, self.board))

    def _until_moved(self, before: dict[str, int], end: float) -> None:
        while monotonic() < end and self.board.counts() == before:
            if self.board.reclaim(self.event.clock()):
                return
            sleep(_POLL)

    def _ended(self, decision: StopDecision) -> Answer | None:
        from ....hooks.stop.decide import carry_out

        answer = carry_out(self.known, self.facts, decision)
        if decision.action != rules.QUIET_END:
            return answer
        text = f"ultrawork: swarm, {words.format_tally(self.board.counts())}; {decision.because}."
        return Answer(message=text)

    def lead(self) -> Answer | None:
        self.board.lost(self.event.session, self.event.clock())
        end = monotonic() + min(WAIT, self.deadline.left - 20.0)
        while True:
            self.board.reclaim(self.event.clock())
            decision = course.decide_leader_stop(self._facts())
            silent = decision is not None and decision.action == rules.SILENT
            if not silent or self.event.attended or monotonic() > end:
                break
            self._until_moved(self.board.counts(), end)
        if decision is None:
            return None
        if decision.action == SEND:
            return _send(self.known, decision, self._again(decision), told=[self._mark()])
        return self._ended(decision) or Answer()

    def _again(self, decision: StopDecision) -> str:
        if decision.rule == "swarm-empty":
            return words.tell_empty(self.event.program)
        agents = self.board.get("agents")
        open_ = self.board.counts()["open"]
        return "\n".join([*self.outcomes, words.send_leader_back(open_, int(agents) if agents.isdigit() else 1)])

    def _mark(self) -> str:
        """Return a mark of the swarm's progress, to notice repeats. New tasks do not count."""
        counts = self.board.counts()
        return f"{counts['done']}/{counts['failed']}"

    def _facts(self, *, handed: str = "", idle: int = 0) -> SwarmFacts:
        counts, mark = self.board.counts(), self._mark()
        rule = "swarm-open" if counts["total"] else "swarm-empty"
        led = find_leader(self.event, self.board)
        return SwarmFacts(
            total=counts["total"],
            open=counts["open"],
            ready=counts["ready"],
            stuck=counts["stuck"],
            held=counts["claimed"] - int(bool(handed)),
            done=counts["done"],
            failed=[swarm_task.id for swarm_task in self.board.tasks() if swarm_task.status == FAILED],
            handed=handed,
            idle=idle,
            led=led not in ("", self.event.session),
            row=sum(
                stored_decision.rule == rule and stored_decision.told == [mark] for stored_decision in self.known.taken
            ),
            repeats=self.facts.repeats,
            blocked=last_message.find_blocked_reason(self.known.message),
            stopped=self.board.get("state") == STOPPED,
        )

    def _idle(self) -> int:
        last = self.known.find_last_tool_time()
        return sum(
            1
            for stored_decision in self.known.taken
            if stored_decision.rule == "swarm-next" and stored_decision.at > last
        )


def _send(known: StopContext, decision: StopDecision, text: str, told: list[str] | None = None) -> Answer:
    event = known.event
    with event.store.change(known.session.id) as change:
        decisions.add(change, decision, event=event.name, tree=known.tree, told=told or (), text=text, counts=False)
    event_facts.tell_waking_job(event)
    # A new task is not an error, so it is not shown as one.
    return Answer(feedback=text) if decision.rule == "swarm-next" else Answer(block=text)
