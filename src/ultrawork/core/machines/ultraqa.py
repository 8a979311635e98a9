"""ultraqa: test and fix until one goal is met, the same failure comes three times, or five cycles are over."""

from ..modes import ULTRAQA
from . import guards
from .machine import COMPLETE, FAILED, LIGHT, WORKING, Machine

MACHINE = Machine(
    ULTRAQA,
    base=LIGHT,
    begins=WORKING,
    moves={WORKING: (COMPLETE, FAILED), COMPLETE: (), FAILED: ()},
    limits={"cycle": 5},
    entering={WORKING: "cycle"},
    guards={(WORKING, COMPLETE): guards.proved},
)
