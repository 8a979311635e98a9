"""The agent's own to-do list, as its tools showed it."""

from collections.abc import Sequence
from typing import Any

OPEN = ("pending", "in_progress")


def list_open(entries: Sequence[dict[str, Any]]) -> list[str]:
    """Return open items: the last whole list, and single entries as last set."""
    items: list[str] = []
    tasks: dict[str, tuple[str, str]] = {}
    for entry in entries:
        if isinstance(entry.get("open"), list):
            items = [str(one) for one in entry["open"]]
        one = entry.get("item")
        if isinstance(one, dict):
            name, status = tasks.get(str(one.get("id")), ("", ""))
            changed = (str(one.get("name") or name), str(one.get("status") or status))
            tasks[str(one.get("id"))] = changed
    return items + [
        name or f"task {number}" for number, (name, status) in tasks.items() if status in OPEN
    ]
