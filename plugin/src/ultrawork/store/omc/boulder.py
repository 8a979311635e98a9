"""`.omc/boulder.json`: the active plan, possibly over several sessions."""

import os
from collections.abc import Sequence
from typing import Any

from ...core.plan.checklist import Checklist, parse_boxes
from ...core.times import format_iso
from ..codec import dumps_pretty
from .folder import Omc, parse_view


def read_plan(omc: Omc) -> tuple[str, Checklist] | None:
    """The name of the active plan and how far it is; None if there is none, or it cannot be read."""
    named = read(omc).get("active_plan")
    if not isinstance(named, str) or not named or "\0" in named:
        return None
    path = os.path.join(omc.top, named)
    if not os.path.isfile(path):
        return None
    text = omc.read(path)
    return None if text is None else (os.path.relpath(path, omc.top), parse_boxes(text))


def read(omc: Omc) -> dict[str, Any]:
    return parse_view(omc.read(_path(omc)))


def find_planned_session(omc: Omc) -> str:
    """Return the planned session whose tasks the active plan shows; empty for a handwritten plan."""
    return str(read(omc).get("planned_session") or "")


def begin(omc: Omc, name: str, session: str, now: float, *, planned_session: str = "") -> None:
    """Make a plan active, by its path in the worktree; for the same plan, add the session."""

    def edit(text: str | None) -> str:
        before = parse_view(text)
        known = before if before.get("active_plan") == name else {}
        session_ids = known.get("session_ids")
        others = (
            [session_id for session_id in session_ids if session_id != session] if isinstance(session_ids, list) else []
        )
        made = {
            **known,
            "active_plan": name,
            "plan_name": name.rpartition("/")[2].removesuffix(".md"),
            "started_at": known.get("started_at") or format_iso(now),
            "session_ids": [*others, session],
        }
        return dumps_pretty({**made, "planned_session": planned_session} if planned_session else made)

    omc.change(_path(omc), edit)


def end(omc: Omc) -> None:
    """Deactivate the plan; its file stays."""
    omc.change(_path(omc), lambda _: None)


def write_checklist(omc: Omc, name: str, goal: str, boxes: Sequence[tuple[bool, str]]) -> str:
    """Write tasks as checkboxes; return the path in the worktree. The file is ignored: otherwise ticking a box would
    invalidate every receipt."""
    path = f"{omc.root}/state/plans/{name}.md"
    lines = [f"- [{'x' if done else ' '}] {' '.join(words.split())}" for done, words in boxes]
    text = "\n".join([f"# {' '.join(goal.split())}", "", *lines, ""])
    omc.change(path, lambda _: text)
    return os.path.relpath(path, omc.top)


def _path(omc: Omc) -> str:
    return f"{omc.root}/boulder.json"
