"""
The seats of a team: who sits in one works on a task, and a seat that came to nothing twice stays empty.

So a team that fails over and over ends by itself, whatever the number of its rounds.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    Seats = dict[str, dict[str, Any]]

KEY = "seats"
FAILURES = 2


def of(facts: "Mapping[str, Any]") -> "Seats":
    found = facts.get(KEY)
    return {name: dict(seat) for name, seat in found.items()} if isinstance(found, dict) else {}


def taken(seats: "Seats", call: str, most: int) -> "Seats":
    """The first free seat that may still have a task."""
    for number in range(1, most + 1):
        seat = seats.setdefault(f"worker-{number}", {"call": "", "failures": 0})
        if not seat["call"] and seat["failures"] < FAILURES:
            seat["call"] = call
            break
    return seats


def left(seats: "Seats", call: str, *, failed: bool) -> "Seats":
    for seat in seats.values():
        if seat["call"] == call:
            seat["call"] = ""
            seat["failures"] += failed
    return seats


def retired(facts: "Mapping[str, Any]") -> int:
    """How many seats get no task any more."""
    return sum(seat["failures"] >= FAILURES for seat in of(facts).values())
