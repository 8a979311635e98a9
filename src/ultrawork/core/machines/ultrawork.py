"""ultrawork: the plain `ulw`; its limits are those of the decision at a stop."""

from ..modes import ULTRAWORK
from . import guards
from .machine import COMPLETE, FAILED, LIGHT, WORKING, Machine

MACHINE = Machine(
    ULTRAWORK,
    base=LIGHT,
    begins=WORKING,
    moves={WORKING: (COMPLETE, FAILED), COMPLETE: (), FAILED: ()},
    limits={},
    guards={(WORKING, COMPLETE): guards.proved},
)
