"""Codex's recorded quota, known without asking it.

It stores a file per session with the limits of each answer. The newest one counts."""

import os
from collections.abc import Iterator, Mapping
from typing import Any

from ...store.atomic import find_write_time
from ...store.codec import loads

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
        folders = [f"{parent}/{name}" for parent in folders for name in _names(parent)][:_FILES]
    files = [f"{parent}/{name}" for parent in folders for name in _names(parent) if name.endswith(".jsonl")]
    yield from files[:_FILES]


def _names(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder), reverse=True)
    except OSError:
        return []


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
