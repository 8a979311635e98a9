"""autopilot: from an idea to reviewed, checked work, without a person in between."""

from ..modes import AUTOPILOT
from . import guards
from .machine import COMPLETE, FAILED, FULL, Machine

EXPANSION, PLANNING, EXECUTION, QA, VALIDATION = (
    "expansion", "planning", "execution", "qa", "validation",
)  # fmt: skip

MACHINE = Machine(
    AUTOPILOT,
    base=FULL,
    begins=EXPANSION,
    moves={
        EXPANSION: (PLANNING, FAILED),
        PLANNING: (EXECUTION, FAILED),
        EXECUTION: (QA, FAILED),
        QA: (EXECUTION, VALIDATION, FAILED),
        VALIDATION: (EXECUTION, COMPLETE, FAILED),
        COMPLETE: (),
        FAILED: (),
    },
    limits={"iteration": 10, "expansion": 2, "architect": 5, "qa": 5, "validation": 3},
    entering={EXPANSION: "iteration", QA: "qa", VALIDATION: "validation"},
    guards={
        (EXPANSION, PLANNING): guards.has("spec_path"),
        (PLANNING, EXECUTION): guards.has("plan_path"),
        (EXECUTION, QA): guards.tasks_done,
        (QA, VALIDATION): guards.proved,
        (VALIDATION, COMPLETE): guards.approved,
    },
    works=(EXECUTION,),
)
