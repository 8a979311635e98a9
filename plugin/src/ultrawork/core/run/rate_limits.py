"""How often a provider may be called: a bucket of starts that fills over time.

Also provider limits: when a message says they end, and how long to wait if it does not."""

import re
from dataclasses import dataclass


@dataclass(slots=True)
class Rate:
    """A rate: `per_minute` starts, at most `burst` at once (at least one), `concurrent` running; 0 means no limit."""

    per_minute: float = 0.0
    burst: int = 1
    concurrent: int = 0

    def __post_init__(self) -> None:
        self.burst = max(1, self.burst)


@dataclass(slots=True)
class Bucket:
    """What was left at a time; `blocked_until` is the provider's own statement, valid for all callers."""

    left: float
    at: float
    blocked_until: float = 0.0


def find_start_wait(bucket: Bucket, rate: Rate, now: float) -> float:
    """Seconds until one more may start; 0 if it may now."""
    blocked = max(0.0, bucket.blocked_until - now)
    if not rate.per_minute:
        return blocked
    missing = 1.0 - _count_left(bucket, rate, now)
    return max(blocked, missing * 60.0 / rate.per_minute if missing > _DUST else 0.0)


def take_start(bucket: Bucket, rate: Rate, now: float) -> Bucket:
    """The bucket after one start."""
    left = _count_left(bucket, rate, now) - 1.0 if rate.per_minute else bucket.left
    return Bucket(left, now, bucket.blocked_until)


def _count_left(bucket: Bucket, rate: Rate, now: float) -> float:
    """A clock that was set back fills nothing and takes nothing away."""
    filled = max(0.0, now - bucket.at) * rate.per_minute / 60.0
    return min(float(rate.burst), bucket.left + filled)


_DUST = 1e-9


FIRST, LONGEST = 60.0, 3600.0
MARGIN = 15.0
KINDS = ("rate_limit", "overloaded")
_DAY = 86_400.0
_UNITS = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": _DAY}


def is_limit(kind: str, message: str) -> bool:
    """Return whether it is a limit, by the client's own word; the message counts only without one."""
    if kind and kind != "unknown":
        return kind in KINDS
    return re.search(r"\b(?:usage|rate|weekly|session|5-hour) limit\b|\b429\b", message, re.IGNORECASE) is not None


def find_reset(message: str, now: float, offset: float = 0.0) -> float | None:
    """
    Return when the limit ends, in seconds since 1970; None if the message does not say. `offset` is local time
    minus UTC, because messages name a time of day.
    """
    return _stamp(message, now) or _after(message, now) or _o_clock(message, now, offset)


def _stamp(message: str, now: float) -> float | None:
    """`…|1795435200`, `resets_at: 1795435200`."""
    for digits in re.findall(r"(?<!\d)(\d{10})(?!\d)", message):
        if now - 60 <= int(digits) <= now + 31 * _DAY:
            return float(digits)
    return None


def _after(message: str, now: float) -> float | None:
    """`try again in 2h 5m`, `retry-after: 90`, `resets in 40 minutes`."""
    begins = r"(?:(?:again|resets?|available|retry)\s+(?:in|after)|retry-after:?)"
    match = re.search(rf"{begins}\s+((?:\d+\s*[a-z]*[ ,]*)+)", message, re.IGNORECASE)
    if not match:
        return None
    parts = re.findall(r"(\d+)\s*(d|h|m|s|)[a-z]*", match[1].lower())
    wait = sum(int(number) * _UNITS[unit or "s"] for number, unit in parts)
    return now + wait if 0 < wait <= 31 * _DAY else None


def _o_clock(message: str, now: float, offset: float) -> float | None:
    """`resets 3pm`, `resets at 15:30`, `resets 10:05 am (Europe/Zurich)`: the next time it is that late."""
    match = re.search(r"\bresets?\s+(?:at\s+)?(\d{1,2})(?::(\d{2}))?\s*(am|pm)?\b", message, re.IGNORECASE)
    if not match or not (match[2] or match[3]):
        return None
    hour, minute = int(match[1]), int(match[2] or 0)
    if match[3]:
        hour = hour % 12 + (12 if match[3].lower() == "pm" else 0)
    if hour > 23 or minute > 59:
        return None
    local = now + offset
    at = local - local % _DAY + hour * 3600 + minute * 60
    return (at if at > local else at + _DAY) - offset


def find_retry_wait(message: str, now: float, *, tries: int, offset: float = 0.0) -> float:
    """Return seconds until the next try: until the reset plus a margin, else doubling from a minute."""
    at = find_reset(message, now, offset)
    if at is not None:
        return max(0.0, at - now) + MARGIN
    return min(LONGEST, FIRST * 2.0 ** min(tries, 10))
