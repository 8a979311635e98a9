"""
When a worker that shows no sign of life is asked about, and when its task goes to another.

Workers of a team have seats: who sits in one works on a task, and a seat that came to nothing twice stays
empty. So a team that fails over and over ends by itself, whatever the number of its rounds.
"""

from collections.abc import Mapping
from typing import Any

from . import modes, tables

Seats = dict[str, dict[str, Any]]

ASK, REPLACE = "ask", "replace"
# Seconds of silence after which the coordinator looks, and after which another worker takes over.
PATIENCE = {
    modes.TEAM: (tables.LOOK_AFTER, tables.REASSIGN_AFTER),
    modes.ULTRAPILOT: (tables.WORKER_PATIENCE, 2 * tables.WORKER_PATIENCE),
}
# A command of its own keeps a worker silent: so long may one take before its silence counts.
COMMAND = 600.0


def judge_silence(mode: str, quiet: float, *, commanding: bool) -> str:
    if mode not in PATIENCE:
        return ""
    silence = quiet - (COMMAND if commanding else 0.0)
    look, replace = PATIENCE[mode]
    if silence >= replace:
        return REPLACE
    return ASK if silence >= look else ""


KEY = "seats"
FAILURES = 2


def read_seats(facts: Mapping[str, Any]) -> Seats:
    found = facts.get(KEY)
    return {name: dict(seat) for name, seat in found.items()} if isinstance(found, dict) else {}


def take_seat(seats: Seats, call: str, most: int) -> Seats:
    """The first free seat that may still have a task."""
    for number in range(1, most + 1):
        seat = seats.setdefault(f"worker-{number}", {"call": "", "failures": 0})
        if not seat["call"] and seat["failures"] < FAILURES:
            seat["call"] = call
            break
    return seats


def leave_seat(seats: Seats, call: str, *, failed: bool) -> Seats:
    for seat in seats.values():
        if seat["call"] == call:
            seat["call"] = ""
            seat["failures"] += failed
    return seats


def count_retired(facts: Mapping[str, Any]) -> int:
    """How many seats get no task any more."""
    return sum(seat["failures"] >= FAILURES for seat in read_seats(facts).values())
