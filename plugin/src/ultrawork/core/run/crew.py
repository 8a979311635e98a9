"""A crew of several agent programs: who has how many seats, and who takes the next piece of work."""

from collections.abc import Collection, Mapping

from ..check import find_nearest, parse_number, quote
from ..errors import UsageError
from ..value import Value

MOST_SEATS = 100


class CrewChoice(Value):
    """A choice. `instead_of` is the member that would have done it but must wait; empty otherwise."""

    name: str
    instead_of: str = ""


def parse_crew(text: str, known: Collection[str]) -> dict[str, int]:
    """Parse `NAME:2,OTHER:1` into seats by name, in order; a name alone has one seat."""
    seats: dict[str, int] = {}
    for part in text.split(","):
        name, _, number = (piece.strip() for piece in part.partition(":"))
        if name not in known:
            near = find_nearest(name, known)
            hint = f"did you mean {near}?" if near else f"known: {', '.join(known)}"
            raise UsageError(f"--workers names {quote(name)}, which is not a backend; {hint}")
        if name in seats:
            raise UsageError(f"--workers names {name} twice; give each program once")
        seats[name] = parse_number(number or "1", f"number of {name} workers", 1, MOST_SEATS)
    return seats


def choose_member(
    seats: Mapping[str, int], at_work: Mapping[str, int], blocked: Mapping[str, float], now: float
) -> CrewChoice:
    """Return the first member with a free seat. Others take the seats of one that must wait; if all must, the one
    whose wait ends first."""
    waiting = [name for name in seats if blocked.get(name, 0.0) > now]
    able = [name for name in seats if name not in waiting]
    free = [name for name in able if at_work.get(name, 0) < seats[name]]
    if able:
        least = min(able, key=lambda name: at_work.get(name, 0) - seats[name])
        chosen = free[0] if free else least
        order = list(seats)
        before = [name for name in waiting if not free or order.index(name) < order.index(chosen)]
        return CrewChoice(chosen, before[0] if before else "")
    return CrewChoice(min(waiting, key=lambda name: blocked[name]))
