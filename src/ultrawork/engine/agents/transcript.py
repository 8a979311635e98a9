"""What an agent said and did, line by line, from what its program printed."""

from collections.abc import Iterable
from typing import Any

from .backends import output, table
from .backends.base import Backend, OutputReading

MOST = 400


def read(backend: str, folder: str) -> list[str]:
    """The last lines of an attempt; empty for one that never began."""
    return _lines(table.get(backend), output.read_events(f"{folder}/out.jsonl"))[-MOST:]


def read_newest(backend: Backend, folder: str) -> list[str]:
    """The same at a glance, for a look at an agent that is at work."""
    return _lines(backend, output.read_ends(f"{folder}/out.jsonl"))


def _lines(backend: Backend, events: Iterable[dict[str, Any]]) -> list[str]:
    reading = OutputReading()
    lines: list[str] = []
    for event in events:
        reading.last = ""
        try:
            backend.take(event, reading)
        except (AttributeError, IndexError, KeyError, TypeError, ValueError):
            continue  # a line of a shape that nobody knows says nothing
        if reading.last:
            lines.append(reading.last)
    return lines
