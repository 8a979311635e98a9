"""Store what clients report about the tokens and models of sessions that run inside them."""

from ..clients.find import get_client
from ..core.errors import UltraworkError
from ..core.run.prices import USAGE, MessageUsage, PriceTable, find_price
from ..store import agents
from ..store.agents import Transcript
from ..store.store import Store

# Seconds by which a client may write its last messages late.
_LATE = 10.0


def take_usage(store: Store, session: str) -> None:
    """Store what a session's transcript says so far; what cannot be read now is read another time."""
    try:
        transcript = agents.find_transcript(store.database, session)
        if transcript is not None:
            _take(store, transcript)
    except (UltraworkError, OSError):
        return


def take_all_usage(store: Store, since: float) -> None:
    """Do the same for every session that was on since a time and whose messages are not all stored."""
    try:
        for transcript in agents.list_transcripts(store.database, since):
            if transcript.ended_at is None or transcript.read_at <= transcript.ended_at + _LATE:
                _take(store, transcript)
    except (UltraworkError, OSError):
        return


def _take(store: Store, known: Transcript) -> None:
    since = max(known.started_at, known.read_at - _LATE)
    until = float("inf") if known.ended_at is None else known.ended_at + _LATE
    messages = [message for message in get_client(known.client).list_usage(known.path, since) if message.at <= until]
    prices = _read_prices(store) if messages else {}
    priced = [(message, *_price(prices, message)) for message in messages]
    with store.change(known.session) as change:
        agents.add(change, priced, store.now())


def _read_prices(store: Store) -> PriceTable:
    """Return the prices; none if the user's file has an error, which `ultrawork config prices` shows."""
    from ..content.models import list_prices

    try:
        return list_prices(store.home)
    except UltraworkError:
        return {}


def _price(prices: PriceTable, message: MessageUsage) -> tuple[float | None, bool]:
    """Return the client's own cost, else what its token counts cost by a known price, marked as an estimate."""
    if message.cost_usd is not None:
        return message.cost_usd, False
    counts = dict(zip(USAGE, message.counts, strict=True))
    cost = find_price(prices, message.model, counts) if message.model else None
    return cost, cost is not None
