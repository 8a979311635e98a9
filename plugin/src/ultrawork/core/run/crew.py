"""A crew of several agent programs: who has how many seats, who takes the next piece of work, and from which account."""

from collections.abc import Collection, Iterable, Mapping, Sequence

from ..check import find_nearest, parse_number, quote
from ..errors import UsageError
from ..value import Value

ANY = ""
_MARK = "@"
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


class AccountSeat(Value):
    """An account. `slots` are the places of its machines together; `wait` the seconds before it may be used."""

    name: str
    slots: int
    at_work: int = 0
    wait: float = 0.0

    def is_open(self, most: int) -> bool:
        return not self.wait and not (most and self.at_work >= most)


def choose_account(seats: Sequence[AccountSeat], *, most: int, counted: bool) -> str | None:
    """
    Return the available account with the most capacity, or None. If nothing is `counted` and no account waits,
    return ANY: the first free machine takes the work.
    """
    ready = [seat for seat in seats if seat.is_open(most)]
    if not ready:
        return None
    if not counted and len(ready) == len(seats):
        return ANY
    return min(ready, key=lambda seat: (seat.at_work / max(1, seat.slots), seat.name)).name


def name_provider(backend: str, account: str) -> str:
    """Return the key of its limits."""
    return f"{backend}{_MARK}{account}" if account else backend


def split_provider(name: str) -> tuple[str, str]:
    backend, _, account = name.partition(_MARK)
    return backend, account


def find_wait_end(backend: str, accounts: Iterable[str], blocked: Mapping[str, float]) -> float:
    """Return until when this program cannot be used; with known accounts, until the first of them can."""
    known = [blocked.get(name_provider(backend, account), 0.0) for account in accounts]
    return min(known) if known else blocked.get(backend, 0.0)
