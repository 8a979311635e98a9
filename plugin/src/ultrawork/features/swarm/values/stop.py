"""What a stop means in a swarm, where many claim from one task list.

A worker continues while there is a task for it. The leader waits while others work, is sent back while tasks are open
and no one works, and ends in the verdict of the checks."""

from collections.abc import Callable, Sequence

from ....core.stop.rules import LET_GO, QUIET_END, SILENT, StopDecision, apply_rules
from ....core.value import Value
from .tasks import MOST_TRIES
from .wording import format_open

Rule = Callable[["SwarmFacts"], "StopDecision | None"]

# Sent on by the swarm: counted separately from refusals, which are about failing checks.
SEND = "send"
# A worker that got this many tasks and used no tool does nothing.
MOST_IDLE = 5


class SwarmFacts(Value):
    """The state of a swarm at a stop. `ready` could be claimed now, `stuck` waits for a failed one, `held` is running;
    `handed` is the task just given to this worker, `idle` how many it got without using a tool since; `led`: a live
    leader exists. `row` is how often the leader was sent back for the same since a task was last settled."""

    total: int = 0
    open: int = 0
    ready: int = 0
    stuck: int = 0
    held: int = 0
    done: int = 0
    failed: Sequence[str] = ()
    handed: str = ""
    idle: int = 0
    blocked: str = ""
    stopped: bool = False
    led: bool = False
    row: int = 0
    repeats: int = 2

    @property
    def may_send(self) -> bool:
        return self.row < self.repeats


def decide_leader_stop(facts: SwarmFacts) -> StopDecision | None:
    """Decide the leader's stop; None if the checks decide."""
    return apply_rules(_LEAD, facts)


def decide_worker_stop(facts: SwarmFacts) -> StopDecision | None:
    """Decide a worker's stop; None if no one else will run the checks."""
    return apply_rules(_WORK, facts)


def decide_unchecked_task(task: str) -> StopDecision:
    """Send it back: only the agent may start the check of a task that it holds."""
    because = f"the check of task {task} has not run, and only the agent may start it"
    return StopDecision(SEND, "swarm-ask", because, "ultrawork swarm done")


def decide_next_task(task: str) -> StopDecision:
    return StopDecision(SEND, "swarm-agent", f"task {task} is the next one", "do it")


def _gave_up(facts: SwarmFacts) -> StopDecision | None:
    if facts.blocked and not facts.held and facts.open:
        because = f"the agent says it is blocked: {facts.blocked}; {format_open(facts.open)}"
        return StopDecision(LET_GO, "blocked", because, _AGAIN)
    return None


def _idle(facts: SwarmFacts) -> StopDecision | None:
    """Allow the stop of a worker that gets tasks repeatedly and does nothing."""
    if facts.idle >= MOST_IDLE:
        because = f"{facts.idle} tasks were assigned, and none of them made progress"
        return StopDecision(LET_GO, "swarm-idle", because, "see ultrawork swarm status")
    return None


def _empty(facts: SwarmFacts) -> StopDecision | None:
    if facts.total:
        return None
    because = "the swarm has no task"
    if facts.may_send:
        return StopDecision(SEND, "swarm-empty", because, "add tasks: ultrawork swarm add")
    return StopDecision(LET_GO, "swarm-empty", f"{because}, and none was added", _AGAIN)


def _at_work(facts: SwarmFacts) -> StopDecision | None:
    if facts.held:
        because = f"tasks of the swarm that are being worked on: {facts.held}"
        return StopDecision(SILENT, "swarm-at-work", because, "wait for them: ultrawork swarm status")
    return None


def _stopped(facts: SwarmFacts) -> StopDecision | None:
    left = facts.open - facts.stuck
    if facts.stopped and left > 0:
        because = f"the swarm was stopped with {left} of {facts.total} tasks open"
        return StopDecision(LET_GO, "swarm-stopped", because, "continue: ultrawork swarm start")
    return None


def _decide_unclaimable(facts: SwarmFacts) -> StopDecision | None:
    left = facts.open - facts.stuck
    if left > 0:
        because = f"{left} of {facts.total} tasks are open, and none could be claimed"
        return StopDecision(LET_GO, "swarm-left", because, "see ultrawork swarm status")
    return None


def _nobody(facts: SwarmFacts) -> StopDecision | None:
    left = facts.open - facts.stuck
    if left <= 0:
        return None
    because = f"{left} of {facts.total} tasks are open and no agent is working on them"
    if facts.may_send:
        return StopDecision(SEND, "swarm-open", because, "start agents for them, or claim one yourself")
    return StopDecision(LET_GO, "swarm-open", because, _AGAIN)


def _lost(facts: SwarmFacts) -> StopDecision | None:
    """Allow the stop with failed tasks; the checks may pass without them, but they were requested."""
    if not facts.failed:
        return None
    named = ", ".join(facts.failed[:3])
    because = f"{len(facts.failed)} of {facts.total} tasks failed {MOST_TRIES} times: {named}"
    return StopDecision(LET_GO, "swarm-failed", because, "see ultrawork swarm status")


def _handed(facts: SwarmFacts) -> StopDecision | None:
    if facts.handed:
        because = f"task {facts.handed} is the next one"
        return StopDecision(SEND, "swarm-next", because, "do it, or end with BLOCKED: why")
    return None


def _elsewhere(facts: SwarmFacts) -> StopDecision | None:
    """End quietly: nothing to claim, and others still work or lead; they get the verdict."""
    if facts.held or facts.led:
        because = "no task remains for this session; the leader of the swarm gets the verdict"
        return StopDecision(QUIET_END, "swarm-over", because)
    return None


_AGAIN = "continue: /ultrawork:swarm"
_LEAD: Sequence[Rule] = (_gave_up, _empty, _at_work, _stopped, _nobody, _lost)
_WORK: Sequence[Rule] = (_idle, _handed, _elsewhere, _stopped, _decide_unclaimable, _lost)
