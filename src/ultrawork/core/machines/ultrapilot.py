"""ultrapilot: many workers at once, each with files of its own; what they share is the coordinator's."""

from ..modes import ULTRAPILOT
from . import guards
from .machine import COMPLETE, FAILED, FULL, Machine

PARTITION, EXECUTION, INTEGRATION, VALIDATION = (
    "partition",
    "execution",
    "integration",
    "validation",
)
WORKER_PATIENCE = 300.0

MACHINE = Machine(
    ULTRAPILOT,
    base=FULL,
    begins=PARTITION,
    moves={
        PARTITION: (EXECUTION, FAILED),
        EXECUTION: (INTEGRATION, FAILED),
        INTEGRATION: (EXECUTION, VALIDATION, FAILED),
        VALIDATION: (EXECUTION, COMPLETE, FAILED),
        COMPLETE: (),
        FAILED: (),
    },
    limits={"iteration": 3},
    entering={EXECUTION: "iteration"},
    guards={
        (PARTITION, EXECUTION): guards.has("tasks_total"),
        (EXECUTION, INTEGRATION): guards.tasks_done,
        (VALIDATION, COMPLETE): guards.proved,
    },
    works=(EXECUTION,),
)
