"""What Codex records about the tokens of each answer, and about its quota, known without asking it. It reports no cost.

It stores a file per session with the limits of each answer. The newest one counts."""

import os
from collections.abc import Iterator, Mapping
from glob import escape, iglob
from typing import Any

from ...core.run.prices import MessageUsage, clip_name, count_tokens, parse_moment
from ...store.atomic import find_write_time, list_folder
from ...store.codec import loads
from ..records import list_records, read_first_record, read_section

FULL = 100.0
_TAIL = 256_000
_DEPTH = 3  # year, month, day
_FILES = 5


def find_quota_reset(environ: Mapping[str, str], now: float) -> float:
    """Return when a used-up quota is refilled; 0 if some is left or unknown."""
    home = environ.get("CODEX_HOME") or f"{environ.get('HOME', '')}/.codex"
    for path in _newest(f"{home}/sessions"):
        limits = _read_limits(path)
        if limits is not None:
            return _reset(limits, find_write_time(path), now)
    return 0.0


def _newest(folder: str) -> Iterator[str]:
    """Yield the newest few files, by folder and file names."""
    folders = [folder]
    for _ in range(_DEPTH):
        folders = [f"{parent}/{name}" for parent in folders for name in list_folder(parent)[::-1]][:_FILES]
    files = [f"{parent}/{name}" for parent in folders for name in list_folder(parent)[::-1] if name.endswith(".jsonl")]
    yield from files[:_FILES]


def _read_limits(path: str) -> dict[str, Any] | None:
    """Return the last line with limits."""
    try:
        with open(path, "rb") as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - _TAIL))
            lines = file.read(_TAIL).split(b"\n")
    except OSError:
        return None
    for line in reversed(lines):
        if b'"rate_limits"' in line:
            try:
                limits = loads(line.decode("utf-8", "replace"))["payload"]["rate_limits"]
            except (ValueError, KeyError, TypeError):
                continue
            if isinstance(limits, dict):
                return limits
    return None


def _reset(limits: dict[str, Any], written: float, now: float) -> float:
    windows = [limit for limit in limits.values() if isinstance(limit, dict)]
    full = [window for window in windows if _number(window.get("used_percent")) >= FULL]
    until = max((_until(window, written) for window in full), default=0.0)
    return until if until > now else 0.0


def _until(window: dict[str, Any], written: float) -> float:
    at = _number(window.get("resets_at"))
    seconds = _number(window.get("resets_in_seconds"))
    return at or (written + seconds if seconds else 0.0)


def _number(value: object) -> float:
    known = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if known else 0.0  # type: ignore[arg-type]  # known to be one


_ANSWER, _COUNT, _TURN = "token_usage_record", "token_count", "turn_context"
_NEEDLES = tuple(f'"{word}"'.encode() for word in (_ANSWER, _COUNT, _TURN))


def list_usage(path: str, since: float) -> Iterator[MessageUsage]:
    """Yield each answer of a thread and its agents since a time, once."""
    yield from _read(path, since, "")
    own = _read_meta(path)
    for other in sorted(iglob(f"{escape(os.path.dirname(path))}/rollout-*.jsonl")):
        if other != path and own.get("id") and _is_newer(other, since):
            meta = _read_meta(other)
            if meta.get("session_id") == own["id"]:
                yield from _read(other, since, str(meta.get("id")))


def _is_newer(path: str, since: float) -> bool:
    try:
        return os.path.getmtime(path) >= since
    except OSError:
        return False


def _read_meta(path: str) -> Mapping[str, Any]:
    payload = read_first_record(path).get("payload")
    return payload if isinstance(payload, dict) else {}


def _read(path: str, since: float, agent: str) -> Iterator[MessageUsage]:
    """The model is that of the turn, which is recorded before its answers and so is read after them."""
    answers: dict[str, tuple[float, Mapping[str, Any]]] = {}
    counted: dict[str, tuple[float, Mapping[str, Any]]] = {}
    for record in list_records(path, *_NEEDLES):
        at, payload = parse_moment(record.get("timestamp")), record.get("payload")
        if at is None or not isinstance(payload, dict):
            continue
        if record.get("type") == _TURN:
            # Older versions record only counts, which they repeat when nothing was said.
            for message, (when, usage) in (answers or counted).items():
                if when >= since:
                    model = clip_name(payload.get("model"))
                    yield MessageUsage(message, when, model, _count(usage), agent)
            answers, counted = {}, {}
            if at < since:
                return
        elif record.get("type") == _ANSWER:
            answers.setdefault(clip_name(payload.get("response_id")), (at, read_section(payload, "usage")))
        elif payload.get("type") == _COUNT:
            info = read_section(payload, "info")
            total = read_section(info, "total_token_usage").get("total_tokens")
            if total is not None:
                key = f"{os.path.basename(path)}:{total}"
                counted.setdefault(key, (at, read_section(info, "last_token_usage")))


def _count(usage: Mapping[str, Any]) -> tuple[int, ...]:
    """Return tokens by kind: its input includes what came from its cache."""
    given, answer, read, written = (
        count_tokens(usage.get(name))
        for name in ("input_tokens", "output_tokens", "cached_input_tokens", "cache_write_input_tokens")
    )
    return (max(0, given - read - written), answer, read, written)
