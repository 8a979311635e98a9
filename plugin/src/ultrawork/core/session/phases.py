"""The life of a session: its phases, what may follow what, and what each step needs."""

from ..errors import Conflict, UsageError
from ..value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

PLANNING = "PLANNING"
PLANNING_COMPLETE = "PLANNING_COMPLETE"
EXECUTION = "EXECUTION"
VERIFICATION = "VERIFICATION"
DOCUMENTATION = "DOCUMENTATION"
COMPLETE = "COMPLETE"
FAILED = "FAILED"
CANCELLED = "CANCELLED"

_ENDINGS = (FAILED, CANCELLED)
NEXT: dict[str, tuple[str, ...]] = {
    PLANNING: (PLANNING_COMPLETE, EXECUTION, *_ENDINGS),
    PLANNING_COMPLETE: (PLANNING, EXECUTION, *_ENDINGS),
    EXECUTION: (VERIFICATION, *_ENDINGS),
    VERIFICATION: (EXECUTION, DOCUMENTATION, COMPLETE, *_ENDINGS),
    DOCUMENTATION: (EXECUTION, COMPLETE, *_ENDINGS),
    COMPLETE: (),
    FAILED: (EXECUTION,),
    CANCELLED: (),
}
ALL = tuple(NEXT)
TERMINAL = (COMPLETE, FAILED, CANCELLED)
_SPELLINGS = {"COMPLETED": COMPLETE, "CANCELED": CANCELLED}


class PhaseFacts(Value):
    """The facts that guards use."""

    approved: bool = False
    auto: bool = False
    passed: bool = False
    restart: bool = False
    unsettled: "Sequence[str]" = ()
    iteration: int = 1
    limit: int = 5


def parse(word: str) -> str:
    """A phase as people write it; 2 of the documents' spellings are taken too."""
    from ..check import quote

    upper = word.strip().upper()
    phase = _SPELLINGS.get(upper, upper)
    if phase not in NEXT:
        raise UsageError(f"{quote(word)} is not a phase; known: {', '.join(ALL)}")
    return phase


def find_missing(now: str, target: str, facts: PhaseFacts) -> str | None:
    """Return what a session still lacks for a phase that the table allows; None if nothing."""
    if target == EXECUTION:
        return _missing_for_execution(now, facts)
    if target == VERIFICATION and facts.unsettled:
        return f"tasks are not settled: {', '.join(facts.unsettled[:5])}"
    if target == COMPLETE and not facts.passed:
        return "it needs a PASS verdict for the files as they are; run ultrawork verify"
    return None


def _missing_for_execution(now: str, facts: PhaseFacts) -> str | None:
    if now in (PLANNING, PLANNING_COMPLETE) and not (facts.approved or facts.auto):
        return "the plan is not approved; approve it with --plan-approved, or start with --auto"
    if now == FAILED and not facts.restart:
        return "a failed session continues only with --restart"
    if now == VERIFICATION and facts.iteration >= facts.limit:
        return f"all {facts.limit} iterations are used up"
    return None


def move(now: str, target: str, facts: PhaseFacts) -> str:
    """Return the phase after a legal transition; an error says which are legal and what is missing."""
    if now == target:
        return now
    if target not in NEXT[now]:
        legal = ", ".join(NEXT[now]) or "none, it has ended"
        raise Conflict(f"{now} cannot become {target}; legal from here: {legal}")
    lack = find_missing(now, target, facts)
    if lack:
        raise Conflict(f"{now} cannot become {target} yet: {lack}")
    return target
