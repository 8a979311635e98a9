"""What a session may spend: reserved before an agent starts, settled when it ends."""

from collections.abc import Callable
from dataclasses import astuple, dataclass

AGENTS = "agents"
DEPTH = "depth"
TOKENS = "tokens"
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
    TOKENS: (lambda count: f"{count:,.0f} tokens", "raise it to continue"),
    USD: (lambda sum_: f"{sum_:.2f} USD", "raise --budget-usd"),
    MINUTES: (lambda count: f"{count:g} min", "raise --deadline"),
}
