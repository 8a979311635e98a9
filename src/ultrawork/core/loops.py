"""
Modes that loop over the one decision at a stop: what ralph and ultraqa add to its facts, and what they keep.

A round is what lies between two stops. The first begins with the mode, each refusal begins another, and
there are never more than the mode's limit; only a person begins it anew.
"""

from . import machines, modes, qa

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from .machines import Progress
    from .stop import Facts, Open

COUNTERS = {modes.RALPH: "iteration", modes.ULTRAQA: "cycle"}
AGAIN = {
    modes.RALPH: "more rounds: /ultrawork:ralph --max-iterations N and what to do",
    modes.ULTRAQA: "more cycles: /ultrawork:ultraqa and what to do",
}
_FAILURES = 3


class Seen:
    """
    What a loop saw at a stop. `mark` is all that counts as movement; `failure` is the normalised failure
    where the mode counts them; `left` is still to do, `closed` says in a PASS what is done beside the gates.
    """

    __slots__ = ("closed", "failure", "left", "mark")

    def __init__(
        self, mark: str, *, left: "Open | None" = None, failure: str = "", closed: str = ""
    ) -> None:
        self.mark = mark
        self.left = left
        self.failure = failure
        self.closed = closed


def mark(tree: str, verdict: str, stories: "Sequence[str]" = ()) -> str:
    """Files, verdict, stories that pass: if none of them moved since the last round, there is no progress."""
    return "|".join([tree, verdict, *sorted(stories)])


def meet(facts: "Facts", progress: "Progress") -> None:
    """Its own counts in place of those of a plain session; known before any gate has run."""
    counter = COUNTERS[progress.mode]
    facts.loop, facts.again = progress.mode, AGAIN[progress.mode]
    facts.refusals = max(0, progress.counts.get(counter, 0) - 1)
    facts.limit = max(0, progress.limits.get(counter, 0) - 1)


def weigh(facts: "Facts", progress: "Progress", seen: Seen) -> None:
    """What the gates have shown is known now."""
    facts.open = seen.left
    facts.row = _row(progress, seen)
    if seen.failure:
        times = qa.times(_failures(progress), seen.failure)
        facts.final = times + 1 >= qa.SAME
        if times >= qa.SAME:
            facts.over = f"the same failure came {times} times: {facts.because}"


def refused(progress: "Progress", seen: Seen | None, now: float) -> bool:
    """Another round begins; False if there was none left, which the decision does not let happen."""
    if seen is not None:
        failures = [*_failures(progress), seen.failure] if seen.failure else []
        told = {"row": _row(progress, seen) + 1, "mark": seen.mark}
        progress.facts.update({**told, "failures": failures[-_FAILURES:]})
    return machines.count(progress, COUNTERS[progress.mode], now)


def _row(progress: "Progress", seen: Seen) -> int:
    """How often it was sent back before while nothing moved."""
    kept = progress.facts
    return int(kept.get("row") or 0) if kept.get("mark") == seen.mark else 0


def _failures(progress: "Progress") -> list[str]:
    kept = progress.facts.get("failures")
    return [str(one) for one in kept] if isinstance(kept, list) else []
