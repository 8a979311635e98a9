"""The eight modes as tables: phases and legal transitions, limits, guards, and which phase uses up which limit.

A guard returns a sentence that says what a transition still needs; empty if nothing is missing.

    autopilot    from an idea to reviewed, checked work, without a user in between
    ultrapilot   parallel workers, each with its own files; the coordinator edits shared files
    team         agents in stages, from the plan to the last fix; a canceled team can be resumed
    pipeline     agents in sequence and in parallel, as the user chained them
    ralph        repeats until verified; each refused stop is one iteration
    ultrawork    plain `ulw`; its limits are those of the stop decision
    ultraqa      tests and fixes until a goal is met, the same failure occurs three times, or five cycles are over
    swarm        several sessions that claim tasks from one list
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ..errors import Conflict
from ..value import Value, fresh
from . import machine, modes
from .machine import (
    CANCELLED,
    COMPLETE,
    ENDED,
    FAILED,
    FULL,
    INTERRUPTED,
    LIGHT,
    RESUMABLE,
    RUNNING,
    STALE,
    SWARM,
    WORKING,
    Machine,
    ModeProgress,
    count_left,
    spend,
)
from .modes import AUTOPILOT, PIPELINE, RALPH, TEAM, ULTRAPILOT, ULTRAQA, ULTRAWORK

__all__ = [
    "CANCELLED", "COMPLETE", "ENDED", "FAILED", "FULL", "INTERRUPTED", "LIGHT", "RESUMABLE", "RUNNING", "STALE", "SWARM",
    "Machine", "ModeProgress", "begin", "count_left", "find", "find_resume_state", "move", "spend", "take_up",
]  # fmt: skip


APPROVED = "APPROVED"
VERDICTS = ("functional", "security", "quality")


def require_proof(progress: ModeProgress) -> str:
    """Require a PASS verdict from the checks. An agent's claim does not count."""
    if progress.facts.get("proved") is True:
        return ""
    return "it needs a PASS verdict for the current files (ultrawork verify)"


def require_any(*keys: str) -> Callable[[ModeProgress], str]:
    """Return a guard that requires one of these facts."""

    def guard(progress: ModeProgress) -> str:
        there = any(progress.facts.get(key) for key in keys)
        return "" if there else f"{' or '.join(keys)} is missing"

    return guard


def is_count(value: object) -> bool:
    """Return whether this is a whole number from 0 on. Booleans do not count, although Python treats them as ints."""
    return type(value) is int and value >= 0


def require_tasks_done(progress: ModeProgress) -> str:
    total, done = progress.facts.get("tasks_total"), progress.facts.get("tasks_completed")
    if not is_count(total) or not is_count(done) or not total:
        return "it has no tasks yet, or tasks_total and tasks_completed are not whole numbers"
    return "" if done >= total else f"{done} of {total} tasks are done"


def require_approval(progress: ModeProgress) -> str:
    """Require approval by three kinds of reviewers, then a PASS from the checks."""
    given = progress.facts.get("verdicts")
    verdicts = given if isinstance(given, dict) else {}
    lacking = [kind for kind in VERDICTS if verdicts.get(kind) != APPROVED]
    if lacking:
        return f"not approved yet: {', '.join(lacking)}"
    return require_proof(progress)


AUTOPILOT_EXPANSION, AUTOPILOT_PLANNING, AUTOPILOT_EXECUTION, AUTOPILOT_QA, AUTOPILOT_VALIDATION = (
    "expansion", "planning", "execution", "qa", "validation",
)  # fmt: skip

