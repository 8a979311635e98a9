"""Input from another machine: every field is known, of a known type and within bounds.

This is the only list. A job says what to do, never how a machine is set up: it has no field for a variable, a path or
a program. Anything not in a table here is refused by name."""

import re
from collections.abc import Callable, Collection, Mapping
from typing import Any

from ..clients.headless.attempt import EXPLORER, PLANNER, VERIFIER, WORKER
from ..core.check import parse_number, quote, require_session_id, require_task_id
from ..core.errors import UsageError
from ..core.wording import cut, join_lines
from ..engine.agents.executor import WAYS

# Returns the value to use; ValueError or TypeError says what was expected.
Reader = Callable[[Any], Any]
Fields = Mapping[str, Reader]

MOST_STEPS = 64  # of an agent that travel with a beat
MOST_SAID = 64_000  # letters of an output that travel with a result
_YEAR = 366 * 86_400.0
_DAYS = 30 * 86_400.0
_MOST_BYTES = 1 << 50
_MOST_TOKENS = 1 << 50
_PROMPT = 64 << 20
_LINE = 2_000
# Names of models and efforts; nothing that a program could read as an option or setting.
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:/@\[\]-]{0,99}")
_COMMIT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_BASE64 = re.compile(r"[A-Za-z0-9+/=]*")


def read_fields(given: object, fields: Fields, noun: str, needed: Collection[str] = ()) -> dict[str, Any]:
    """Return the known fields of a document, each checked; UsageError names the first wrong one."""
    if not isinstance(given, dict):
        raise UsageError(f"{noun} is not an object")
    for name in given:
        if name not in fields:
            raise UsageError(f"{noun} has an unknown field {quote(name)}")
    for name in needed:
        if name not in given:
            raise UsageError(f"{noun} has no field {name}")
    return {name: _read_field(name, value, fields[name], noun) for name, value in given.items()}


def _read_field(name: str, value: object, read: Reader, noun: str) -> Any:
    try:
        return read(value)
    except (ValueError, TypeError) as error:
        raise UsageError(f"{name} of {noun} is {quote(value)}; expected {error}") from None


def _within(low: float, high: float) -> Reader:
    def read(value: Any) -> float:
        numeric = isinstance(value, int | float) and not isinstance(value, bool)
        if not numeric or not low <= value <= high:
            raise ValueError(f"a number from {low:g} to {high:g}")
        return float(value)

    return read


def _count(low: int, high: int) -> Reader:
    def read(value: Any) -> int:
        if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
            raise ValueError(f"a whole number from {low} to {high}")
        return value

    return read


def _line(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("a string")
    return cut(join_lines(value.encode("utf-8", "replace").decode()), _LINE)


def _plain_line(value: Any) -> str:
    if _line(value) != value:
        raise ValueError("a line of plain text")
    return str(value)


def _text(most: int) -> Reader:
    def read(value: Any) -> str:
        if not isinstance(value, str) or len(value) > most:
            raise ValueError(f"a string of at most {most} characters")
        return value

    return read


def _matching(pattern: re.Pattern[str], form: str, most: int = 200) -> Reader:
    def read(value: Any) -> str:
        if not isinstance(value, str) or len(value) > most or not pattern.fullmatch(value):
            raise ValueError(form)
        return value

    return read


def _or_empty(read: Reader) -> Reader:
    return lambda value: "" if value == "" else read(value)


def _or_none(read: Reader) -> Reader:
    return lambda value: None if value is None else read(value)


def _one_of(*known: object) -> Reader:
    def read(value: Any) -> Any:
        if not any(value is choice or (isinstance(value, str) and value == choice) for choice in known):
            raise ValueError("one of " + ", ".join(map(str, known)))
        return value

    return read


def _table(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise TypeError("an object")
    return value


def _steps(value: Any) -> list[str]:
    if not isinstance(value, list) or len(value) > MOST_STEPS:
        raise ValueError(f"a list of at most {MOST_STEPS} steps")
    return [_name(step) for step in value]


def _sizes(value: Any) -> list[int]:
    if not isinstance(value, list) or len(value) != 2:
        raise ValueError("two sizes")
    return [_count(0, _MOST_BYTES)(size) for size in value]


def _session(value: Any) -> str:
    return require_session_id(_line(value))


def _subject(value: Any) -> str:
    return require_task_id(_line(value))


_name = _matching(_NAME, "a plain name")
_commit = _matching(_COMMIT, "the id of a commit")
_flag = _one_of(True, False)
_epoch = _count(1, 1_000_000)
_seconds = _within(0, _DAYS)
_money = _within(0, 1e9)
_lease = _within(0.5, 86_400)
_remote = _text(_LINE)

ATTEMPT: Fields = {
    "session": _session,
    "subject": _subject,
    "role": _one_of(EXPLORER, PLANNER, WORKER, VERIFIER),
    "epoch": _epoch,
    "backend": _name,
    "prompt": _text(_PROMPT),
    "model": _or_empty(_name),
    "effort": _or_empty(_name),
    "read_only": _flag,
    "schema": _or_none(_table),
    "seconds": _seconds,
    "budget_usd": _money,
    "most_bytes": _count(0, _MOST_BYTES),
    "account": _or_empty(_name),
}
JOB: Fields = {
    "attempt": lambda value: read_fields(value, ATTEMPT, "the attempt", ATTEMPT),
    "remote": _remote,
    "base": _commit,
    "lease": _lease,
    "depth": _count(1, 100),
    "command": _or_none(_table),  # for our drills: a worker refuses it unless it was started for them
}
# A job on the remote that is too long to carry; and a log that someone wants to see.
JOB_PLACE: Fields = {"session": _session, "subject": _subject, "epoch": _epoch, "remote": _remote}
LOG_PLACE: Fields = {"session": _session, "subject": _subject, "epoch": _epoch}
RESULT: Fields = {
    "code": _or_none(_count(-1_000, 1_000)),
    "why": _one_of(*WAYS),
    "seconds": _within(0, _YEAR),
    "cpu_seconds": _within(0, _YEAR),
    "work": _or_empty(_commit),
    "output": _or_empty(_commit),
    "machine": _or_empty(_subject),
    "account": _or_empty(_name),
    "detail": _line,
    "said": _matching(_BASE64, "base64", MOST_SAID),
}
OUTPUT_HEAD: Fields = {
    "result": lambda value: read_fields(value, RESULT, "the result", ("code", "why")),
    "sizes": _sizes,
    "digest": _matching(_COMMIT, "a digest"),
}
# What a worker's name shows to everyone who asks the server.
MACHINE: Fields = {
    "name": _subject,
    "slots": lambda value: parse_number(value, "number of slots", 1, 100_000),
    "labels": _plain_line,
    "version": _plain_line,
    "accounts": _plain_line,
}
BEAT: Fields = {
    "machine": _subject,
    "used": _count(0, 100_000),
    "refused": _line,
    "cure": _line,
    "age": _within(0, _YEAR),
    "cpu": _within(0, _YEAR * 1_000),
    "quiet": _within(0, _YEAR),
    "bytes": _count(0, _MOST_BYTES),
    "account": _or_empty(_name),
    "tokens": _count(0, _MOST_TOKENS),
    "usd": _or_none(_money),
    "estimated": _flag,
    "last": _line,
    "calls": _steps,
}
