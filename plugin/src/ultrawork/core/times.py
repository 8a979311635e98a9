"""Times as people and files write them; inside the program a time is seconds since 1970. And how long an answer to the
client may take: every limit in one place.

From the outside in: the client ends a hook after `TIMEOUTS`. Our alarm gives up on an event after `LATEST`, whatever
git, the database or the disk does. What we wait for on purpose ends after `find_longest`. Within that, checks of a stop
share the setting `stop.budget`, and all stops of one session share `TOGETHER`."""

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


TIMEOUTS = {
    "Stop": 300, "SubagentStop": 300, "TeammateIdle": 300, "TaskCompleted": 300, "Wake": 3600,
    "StopFailure": 21_660, "UserPromptSubmit": 60, "UserPromptExpansion": 60,
}  # fmt: skip
LATEST = {"UserPromptSubmit": 50.0, "UserPromptExpansion": 50.0, "Stop": 285.0, "SubagentStop": 285.0}
LATE = 50.0  # for an event that is not in `LATEST`
AGAIN = 5.0  # for each step of cleaning up after that
MARGIN = 10
TOGETHER = 600.0  # all waiting in the stops of one session
TRIAL = 60.0  # for a check that was never timed
SHORTEST_TRIAL = 1.0  # for such a check, however late it is
RELATED = 30.0  # for the tests that reach a change, where the whole gate takes too long


def find_longest(event: str) -> float:
    """Return how long the answer to an event may wait for work of our own."""
    return float(TIMEOUTS[event] - MARGIN)
