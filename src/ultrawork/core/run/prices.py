"""What tokens of a model cost, by tables that come as data; what no table knows has no price."""

from .. import check
from ..errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    # US dollars for a million tokens in the order of `KINDS`, by a part of the model's name.
    PriceTable = Mapping[str, tuple[float, ...]]

SECTION = "prices"
KINDS = ("input", "output", "cache_read", "cache_write")
USAGE = ("input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
_MOST = 100_000.0
_LEAST = 0.0001  # dollars by our table, below which rounding would decide


def parse_prices(table: "Mapping[str, Any]", source: str) -> dict[str, tuple[float, ...]]:
    """Of `[prices]`; a slip is one sentence that names the model and what is expected of it."""
    given = table.get(SECTION, {})
    if not isinstance(given, dict):
        raise UsageError(f"{source}: {SECTION} is not a section; write [{SECTION}]")
    return {name: _parse_rates(name, rates, source) for name, rates in given.items()}


def _parse_rates(name: str, rates: "Any", source: str) -> tuple[float, ...]:
    wanted = ", ".join(KINDS)
    whole = isinstance(rates, dict) and sorted(rates) == sorted(KINDS)
    if not whole or not all(_is_amount(rates[kind]) for kind in KINDS):
        raise UsageError(f"{source}: the price of {check.quote(name)} needs {wanted}, in dollars")
    return tuple(float(rates[kind]) for kind in KINDS)


def _is_amount(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < _MOST


def find_rates(prices: "PriceTable", model: str) -> "tuple[float, ...] | None":
    """The longest name that fits is meant."""
    fitting = [name for name in prices if name in model]
    return prices[max(fitting, key=len)] if fitting else None


def find_ratio(
    prices: "PriceTable", model: str, counts: "tuple[int, ...]", usd: float
) -> float | None:
    """What a program says that its tokens cost, beside our table; None where there is too little to compare."""
    rates = find_rates(prices, model)
    ours = sum(count * rate for count, rate in zip(counts, rates or (), strict=False)) / 1_000_000
    return usd / ours if ours >= _LEAST and usd > 0 else None


def find_price(prices: "PriceTable", model: str, usage: "Mapping[str, Any]") -> float | None:
    """What one answer cost, by the client's own count of tokens; the longest name that fits is meant."""
    rates = find_rates(prices, model)
    if rates is None:
        return None
    counts = (usage.get(key) for key in USAGE)
    paid = (
        count * rate
        for count, rate in zip(counts, rates, strict=True)
        if isinstance(count, int | float)
    )
    return sum(paid) / 1_000_000
