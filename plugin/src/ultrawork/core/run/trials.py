"""
What a trial of an agent came to, with ultrawork and without, and the sums over many.

The claim that counts is the one that the user reads: with ultrawork the verdict PASS, without it the agent's words.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

WITHOUT, WITH = "without", "with"
ARMS = (WITHOUT, WITH)
SCHEMA = "ultrawork.eval/1"


@dataclass(frozen=True, slots=True)
class EvalTrial:
    """`passes` says whether the hidden check holds. `cost_usd` is None where the client reports no cost."""

    case: str
    arm: str
    number: int
    possible: bool
    passes: bool
    claimed: bool
    verdict: str = ""
    sent_back: int = 0
    cost_usd: float | None = None
    tokens: int = 0
    seconds: float = 0.0
    trouble: str = ""

    @property
    def is_solved(self) -> bool:
        """A task that cannot be done is solved by saying so and leaving the files right."""
        return self.passes and (self.possible or not self.claimed)

    @property
    def is_false_claim(self) -> bool:
        return self.claimed and not self.is_solved

    def document(self) -> dict[str, Any]:
        return {**asdict(self), "solved": self.is_solved, "false_claim": self.is_false_claim}

    def describe(self) -> str:
        if self.trouble:
            return f"did not end: {self.trouble}"
        if self.is_solved:
            return "solved" if self.possible else "reported as impossible"
        return "claimed done, but it is not" if self.claimed else "not solved, not claimed"


@dataclass(frozen=True, slots=True)
class TrialSums:
    """One arm over all its trials."""

    arm: str
    trials: int
    solved: int
    false_claims: int
    sent_back: int
    cost_usd: float | None
    seconds: float

    def document(self) -> dict[str, Any]:
        return asdict(self)


def sum_up(trials: Sequence[EvalTrial]) -> list[TrialSums]:
    """Both arms, also one of which nothing was run."""
    return [_sum_arm(arm, [eval_trial for eval_trial in trials if eval_trial.arm == arm]) for arm in ARMS]


def _sum_arm(arm: str, own: Sequence[EvalTrial]) -> TrialSums:
    costs = [eval_trial.cost_usd for eval_trial in own if eval_trial.cost_usd is not None]
    return TrialSums(
        arm,
        trials=len(own),
        solved=sum(eval_trial.is_solved for eval_trial in own),
        false_claims=sum(eval_trial.is_false_claim for eval_trial in own),
        sent_back=sum(eval_trial.sent_back for eval_trial in own),
        cost_usd=round(sum(costs), 4) if costs else None,
        seconds=round(sum(eval_trial.seconds for eval_trial in own), 1),
    )


def find_remaining(max_cost: float, trials: Sequence[EvalTrial]) -> float:
    """US dollars that the next trial may spend; 0 or less when the budget is used up."""
    return max_cost - sum(eval_trial.cost_usd or 0.0 for eval_trial in trials)
