"""team: agents in stages, from the plan to the last fix; what was cancelled may be taken up again."""

from ..modes import TEAM
from . import guards
from .machine import CANCELLED, COMPLETE, FAILED, FULL, Machine, Progress

PLAN, PRD, EXEC, VERIFY, FIX = "team-plan", "team-prd", "team-exec", "team-verify", "team-fix"
# A worker that says nothing is looked after, then its task goes to another.
LOOK_AFTER, REASSIGN_AFTER = 300.0, 600.0
_ENDINGS = (FAILED, CANCELLED)


def _kept(progress: Progress) -> str:
    kept = progress.facts.get("preserve_for_resume") is True
    return "" if kept else "it was cancelled without keeping it for later"


def _kept_with_plan(progress: Progress) -> str:
    return _kept(progress) or _planned(progress)


_planned = guards.has("plan_path", "prd_path")

MACHINE = Machine(
    TEAM,
    base=FULL,
    begins=PLAN,
    moves={
        PLAN: (PRD, *_ENDINGS),
        PRD: (EXEC, *_ENDINGS),
        EXEC: (VERIFY, *_ENDINGS),
        VERIFY: (FIX, COMPLETE, *_ENDINGS),
        FIX: (EXEC, VERIFY, COMPLETE, *_ENDINGS),
        COMPLETE: (),
        FAILED: (),
        CANCELLED: (PLAN, EXEC),
    },
    limits={"iteration": 25, "fix": 3},
    entering={PLAN: "iteration", FIX: "fix"},
    guards={
        (PRD, EXEC): _planned,
        (FIX, EXEC): _planned,
        (EXEC, VERIFY): guards.tasks_done,
        (FIX, VERIFY): guards.tasks_done,
        (VERIFY, COMPLETE): guards.proved,
        (FIX, COMPLETE): guards.proved,
        (CANCELLED, PLAN): _kept,
        (CANCELLED, EXEC): _kept_with_plan,
    },
    works=(EXEC, FIX),
)
