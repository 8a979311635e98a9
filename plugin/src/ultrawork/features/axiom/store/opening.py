"""Open a checkout's ledger; separate from the ledger itself, which views load below the store."""

from ....core.session.session import CHECKOUT, Session
from ....store import checkouts, sessions
from ....store.store import Store
from .ledger import MARK, VIEW, name_ledger


def open_ledger(store: "Store", place: str) -> str:
    """Return the name of the checkout's ledger, created if needed."""
    top, name = checkouts.find_owner(place), name_ledger(place)
    if store.database.row("SELECT 1 FROM sessions WHERE id=?", name) is None:
        fresh = Session(
            id=name,
            goal=f"Axiom's memory of {top.rpartition('/')[2]}",
            working_dir=top,
            kind=CHECKOUT,
            started_at=store.now(),
        )
        with store.change(name) as change:
            # Searched inside the transaction, because two may start at once.
            if change.database.row("SELECT 1 FROM sessions WHERE id=?", name) is None:
                sessions.create(change, fresh)
                change.touch(VIEW)
    checkouts.say(store.home, top, MARK)
    return name
