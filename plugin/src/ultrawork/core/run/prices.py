"""What agents cost: token prices of models, from data tables (a model in no table has no price), and what a session may
spend, reserved before an agent starts and settled when it ends."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import astuple, dataclass, replace
from typing import Any

from .. import check
from ..errors import UsageError
from ..times import parse_iso
from ..value import Value

SECTION = "prices"
KINDS = ("input", "output", "cache_read", "cache_write")
USAGE = ("input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
LONG, TOKENS = "long", "tokens"
_PROMPT = (0, 2, 3)  # of the kinds: what the model reads
_MOST = 100_000.0
_LEAST = 0.0001  # dollars by our table, below which rounding would decide
_MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class ModelPrice:
    """US dollars per million tokens, in the order of `KINDS`; `long` applies to prompts longer than `tokens` (0:
    always the same). `source` names the origin."""

    rates: tuple[float, ...]
    long: tuple[float, ...] = ()
    tokens: int = 0
    source: str = ""

    def price(self, counts: Sequence[float]) -> float:
        """Return the price of one answer with a known prompt."""
        is_long = bool(self.tokens) and sum(counts[place] for place in _PROMPT) > self.tokens
        return _sum(counts, self.long if is_long else self.rates)

    def compare(self, counts: Sequence[float], usd: float) -> float | None:
        """
        Compare a program's reported cost with ours; 1 if it is plausible, because the length of each prompt
        is unknown. None if there is too little to compare.
        """
        least, most = sorted(_sum(counts, rates) for rates in (self.rates, self.long or self.rates))
        if least < _LEAST or usd <= 0:
            return None
        return usd / least if usd < least else max(1.0, usd / most)

    def scale(self, ratio: float, source: str) -> "ModelPrice":
        rates, long = (tuple(round(rate * ratio, 6) for rate in row) for row in (self.rates, self.long))
        return replace(self, rates=rates, long=long, source=source)


PriceTable = Mapping[str, ModelPrice]  # by a part of the model's name


def _sum(counts: Sequence[float], rates: Sequence[float]) -> float:
    return sum(count * rate for count, rate in zip(counts, rates, strict=True)) / _MILLION


def parse_prices(table: Mapping[str, Any], source: str, shown: str = "") -> dict[str, ModelPrice]:
    """Parse `[prices]`; an error names the model and what is expected."""
    given = table.get(SECTION, {})
    if not isinstance(given, dict):
        raise UsageError(f"{source}: {SECTION} is not a section; write [{SECTION}]")
    prices = {name: _parse_price(name, rates, source) for name, rates in given.items()}
    return {name: replace(price, source=shown or source) for name, price in prices.items()}


def _parse_price(name: str, given: Any, source: str) -> ModelPrice:
    plain = {key: value for key, value in given.items() if key != LONG} if _is_table(given) else {}
    rates = _parse_rates(name, plain, KINDS, source)
    if LONG not in given:
        return ModelPrice(rates)
    *long, tokens = _parse_rates(f"{name}.{LONG}", given[LONG], (*KINDS, TOKENS), source)
    return ModelPrice(rates, tuple(long), int(tokens))


def _parse_rates(name: str, rates: Any, kinds: Sequence[str], source: str) -> tuple[float, ...]:
    whole = _is_table(rates) and sorted(rates) == sorted(kinds)
    if not whole or not all(_is_amount(rates[kind], kind) for kind in kinds):
        wanted = ", ".join(kinds)
        raise UsageError(f"{source}: the price of {check.quote(name)} needs {wanted}, in dollars")
    return tuple(float(rates[kind]) for kind in kinds)


def _is_table(value: object) -> bool:
    return isinstance(value, dict)


def _is_amount(value: object, kind: str) -> bool:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return number and 0 <= float(str(value)) < (_MILLION * 100 if kind == TOKENS else _MOST)


def find_model_price(prices: PriceTable, model: str) -> ModelPrice | None:
    """Return the price of the longest matching name."""
    fitting = [name for name in prices if name in model]
    return prices[max(fitting, key=len)] if fitting else None


def find_price(prices: PriceTable, model: str, usage: Mapping[str, Any]) -> float | None:
    """Return the cost of one answer, by the client's own token count."""
    model_price = find_model_price(prices, model)
    counts = [usage.get(key) for key in USAGE]
    plain = [count if isinstance(count, int | float) else 0 for count in counts]
    return model_price.price(plain) if model_price else None


def format_cost(usd: float, *, estimated: bool) -> str:
    return f"about ${usd:.2f}" if estimated else f"${usd:.2f}"


# More than any answer uses: a transcript is a file, and others can write into it.
_MOST_TOKENS = 10**9
_MOST_USD = 10**6
_LONGEST_NAME = 200


class MessageUsage(Value):
    """`counts` are tokens in the order of `prices.KINDS`. `agent` is empty for the one that the user talks to."""

    message: str
    at: float
    model: str
    counts: tuple[int, ...]
    agent: str = ""
    cost_usd: float | None = None

    @property
    def tokens(self) -> int:
        return sum(self.counts)


def count_tokens(value: object) -> int:
    """Return a count from a transcript; anything that cannot be one is 0."""
    if not isinstance(value, int) or isinstance(value, bool):
        return 0
    return value if 0 <= value <= _MOST_TOKENS else 0


def clip_name(value: object) -> str:
    """Return the name of a model or message from a transcript, of a bounded length."""
    return str(value or "")[:_LONGEST_NAME]


def read_cost(value: object) -> float | None:
    """Return a cost from a transcript; None for anything that cannot be one."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        return None
    return float(value) if 0 <= value <= _MOST_USD else None


def parse_moment(value: object) -> float | None:
    """Return the time of a line in a transcript, with its milliseconds: answers of two models follow each other fast."""
    text = str(value)
    seconds, fraction = parse_iso(text), text[19:23]
    if seconds is None or fraction[:1] != "." or not fraction[1:].isdecimal():
        return seconds
    return seconds + float(f"0{fraction}")


AGENTS = "agents"
DEPTH = "depth"
ALL_TOKENS = "tokens"
USD = "usd"
MINUTES = "minutes"


@dataclass(slots=True)
class Amount:
    """Agents, tokens, money, minutes, and how deep agents may start agents."""

    agents: int = 0
    depth: int = 0
    tokens: int = 0
    usd: float = 0.0
    minutes: float = 0.0

    @property
    def limited(self) -> bool:
        """Return whether it limits anything."""
        return any(astuple(self))


def find_refusal(limit: Amount, spent: Amount, wanted: Amount) -> str:
    """Why `wanted` does not fit any more, in a sentence; empty if it does. A limit of 0 is none."""
    for name, (shown, remedy) in _KINDS.items():
        most, gone, more = (getattr(amount, name) for amount in (limit, spent, wanted))
        if most and gone + more > most:
            return (
                f"the budget of {shown(most)} would be exceeded: {shown(gone)} spent or reserved, "
                f"{shown(more)} more wanted; {remedy}"
            )
    return ""


_KINDS: dict[str, tuple[Callable[[float], str], str]] = {
    AGENTS: (lambda count: f"{count:g} agents", "raise it or finish by hand"),
    DEPTH: (lambda count: f"{count:g} levels of agents", "an agent started this run"),
    ALL_TOKENS: (lambda count: f"{count:,.0f} tokens", "raise it to continue"),
    USD: (lambda sum_: f"{sum_:.2f} USD", "raise --budget-usd"),
    MINUTES: (lambda count: f"{count:g} min", "raise --deadline"),
}
