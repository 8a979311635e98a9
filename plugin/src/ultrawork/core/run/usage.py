"""What a client reports of one message of a model: which model, how many tokens, and its cost if it says so."""

from ..times import parse_iso
from ..value import Value


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
    """Return a count from a transcript; anything that is no count is 0."""
    if not isinstance(value, int) or isinstance(value, bool):
        return 0
    return max(0, value)


def parse_moment(value: object) -> float | None:
    """Return the time of a line in a transcript, with its milliseconds: answers of two models follow each other fast."""
    text = str(value)
    seconds, fraction = parse_iso(text), text[19:23]
    if seconds is None or fraction[:1] != "." or not fraction[1:].isdecimal():
        return seconds
    return seconds + float(f"0{fraction}")
