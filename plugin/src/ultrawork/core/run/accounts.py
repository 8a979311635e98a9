"""Which account pays for an agent if machines have several. Each has its own limits, and one that must wait does not
block the others."""

from collections.abc import Iterable, Mapping, Sequence

from ..value import Value

ANY = ""
_MARK = "@"


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
