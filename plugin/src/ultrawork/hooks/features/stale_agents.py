"""Watch agents beside a session: one that has run for long, and agents that start each other in a circle. This runs
after every tool call, so it loads little."""

from typing import Any

from ...core.run import subagents
from ...store.omc import agent_tracking, told_once
from ...store.omc.folder import HASTE, Omc
from ..answer import Answer
from ..event import Event

_CIRCLE = 3


def note_start(event: Event) -> Answer | None:
    """Record a started agent; name those that have run for long to the user."""
    name, kind = event.text("agent_id"), event.text("agent_type")
    if not name or not kind:
        return None
    omc, now = Omc(event.place, HASTE), event.clock()
    all_ = agent_tracking.mark_started(omc, name, kind, event.session, now)
    mine = [agent for agent in all_ if agent.get("session_id") == event.session]
    return _tell(omc, event, [*_stale(mine, now), *_circle(mine)])


def name_stale(event: Event) -> Answer | None:
    """Name an agent that has run for long at the next tool call, even its own."""
    omc = Omc(event.place, HASTE)
    mine = subagents.list_running(agent_tracking.list_all(omc), event.session)
    return _tell(omc, event, _stale(mine, event.clock())) if mine else None


def _tell(omc: Omc, event: Event, words: list[str]) -> Answer | None:
    fresh = told_once.take_new(omc, event.session, *words)
    return Answer(message="\n".join(f"ultrawork: {sentence}" for sentence in fresh)) if fresh else None


def _stale(mine: list[dict[str, Any]], now: float) -> list[str]:
    kinds = [str(agent.get("agent_type")) for agent in subagents.list_stale(mine, now)]
    return [f"agents running for more than 5 minutes: {', '.join(kinds)}"] if kinds else []


def _circle(mine: list[dict[str, Any]]) -> list[str]:
    """Return the kinds of agents that follow each other again and again."""
    count, pattern = subagents.find_cycles([str(agent.get("agent_type")) for agent in mine])
    kinds = pattern.replace("/", ", ")
    return [f"the same agents start each other in a loop: {kinds}"] if count >= _CIRCLE else []
