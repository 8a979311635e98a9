"""What an agent said and did, line by line, from what its program printed."""

from .backends import stream, table
from .backends.base import Reading
from .work import remembered

MOST = 400


def words(backend: str, folder: str) -> list[str]:
    """The last lines of an attempt; empty for one that never began."""
    attempt = remembered(folder)
    if attempt is None:
        return []
    reading = Reading()
    lines: list[str] = []
    for event in stream.whole(f"{attempt.folder}/out.jsonl"):
        reading.last = ""
        try:
            table.named(backend).take(event, reading)
        except (AttributeError, IndexError, KeyError, TypeError, ValueError):
            continue  # a line of a shape that nobody knows says nothing
        if reading.last:
            lines.append(reading.last)
    return lines[-MOST:]
