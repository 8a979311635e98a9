"""Which notifications are due: only changes, each once, bundled, never in quiet hours, nothing at the first check."""

from collections.abc import Mapping, Sequence

from .check import quote
from .errors import UsageError
from .value import Value, fresh

GAP = 60.0
KNOWN, SENT, FAILED = "known", "sent", "failed"
_MOST_NAMED = 5
_LONGEST = 120


class DueNotices(Value):
    """Notices. `send` now and together; `learn` only that they exist. `wait` is how long the rest is held back."""

    send: list[str] = fresh(list)
    learn: list[str] = fresh(list)
    wait: float = 0.0


def choose_due(
    items: Sequence[str], states: Mapping[str, str] | None, *, last_sent: float, now: float, quiet: bool
) -> DueNotices:
    """Choose due notices; `states` are those of one channel, None before its first check. Failed ones are sent again
    with the next."""
    if states is None:
        return DueNotices(learn=list(items))
    fresh_ones = [item for item in items if states.get(item, FAILED) == FAILED]
    if not fresh_ones or quiet:
        return DueNotices()
    wait = GAP - (now - last_sent)
    return DueNotices(wait=wait) if wait > 0 else DueNotices(send=fresh_ones)


def parse_quiet(text: str) -> tuple[int, int] | None:
    """`22:00-07:00` in minutes of the day; None for an empty text."""
    if not text.strip():
        return None
    begin, dash, end = text.partition("-")
    times = [_parse_minute(begin), _parse_minute(end)]
    if not dash or None in times:
        raise UsageError(f"quiet hours are {quote(text)}; write them as 22:00-07:00")
    return times[0] or 0, times[1] or 0


def _parse_minute(text: str) -> int | None:
    hour, colon, minute = text.strip().partition(":")
    if not colon or not (hour.isdecimal() and minute.isdecimal()):
        return None
    return int(hour) * 60 + int(minute) if int(hour) < 24 and int(minute) < 60 else None


def is_quiet(hours: tuple[int, int] | None, minute: int) -> bool:
    """Return whether a minute of the day is between the two, also over midnight."""
    if hours is None:
        return False
    begin, end = hours
    return begin <= minute < end if begin <= end else minute >= begin or minute < end


def render_notice(lines: Sequence[str]) -> tuple[str, str]:
    """Title and text of one notification about one or several sessions."""
    title = "ultrawork" if len(lines) == 1 else f"ultrawork: {len(lines)} sessions"
    shown = [line[:_LONGEST] for line in lines[:_MOST_NAMED]]
    more = len(lines) - len(shown)
    return title, "\n".join([*shown, *([f"and {more} more"] if more else [])])


BELL = "\a"


def make_sequence(kind: str, text: str) -> str:
    """Return the escape sequence that rings or notifies; the text cannot end it early."""
    plain = "".join(sign if sign.isprintable() and sign != ";" else " " for sign in text)[:_LONGEST]
    forms = {"bell": BELL, "osc9": f"\x1b]9;{plain}{BELL}", "osc777": f"\x1b]777;notify;ultrawork;{plain}{BELL}"}
    return forms.get(kind, "")


TERMINALS = ("", "bell", "osc9", "osc777")
