"""`.omc/state/subagent-tracking.json`: the agents of all sessions in this worktree."""

from ...core import tracking
from ...core.times import iso
from ..fast import loads, pretty
from .place import Omc

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Agents = list[dict[str, Any]]


def every(omc: Omc) -> "Agents":
    return _agents(_document(omc.read(_path(omc))))


def started(omc: Omc, name: str, kind: str, session: str, now: float) -> "Agents":
    return _change(omc, now, lambda all_: tracking.started(all_, name, kind, session, now))


def ended(omc: Omc, name: str, now: float, *, success: bool, cost: float) -> "Agents":
    return _change(
        omc, now, lambda all_: tracking.ended(all_, name, now, success=success, cost=cost)
    )


def touched(omc: Omc, name: str, path: str, now: float) -> "Agents":
    return _change(omc, now, lambda all_: tracking.touched(all_, name, path))


def gone(omc: Omc, session: str, now: float) -> None:
    """A session has ended, and its agents with it."""

    def edit(agents: "Agents") -> "Agents":
        return [one for one in agents if one.get("session_id") != session]

    if any(one.get("session_id") == session for one in every(omc)):
        _change(omc, now, edit)


def _change(omc: Omc, now: float, edit: "Callable[[Agents], Agents]") -> "Agents":
    result: Agents = []

    def rewritten(text: str | None) -> str:
        nonlocal result
        document = _document(text)
        result = edit(_agents(document))
        counts = {
            f"total_{status}": sum(one.get("status") == status for one in result)
            for status in (tracking.COMPLETED, tracking.FAILED)
        }
        return pretty({**document, "agents": result, **counts, "last_updated": iso(now)})

    omc.change(_path(omc), rewritten)
    return result


def _path(omc: Omc) -> str:
    return f"{omc.root}/state/subagent-tracking.json"


def _document(text: str | None) -> "dict[str, Any]":
    """What cannot be read is begun anew: it is a view of what runs, nothing is lost with it."""
    try:
        value = loads(text or "{}")
    except ValueError:
        value = {}
    return value if isinstance(value, dict) else {}


def _agents(document: "dict[str, Any]") -> "Agents":
    found = document.get("agents")
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []
