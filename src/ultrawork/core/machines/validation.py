"""The reviewers' verdicts at the end of autopilot: one of each kind, and the last word of each counts."""

from ..errors import Conflict
from . import autopilot
from .guards import APPROVED, VERDICTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from .machine import Progress

REJECTED, NEEDS_FIX = "REJECTED", "NEEDS_FIX"
WORDS = (APPROVED, REJECTED, NEEDS_FIX)


def record(
    progress: "Progress", kind: str, verdict: str, issues: "Iterable[str]" = (), *, now: float
) -> None:
    from ..check import choice

    if progress.phase != autopilot.VALIDATION:
        raise Conflict(
            f"a review counts only in validation; {progress.mode} is in {progress.phase}"
        )
    kind, verdict = choice(kind, VERDICTS, "review"), choice(verdict, WORDS, "verdict of a review")
    progress.facts["verdicts"] = {**given(progress), kind: verdict}
    progress.facts["issues"] = {**_issues(progress), kind: list(issues)}
    progress.updated_at = now


def given(progress: "Progress") -> dict[str, str]:
    found = progress.facts.get("verdicts")
    return dict(found) if isinstance(found, dict) else {}


def approved(progress: "Progress") -> bool:
    return all(given(progress).get(kind) == APPROVED for kind in VERDICTS)


def _issues(progress: "Progress") -> dict[str, list[str]]:
    found = progress.facts.get("issues")
    return dict(found) if isinstance(found, dict) else {}
