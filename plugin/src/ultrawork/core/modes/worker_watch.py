"""When a silent worker is checked on, and when its task goes to another.

Workers of a team have seats. A worker in a seat has a task, and a seat that failed twice stays empty, so a team that
keeps failing ends by itself."""

from collections.abc import Mapping
from typing import Any

from . import modes, tables

Seats = dict[str, dict[str, Any]]

ASK, REPLACE = "ask", "replace"
# Seconds of silence until the coordinator checks, and until another worker takes over.
PATIENCE = {
    modes.TEAM: (tables.LOOK_AFTER, tables.REASSIGN_AFTER),
    modes.ULTRAPILOT: (tables.WORKER_PATIENCE, 2 * tables.WORKER_PATIENCE),
}
# A worker is silent while its command runs: how long that may take before the silence counts.
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
    fact = facts.get(KEY)
    return {name: dict(seat) for name, seat in fact.items()} if isinstance(fact, dict) else {}


def take_seat(seats: Seats, call: str, most: int) -> Seats:
    """Assign the first free seat that may still have a task."""
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
