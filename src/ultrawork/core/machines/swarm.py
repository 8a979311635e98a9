"""swarm: several sessions that claim from one list of tasks."""

from . import guards
from .machine import COMPLETE, FAILED, SWARM, WORKING, Machine

MACHINE = Machine(
    SWARM,
    base=SWARM,
    begins=WORKING,
    moves={WORKING: (COMPLETE, FAILED), COMPLETE: (), FAILED: ()},
    limits={},
    guards={(WORKING, COMPLETE): guards.proved},
)