AUTOPILOT_MACHINE = Machine(
    AUTOPILOT,
    base=FULL,
    begins=AUTOPILOT_EXPANSION,
    moves={
        AUTOPILOT_EXPANSION: (AUTOPILOT_PLANNING, FAILED),
        AUTOPILOT_PLANNING: (AUTOPILOT_EXECUTION, FAILED),
        AUTOPILOT_EXECUTION: (AUTOPILOT_QA, FAILED),
        AUTOPILOT_QA: (AUTOPILOT_EXECUTION, AUTOPILOT_VALIDATION, FAILED),
        AUTOPILOT_VALIDATION: (AUTOPILOT_EXECUTION, COMPLETE, FAILED),
        COMPLETE: (),
        FAILED: (),
    },
    limits={"iteration": 10, "expansion": 2, "architect": 5, "qa": 5, "validation": 3},
    entering={AUTOPILOT_EXPANSION: "iteration", AUTOPILOT_QA: "qa", AUTOPILOT_VALIDATION: "validation"},
    guards={
        (AUTOPILOT_EXPANSION, AUTOPILOT_PLANNING): require_any("spec_path"),
        (AUTOPILOT_PLANNING, AUTOPILOT_EXECUTION): require_any("plan_path"),
        (AUTOPILOT_EXECUTION, AUTOPILOT_QA): require_tasks_done,
        (AUTOPILOT_QA, AUTOPILOT_VALIDATION): require_proof,
        (AUTOPILOT_VALIDATION, COMPLETE): require_approval,
    },
    works=(AUTOPILOT_EXECUTION,),
)


ULTRAPILOT_PARTITION, ULTRAPILOT_EXECUTION, ULTRAPILOT_INTEGRATION, ULTRAPILOT_VALIDATION = (
    "partition",
    "execution",
    "integration",
    "validation",
)
WORKER_PATIENCE = 300.0

ULTRAPILOT_MACHINE = Machine(
    ULTRAPILOT,
    base=FULL,
    begins=ULTRAPILOT_PARTITION,
    moves={
        ULTRAPILOT_PARTITION: (ULTRAPILOT_EXECUTION, FAILED),
        ULTRAPILOT_EXECUTION: (ULTRAPILOT_INTEGRATION, FAILED),
        ULTRAPILOT_INTEGRATION: (ULTRAPILOT_EXECUTION, ULTRAPILOT_VALIDATION, FAILED),
        ULTRAPILOT_VALIDATION: (ULTRAPILOT_EXECUTION, COMPLETE, FAILED),
        COMPLETE: (),
        FAILED: (),
    },
    limits={"iteration": 3},
    entering={ULTRAPILOT_EXECUTION: "iteration"},
    guards={
        (ULTRAPILOT_PARTITION, ULTRAPILOT_EXECUTION): require_any("tasks_total"),
        (ULTRAPILOT_EXECUTION, ULTRAPILOT_INTEGRATION): require_tasks_done,
        (ULTRAPILOT_VALIDATION, COMPLETE): require_proof,
    },
    works=(ULTRAPILOT_EXECUTION,),
)


TEAM_PLAN, TEAM_PRD, TEAM_EXEC, TEAM_VERIFY, TEAM_FIX = (
    "team-plan",
    "team-prd",
    "team-exec",
    "team-verify",
    "team-fix",
)
# Check on a silent worker after the first time; give its task to another after the second.
LOOK_AFTER, REASSIGN_AFTER = 300.0, 600.0
_ENDINGS = (FAILED, CANCELLED)


def _require_preserved(progress: ModeProgress) -> str:
    kept = progress.facts.get("preserve_for_resume") is True
    return "" if kept else "it was cancelled without keeping it for later"


def _kept_with_plan(progress: ModeProgress) -> str:
    return _require_preserved(progress) or _planned(progress)


_planned = require_any("plan_path", "prd_path")

TEAM_MACHINE = Machine(
    TEAM,
    base=FULL,
    begins=TEAM_PLAN,
    moves={
        TEAM_PLAN: (TEAM_PRD, *_ENDINGS),
        TEAM_PRD: (TEAM_EXEC, *_ENDINGS),
        TEAM_EXEC: (TEAM_VERIFY, *_ENDINGS),
        TEAM_VERIFY: (TEAM_FIX, COMPLETE, *_ENDINGS),
        TEAM_FIX: (TEAM_EXEC, TEAM_VERIFY, COMPLETE, *_ENDINGS),
        COMPLETE: (),
        FAILED: (),
        CANCELLED: (TEAM_PLAN, TEAM_EXEC),
    },
    limits={"iteration": 25, "fix": 3},
    entering={TEAM_PLAN: "iteration", TEAM_FIX: "fix"},
    guards={
        (TEAM_PRD, TEAM_EXEC): _planned,
        (TEAM_FIX, TEAM_EXEC): _planned,
        (TEAM_EXEC, TEAM_VERIFY): require_tasks_done,
        (TEAM_FIX, TEAM_VERIFY): require_tasks_done,
        (TEAM_VERIFY, COMPLETE): require_proof,
        (TEAM_FIX, COMPLETE): require_proof,
        (CANCELLED, TEAM_PLAN): _require_preserved,
        (CANCELLED, TEAM_EXEC): _kept_with_plan,
    },
    works=(TEAM_EXEC, TEAM_FIX),
)


