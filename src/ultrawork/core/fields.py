"""Reaching into a document with a path such as `plan.approved_at` or `explorers[0].id`."""

from .check import shown
from .errors import NotFound

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def pick(document: "Any", path: str) -> "Any":
    value = document
    for step in path.replace("[", ".").replace("]", "").split("."):
        value = _step(value, step, path)
    return value


def _step(value: "Any", step: str, path: str) -> "Any":
    if isinstance(value, dict) and step in value:
        return value[step]
    if isinstance(value, list) and _is_index(step) and int(step) < len(value):
        return value[int(step)]
    known = ", ".join(list(value)[:20]) if isinstance(value, dict) else ""
    raise NotFound(f"no field {shown(path)}" + (f"; known here: {known}" if known else ""))


def _is_index(step: str) -> bool:
    return step.isascii() and step.isdigit() and len(step) < 10
