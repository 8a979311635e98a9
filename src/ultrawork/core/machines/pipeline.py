"""pipeline: agents one after another and side by side, as the person chained them."""

from ..modes import PIPELINE
from . import guards
from .machine import COMPLETE, FAILED, FULL, WORKING, Machine

MACHINE = Machine(
    PIPELINE,
    base=FULL,
    begins=WORKING,
    moves={WORKING: (COMPLETE, FAILED), COMPLETE: (), FAILED: ()},
    limits={"retry": 3},
    guards={(WORKING, COMPLETE): guards.proved},
)
