"""`.omc/state/subagent-tracking.json`: the agents of all sessions in this worktree."""

from collections.abc import Callable
from typing import Any

from ...core.run import subagents
from ...core.times import format_iso
from ..codec import dumps_pretty
from .folder import Omc, parse_view

Agents = list[dict[str, Any]]


def list_all(omc: Omc) -> Agents:
    return _agents(parse_view(omc.read(_path(omc))))


def mark_started(omc: Omc, name: str, kind: str, session: str, now: float) -> Agents:
    return _change(omc, now, lambda all_: subagents.record_start(all_, name, kind, session, now))


def mark_ended(omc: Omc, name: str, now: float, *, success: bool, cost: float) -> Agents:
    return _change(omc, now, lambda all_: subagents.record_end(all_, name, now, success=success, cost=cost))


def mark_touched(omc: Omc, name: str, path: str, now: float) -> Agents:
    return _change(omc, now, lambda all_: subagents.record_file(all_, name, path))


def remove_session(omc: Omc, session: str, now: float) -> None:
    """A session has ended, and its agents with it."""

    def edit(agents: Agents) -> Agents:
        return [agent for agent in agents if agent.get("session_id") != session]

    if any(agent.get("session_id") == session for agent in list_all(omc)):
        _change(omc, now, edit)


def _change(omc: Omc, now: float, edit: Callable[[Agents], Agents]) -> Agents:
    result: Agents = []

    def rewritten(text: str | None) -> str:
        nonlocal result
        document = parse_view(text)
        result = edit(_agents(document))
        counts = {
            f"total_{status}": sum(agent.get("status") == status for agent in result)
            for status in (subagents.COMPLETED, subagents.FAILED)
        }
        return dumps_pretty({**document, "agents": result, **counts, "last_updated": format_iso(now)})

    omc.change(_path(omc), rewritten)
    return result


def _path(omc: Omc) -> str:
    return f"{omc.root}/state/subagent-tracking.json"


def _agents(document: dict[str, Any]) -> Agents:
    agents = document.get("agents")
    return [agent for agent in agents if isinstance(agent, dict)] if isinstance(agents, list) else []
