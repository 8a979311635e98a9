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
            items = [str(text) for text in entry["open"]]
        item = entry.get("item")
        if isinstance(item, dict):
            name, status = tasks.get(str(item.get("id")), ("", ""))
            changed = (str(item.get("name") or name), str(item.get("status") or status))
            tasks[str(item.get("id"))] = changed
    return items + [name or f"task {number}" for number, (name, status) in tasks.items() if status in OPEN]