class Loop(Value):
    """A mode that works until it is proved or given up. `base` is the kind of session below it, `limits` what it may
    use up, `counter` the limit that each round draws on, `most` the highest number of rounds a user may request, and
    `again` how to request them."""

    base: str
    limits: dict[str, int] = fresh(dict)
    counter: str = ""
    most: int = 0
    again: str = ""


# fmt: off
LOOPS = {
    PIPELINE: Loop(FULL, {"retry": 3}),
    RALPH: Loop(LIGHT, {"iteration": 10}, "iteration", 100,
                "for more rounds: /ultrawork:ralph --max-iterations N <task>"),
    ULTRAWORK: Loop(LIGHT),
    ULTRAQA: Loop(LIGHT, {"cycle": 5}, "cycle", 5, "for more cycles: /ultrawork:ultraqa <task>"),
    SWARM: Loop(SWARM),
}
# fmt: on


def _make_machine(mode: str, loop: Loop) -> Machine:
    return Machine(
        mode,
        base=loop.base,
        begins=WORKING,
        moves={WORKING: (COMPLETE, FAILED), COMPLETE: (), FAILED: ()},
        limits=loop.limits,
        entering={WORKING: loop.counter} if loop.counter else {},
        guards={(WORKING, COMPLETE): require_proof},
    )


MACHINES = {
    **{mode_machine.mode: mode_machine for mode_machine in (AUTOPILOT_MACHINE, ULTRAPILOT_MACHINE, TEAM_MACHINE)},
    **{mode: _make_machine(mode, loop) for mode, loop in LOOPS.items()},
}


def find(mode: str) -> Machine:
    return MACHINES[modes.parse(mode)]


def begin(
    mode: str,
    now: float,
    *,
    facts: Mapping[str, Any] | None = None,
    linked: Iterable[str] = (),
    limits: Mapping[str, int] | None = None,
) -> ModeProgress:
    return machine.begin(find(mode), now, facts=facts, linked=linked, limits=limits)


def move(progress: ModeProgress, target: str, now: float) -> ModeProgress:
    return machine.move(find(progress.mode), progress, target, now)


def find_resume_state(progress: ModeProgress, now: float, *, active: bool) -> str:
    return machine.find_resume_state(find(progress.mode), progress, now, active=active)


def take_up(progress: ModeProgress, now: float) -> ModeProgress:
    return machine.take_up(find(progress.mode), progress, now)


REJECTED, NEEDS_FIX = "REJECTED", "NEEDS_FIX"
REVIEW_WORDS = (APPROVED, REJECTED, NEEDS_FIX)


def record_review(progress: ModeProgress, kind: str, verdict: str, issues: Iterable[str] = (), *, now: float) -> None:
    from ..check import require_choice

    if progress.phase != AUTOPILOT_VALIDATION:
        raise Conflict(f"a review counts only in validation; {progress.mode} is in {progress.phase}")
    kind, verdict = (
        require_choice(kind, VERDICTS, "review"),
        require_choice(verdict, REVIEW_WORDS, "verdict of a review"),
    )
    progress.facts["verdicts"] = {**list_reviews(progress), kind: verdict}
    progress.facts["issues"] = {**_issues(progress), kind: list(issues)}
    progress.updated_at = now


def list_reviews(progress: ModeProgress) -> dict[str, str]:
    verdicts = progress.facts.get("verdicts")
    return dict(verdicts) if isinstance(verdicts, dict) else {}


def is_approved(progress: ModeProgress) -> bool:
    return all(list_reviews(progress).get(kind) == APPROVED for kind in VERDICTS)


def _issues(progress: ModeProgress) -> dict[str, list[str]]:
    issues = progress.facts.get("issues")
    return dict(issues) if isinstance(issues, dict) else {}
