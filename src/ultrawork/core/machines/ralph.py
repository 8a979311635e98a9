"""ralph: again and again until it is verified; a stop that is refused is one iteration."""

from ..modes import RALPH
from . import guards
from .machine import COMPLETE, FAILED, LIGHT, WORKING, Machine

MACHINE = Machine(
    RALPH,
    base=LIGHT,
    begins=WORKING,
    moves={WORKING: (COMPLETE, FAILED), COMPLETE: (), FAILED: ()},
    limits={"iteration": 10},
    entering={WORKING: "iteration"},
    guards={(WORKING, COMPLETE): guards.proved},
)
