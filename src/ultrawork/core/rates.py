"""How often a provider may be asked: a bucket of starts that fills with time."""


class Rate:
    """`per_minute` starts, at most `burst` of them at once, `concurrent` at work; 0 means no limit."""

    __slots__ = ("burst", "concurrent", "per_minute")

    def __init__(self, per_minute: float = 0.0, *, burst: int = 1, concurrent: int = 0) -> None:
        self.per_minute = per_minute
        self.burst = max(1, burst)
        self.concurrent = concurrent


class Bucket:
    """What was left at a time; `blocked_until` is the provider's own word, for everyone who asks it."""

    __slots__ = ("at", "blocked_until", "left")

    def __init__(self, left: float, at: float, blocked_until: float = 0.0) -> None:
        self.left = left
        self.at = at
        self.blocked_until = blocked_until


def wait(bucket: Bucket, rate: Rate, now: float) -> float:
    """Seconds until one more may start; 0 if it may now."""
    blocked = max(0.0, bucket.blocked_until - now)
    if not rate.per_minute:
        return blocked
    missing = 1.0 - _left(bucket, rate, now)
    return max(blocked, missing * 60.0 / rate.per_minute if missing > _DUST else 0.0)


def taken(bucket: Bucket, rate: Rate, now: float) -> Bucket:
    """The bucket after one start."""
    left = _left(bucket, rate, now) - 1.0 if rate.per_minute else bucket.left
    return Bucket(left, now, bucket.blocked_until)


def _left(bucket: Bucket, rate: Rate, now: float) -> float:
    """A clock that was set back fills nothing and takes nothing away."""
    filled = max(0.0, now - bucket.at) * rate.per_minute / 60.0
    return min(float(rate.burst), bucket.left + filled)


_DUST = 1e-9
