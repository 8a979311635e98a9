"""
What a stop means in a swarm: many that claim from one list of tasks.

A worker is sent on while there is a task for it. The one who leads the swarm waits while others work,
is sent back while tasks are open and nobody works, and ends in the gates' verdict.
"""

from collections.abc import Callable, Sequence

from ....core.stop.rules import LET_GO, QUIET_END, SILENT, StopDecision, apply_rules
from ....core.value import Value
from .tasks import MOST_TRIES
from .wording import format_open

Rule = Callable[["SwarmFacts"], "StopDecision | None"]

# Sent on by the swarm: counted apart from refusals, which are about checks that are red.
SEND = "send"
# A worker that was handed so many tasks and used no tool does nothing.
MOST_IDLE = 5


class SwarmFacts(Value):
    """
    How a swarm stands at a stop. `ready` could be claimed now, `stuck` waits for one that failed, `held`
    is at work; `handed` is the task that this worker has just been given, `idle` how many it was given
    without using a tool since; `led`: someone leads and lives.
    `row` is how often the leader was sent back for the same since a task was last settled.
    """

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
    """The stop of the one who leads; None when the gates have to speak."""
    return apply_rules(_LEAD, facts)


def decide_worker_stop(facts: SwarmFacts) -> StopDecision | None:
    """The stop of a worker; None when nobody else will ask the gates."""
    return apply_rules(_WORK, facts)


def decide_unchecked_task(task: str) -> StopDecision:
    """Only the agent may start the check of a task that it holds."""
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
    """The client itself lets go of one that is sent on again and again and does nothing."""
    if facts.idle >= MOST_IDLE:
        because = f"{facts.idle} tasks were handed over and nothing was done for them"
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
        return StopDecision(
            SILENT, "swarm-at-work", because, "wait for them: ultrawork swarm status"
        )
    return None


def _stopped(facts: SwarmFacts) -> StopDecision | None:
    left = facts.open - facts.stuck
    if facts.stopped and left > 0:
        because = f"the swarm was stopped with {left} of {facts.total} tasks open"
        return StopDecision(LET_GO, "swarm-stopped", because, "continue: ultrawork swarm start")
    return None


def _left(facts: SwarmFacts) -> StopDecision | None:
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
        return StopDecision(
            SEND, "swarm-open", because, "start agents for them, or claim one yourself"
        )
    return StopDecision(LET_GO, "swarm-open", because, _AGAIN)


def _lost(facts: SwarmFacts) -> StopDecision | None:
    """The gates may be green without it: that is not what was asked for."""
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
    """Nothing to claim, and others still work or someone leads: the verdict is theirs."""
    if facts.held or facts.led:
        because = "no task remains for this session; the leader of the swarm gets the verdict"
        return StopDecision(QUIET_END, "swarm-over", because)
    return None


_AGAIN = "go on: /ultrawork:swarm"
_LEAD: Sequence[Rule] = (_gave_up, _empty, _at_work, _stopped, _nobody, _lost)
_WORK: Sequence[Rule] = (_idle, _handed, _elsewhere, _stopped, _left, _lost)
