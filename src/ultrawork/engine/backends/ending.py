"""
What an ended attempt amounts to: the program's own words first, then how its process ended.

| trouble | meaning |
|---|---|
| `limit` | the provider asks to wait; `retry_at` says until when, 0 if it did not say |
| `auth` | no key, a wrong one, no account |
| `budget`, `turns` | a limit that we gave was reached |
| `refused` | the model or the client would not do it |
| `missing` | the program is not there |
| `malformed` | it ended as if all were well, and what it printed lacks the answer |
| `crash` | anything else that is not a regular end |
"""

from ...core.wording import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..attempt import Attempt, Report
    from .base import Reading

LIMIT = "limit"
AUTH = "auth"
BUDGET = "budget"
TURNS = "turns"
CRASH = "crash"
MISSING = "missing"
REFUSED = "refused"
MALFORMED = "malformed"

_DETAIL = 200
_NOT_FOUND = (126, 127)
# Only asked about a run that has failed: a task may well speak of rate limits.
_SIGNS = (
    (LIMIT, ("rate limit", "rate_limit", "ratelimit", "429", "too many requests", "usage limit",
             "overloaded", "high demand", "quota", "resource_exhausted", "529")),
    (AUTH, ("401", "unauthorized", "invalid api key", "api key not valid", "invalid x-api-key",
            "authentication", "not logged in", "/login", "api_key_invalid", "no api key",
            "permission_denied", "403")),
    (REFUSED, ("usage policy", "content policy", "safety", "prohibited_content")),
)  # fmt: skip
_PIECE = r"(\d+(?:\.\d+)?)\s*(ms|s|m|h|d)[a-z]*[\s,]*(?:and\s+)?"
_SECONDS = {"ms": 0.001, "m": 60.0, "s": 1.0, "h": 3600.0, "d": 86400.0}
_ENDS = {
    "deadline": "it was ended at its deadline of {seconds:.0f} s",
    "cancelled": "it was cancelled",
    "flooded": "it printed too much and was ended",
    "orphaned": "no engine came back for it in time",
}


def kind(message: str) -> str:
    """What a program's error message is about."""
    text = message.lower()
    return next((name for name, signs in _SIGNS if any(sign in text for sign in signs)), CRASH)


def patience(message: str) -> float:
    """Seconds that a message asks to wait, as in `try again in 6m0s`; 0 if it does not."""
    import re

    asked = re.search(
        rf"(?:(?:try again|retry) in|retrydelay)\W+((?:{_PIECE})+)", message, re.IGNORECASE
    )
    if asked is None:
        return 0.0
    pieces = re.findall(_PIECE, asked[1], re.IGNORECASE)
    return sum(float(number) * _SECONDS[unit.lower()] for number, unit in pieces)


def conclude(attempt: "Attempt", report: "Report", reading: "Reading", errors: str) -> None:
    """What only the end can tell; trouble that the program itself told stands."""
    if reading.trouble:
        return
    if not reading.finished:
        reading.fail(*_unfinished(attempt, report, errors))
    elif attempt.schema is not None and reading.answer is None:
        reading.answer = answer_in(reading.text)
        if reading.answer is None:
            reading.fail(MALFORMED, "it ended without the structured answer that was asked for")


def _unfinished(attempt: "Attempt", report: "Report", errors: str) -> tuple[str, str]:
    """There is no final event: what the process and its error output say."""
    said = _last_line(errors)
    if report.why in _ENDS:
        return CRASH, _ENDS[report.why].format(seconds=attempt.seconds)
    if report.code in _NOT_FOUND:
        return MISSING, said or f"the program of {attempt.backend} could not be started"
    if report.code == 0:
        return MALFORMED, "it ended with 0 and printed no final event"
    if report.code is None:
        return CRASH, said or "it ended without a status"
    if report.code < 0:
        return CRASH, f"signal {-report.code} ended it"
    return kind(errors), f"it ended with {report.code}" + (f": {said}" if said else "")


def _last_line(text: str) -> str:
    lines = [line for line in text.splitlines() if line.strip()]
    return one_line(lines[-1])[:_DETAIL] if lines else ""


def answer_in(text: str) -> "dict[str, Any] | None":
    """The last JSON object of a text: the whole of it, in a fenced block, or from a brace to the end."""
    from ...store.fast import loads

    for candidate in _candidates(text):
        try:
            value = loads(candidate)
        except ValueError:
            continue
        if isinstance(value, dict):
            return dict(without_null(value))
    return None


def without_null(value: "Any") -> "Any":
    """A key that was left empty is a key that was not given."""
    if isinstance(value, dict):
        return {key: without_null(each) for key, each in value.items() if each is not None}
    return [without_null(each) for each in value] if isinstance(value, list) else value


def _candidates(text: str) -> list[str]:
    blocks = [block.partition("\n")[2] for block in text.split("```")[1::2]]
    first, last = text.find("{"), text.rfind("}")
    return [text.strip(), *reversed(blocks), text[first : last + 1] if first >= 0 else ""]
