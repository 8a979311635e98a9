"""Agents of Codex: it takes no other input for a call, so an agent is told its task when it begins."""

import os

from ...core import nudges, roles
from ...store import agents, markers
from ...store.fast import digest
from ..answer import Answer
from .pushing import name_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ...store.agents import Agent
    from ..event import Event

_AGENTS = f"{os.path.abspath(__file__).rsplit('/', 5)[0]}/agents"


def kept(event: "Event", spawn: roles.Spawn) -> None:
    """The whole prompt of a call and whose page goes with it, until its agent begins."""
    content = {"prompt": spawn.prompt, "agent": spawn.agent, "page": spawn.page}
    markers.put(event.home, markers.BRIEFS, _key(event.text("tool_use_id")), content)


def begun(event: "Event") -> Answer | None:
    """The first prompt of an agent of ours: what it is, and its task."""
    agent = _meant(event)
    if agent is None:
        return None
    with event.store.change(name_of(event)) as change:
        agents.started(change, agent.call, event.text("agent_id"))
    brief = _brief(event, agent)
    markers.remove(event.home, markers.BRIEFS, _key(agent.call))
    told = f"{_instructions(brief, agent.role)}\n\n{brief.get('prompt', '')}"
    return Answer(context=told.strip())


def _brief(event: "Event", agent: "Agent") -> "dict[str, Any]":
    return markers.get(event.home, markers.BRIEFS, _key(agent.call)) or {}


def _meant(event: "Event") -> "Agent | None":
    """The newest call for what the prompt names, whose agent has not begun yet."""
    prompt = event.text("prompt")
    role = roles.canonical(nudges.fields(prompt).get("AGENT", ""))
    subject = nudges.subject(role, prompt)
    found = [
        one
        for one in agents.listed(event.store.database, name_of(event))
        if one.subject == subject
        and one.ended_at is None
        and one.agent in (None, event.text("agent_id"))
        and _brief(event, one).get("agent", one.role) == role
    ]
    return found[-1] if found else None


def _instructions(brief: "dict[str, Any]", role: str) -> str:
    """What Claude Code gives an agent of this type as its system prompt."""
    from ...content import front

    name = str(brief.get("agent") or role).partition(":")[2]
    try:
        with open(brief.get("page") or f"{_AGENTS}/{name}.md", encoding="utf-8") as file:
            return front.body(file.read()).strip()
    except OSError:
        return ""


def _key(call: str) -> str:
    return digest(call)[:16]
