"""
Decide a stop in a planned session, for the coordinating conversation and for its agents.

Running work defers the decision. Planning waits for the user, and so does a question after the model was asked to put
it. Everything else is refused with the next step, within limits.
"""

from collections.abc import Callable, Sequence

from ..stop.rules import LET_GO, NUDGE, REFUSE, SILENT, StopDecision, apply_rules
from ..value import Value
from .roles import EXPLORER, PLANNER, VERIFIER, WORKER

Rule = Callable[["PlannedStopFacts"], "StopDecision | None"]

# The model requests the round that is due. That is not a refusal and does not count as one.
RETRY = "retry-asked-for"
NEXT = "next"
# Steps of the course: they announce what comes next, and nothing was sent back.
COURSE_RULES = (NEXT, RETRY)
# How often one agent of each role may be sent back.
MOST_SENT_BACK = {EXPLORER: 1, PLANNER: 2, WORKER: 1, VERIFIER: 1}


class PlannedStopFacts(Value):
    """Facts for a stop in a planned session. `step` describes the next step. `waits`: agents are running and will
    report back. `plans`, `asks`: the next step is the user's plan approval or a question to the user. `retries`: a
    requested round is due, for the first time here. `refusals` counts since the last change of phase or round, `row`
    counts those at this exact step."""

    step: str
    attended: bool = True
    waits: bool = False
    plans: bool = False
    asks: bool = False
    retries: bool = False
    refusals: int = 0
    row: int = 0
    limit: int = 8
    repeats: int = 2


def decide_planned_stop(facts: PlannedStopFacts) -> StopDecision:
    decision = apply_rules(_RULES, facts)
    assert decision is not None
    return decision


def decide_agent_end(role: str, because: str, sent_back: int) -> StopDecision | None:
    """Send an agent back whose work is not acceptable; None once its role's limit is used up."""
    if sent_back >= MOST_SENT_BACK[role]:
        return None
    return StopDecision(REFUSE, f"{role}-end", because, "what it names")


def _agents(facts: PlannedStopFacts) -> StopDecision | None:
    return StopDecision(SILENT, "agents-running", facts.step) if facts.waits else None


def _person(facts: PlannedStopFacts) -> StopDecision | None:
    if facts.attended and (facts.plans or (facts.asks and facts.row)):
        return StopDecision(SILENT, "with-the-person", facts.step, "answer it in the client")
    return None


def _retry(facts: PlannedStopFacts) -> StopDecision | None:
    return StopDecision(NUDGE, RETRY, facts.step, "follow that step") if facts.retries else None


def _used_up(facts: PlannedStopFacts) -> StopDecision | None:
    if facts.row < facts.repeats and facts.refusals < facts.limit:
        return None
    because = f"the session made no progress, so the agent was allowed to stop. Open step: {facts.step}"
    return StopDecision(LET_GO, "no-progress", because, "resume it: ultrawork exec")


def _next(facts: PlannedStopFacts) -> StopDecision:
    return StopDecision(NUDGE, NEXT, facts.step, "follow that step")


_RULES: Sequence[Rule] = (_agents, _person, _retry, _used_up, _next)
