"""Times as people and files write them; inside the program a time is seconds since 1970."""

from time import gmtime, strftime


def format_iso(seconds: float | None) -> str | None:
    return None if seconds is None else strftime("%Y-%m-%dT%H:%M:%SZ", gmtime(seconds))


def parse_iso(text: str) -> float | None:
    """Return seconds from an ISO time in UTC; None if it is malformed."""
    from datetime import UTC, datetime

    # `strptime` would load the names of months and days.
    stamp = text[:19]
    if len(stamp) != 19 or stamp[4::3] != "--T::" or not stamp.isascii():
        return None
    try:
        return datetime.fromisoformat(stamp).replace(tzinfo=UTC).timestamp()
    except ValueError:
        return None


def format_duration(seconds: float) -> str:
    """`0.3 s`, `41 s`, `5 min 41 s`, `2 h 5 min`."""
    if seconds < 9.95:
        return f"{seconds:.1f} s"
    if seconds < 59.5:
        return f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s" if rest else f"{minutes} min"
    return f"{minutes // 60} h {minutes % 60} min"
