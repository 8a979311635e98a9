"""Agent calls: what is claimed before them, what is known after them. Some clients do not allow changed input, so an
agent gets its task when it starts."""

import os
from typing import Any

from ...core import check
from ...core.course import roles, steps
from ...core.errors import Conflict, UltraworkError
from ...core.session.session import FULL, Session
from ...flow.course import Course, lease_files
from ...store import agents, markers, sessions, tasks
from ...store.agents import AgentCall
from ...store.atomic import read_text
from ...store.codec import digest
from ...store.database import Change
from ..event import Answer, Event
from .session import advance, find_agents_folder, find_name, list_modes, open_course, push

_AGENTS = f"{os.path.abspath(__file__).rsplit('/', 5)[0]}/agents"


def keep_prompt(event: Event, spawn: roles.Spawn) -> None:
    """Store a call's whole prompt and page until its agent starts."""
    task = str(event.mapping("tool_input").get("task_name") or "")
    content = {"prompt": spawn.prompt, "agent": spawn.agent, "page": spawn.page, "task": task}
    markers.put(event.home, markers.BRIEFS, _key(event.text("tool_use_id")), content)


def brief_agent(event: Event) -> Answer | None:
    """Brief an agent of ours at its first prompt, or at its start if it gets none: its role and task."""
    find = _find_named if event.name == "SubagentStart" else _meant
    agent = None if event.adapter.directs_agents else find(event)
    if agent is None:
        return None
    with event.store.change(find_name(event)) as change:
        agents.mark_started(change, agent.call, event.text("agent_id"))
    brief = _brief(event, agent)
    markers.remove(event.home, markers.BRIEFS, _key(agent.call))
    text = f"{_instructions(brief, agent.role)}\n\n{brief.get('prompt', '')}"
    return Answer(context=text.strip())


def _brief(event: Event, agent: AgentCall) -> dict[str, Any]:
    return markers.get(event.home, markers.BRIEFS, _key(agent.call)) or {}


def _meant(event: Event) -> AgentCall | None:
    """Return the newest call for what the prompt names, whose agent has not started."""
    prompt = event.text("prompt")
    role = roles.normalise_name(steps.parse_fields(prompt).get("AGENT", ""))
    subject = steps.find_subject(role, prompt)
    agent_calls = [
        agent_call
        for agent_call in agents.list_all(event.store.database, find_name(event))
        if agent_call.subject == subject
        and agent_call.ended_at is None
        and agent_call.agent in (None, event.text("agent_id"))
        and _brief(event, agent_call).get("agent", agent_call.role) == role
    ]
    return agent_calls[-1] if agent_calls else None


def _find_named(event: Event) -> AgentCall | None:
    """Return the newest call under the agent's name."""
    name = event.adapter.read_agent_path(event.record).rpartition("/")[2]
    agent_calls = [
        agent_call
        for agent_call in agents.list_all(event.store.database, find_name(event))
        if agent_call.ended_at is None
        and agent_call.agent is None
        and name
        and _brief(event, agent_call).get("task") == name
    ]
    return agent_calls[-1] if agent_calls else None


def _instructions(brief: dict[str, Any], role: str) -> str:
    """Return what a client with agent types uses as the system prompt of this type."""
    from ...content import library

    name = str(brief.get("agent") or role).partition(":")[2]
    return library.get_body(read_text(brief.get("page") or f"{_AGENTS}/{name}.md") or "").strip()


def _key(call: str) -> str:
    return digest(call)[:16]


def prepare_call(event: Event) -> Answer | None:
    """Claim the task of a call, and give the call its whole prompt, type and model."""
    course = open_course(event)
    given = event.mapping("tool_input")
    if course is not None and given.get("closes"):
        # Before it is done: an agent that the client no longer knows holds no seat either.
        with event.store.change(course.name) as change:
            agents.record_closed(change, str(given["closes"]))
        return None
    agent = roles.normalise_name(str(given.get("subagent_type") or ""))
    subject = steps.find_subject(agent, str(given.get("prompt") or ""))
    if course is not None and not subject and agent not in roles.ALL:
        agent, subject = _find_due(event, course, str(given.get("task_name") or ""))
    if course is None or not (agent in roles.ALL or subject):
        return None
    try:
        spawn = _spawn(event, course, agent, subject)
    except UltraworkError as error:
        return Answer(deny=f"ultrawork: {error}")
    if not event.adapter.directs_agents:
        keep_prompt(event, spawn)
        return None
    from .telling import tell_begun

    changed: dict[str, Any] = {**given, **spawn.document()}
    message = tell_begun(event, course.name, spawn.subject, spawn.model) if spawn.of_task else ""
    return Answer(input=changed, message=message)


def refuse_ended(event: Event) -> Answer | None:
    """Refuse calls for an ended session, even long after a cancel: the prompt names the session or a task of it."""
    if find_name(event):
        return None
    given = event.mapping("tool_input")
    fields = steps.parse_fields(str(given.get("prompt") or ""))
    agent = roles.normalise_name(str(given.get("subagent_type") or fields.get("AGENT") or ""))
    if not fields or agent not in roles.ALL:
        return None
    try:
        session = sessions.get(event.store.database, fields.get("SESSION_ID") or event.session)
    except UltraworkError:
        return None
    if session.active or session.kind != FULL:
        return None
    return Answer(deny=f"ultrawork: {_tell_ended(session, agent)}")


def _tell_ended(session: Session, agent: str) -> str:
    return f"session {session.id[:8]} has ended, so {agent} cannot start for it"


def _find_due(event: Event, course: Course, name: str) -> tuple[str, str]:
    """Return role and subject of a call with an unreadable message, by its name; empty if it is not ours."""
    if not name.startswith(steps.TASK_NAME):
        return "", ""
    base = name.rpartition("_")[0]
    due = [spawn for spawn in advance(event, course)[1].spawns if steps.make_task_name(spawn) == base]
    return (due[0].agent, due[0].subject) if due else ("", "")


def _spawn(event: Event, course: Course, agent: str, subject: str) -> roles.Spawn:
    """Return the spawn that the program itself would make for this subject; raise if it is not due."""
    session, step, text = advance(event, course)
    if not session.active:
        raise Conflict(_tell_ended(session, agent))
    due = [spawn for spawn in step.spawns if spawn.agent == agent and spawn.subject == subject]
    if not due:
        request = f"{agent} for {check.quote(subject)}" if subject else f"{agent} without a TASK_ID or EXPLORER_ID"
        raise Conflict(f"{request} is not the next step. {text}")
    claim_spawn(event, course, due[0], event.text("tool_use_id"))
    return due[0]


def claim_spawn(event: Event, course: Course, spawn: roles.Spawn, call: str) -> None:
    """Claim the task, its files and a seat for the caller; raise if another was faster."""
    folder = find_agents_folder(event.text("transcript_path"))
    with event.store.change(course.name) as change:
        session = sessions.get(change.database, course.name)
        if folder and session.state.subagents != folder:
            session.state.subagents = folder
            sessions.save(change, session, "client.known", {})
        if spawn.of_task:
            task = tasks.claim(change, call, spawn.subject)
            lease_files(change, event.place, task)
            if session.state.modes:
                _seated(event, change, session, call)
        agents.ask(change, call=call, role=spawn.counts_as, subject=spawn.subject, model=spawn.model)


def _seated(event: Event, change: Change, session: Session, call: str) -> None:
    """Keep the waking job beside the next stop: it watches for silent workers."""
    from ...core.modes.shared_files import PATIENCE
    from ...flow import watchdog

    watchdog.seat_worker(change, session, call)
    if set(PATIENCE) & set(list_modes(event)):
        markers.put(event.home, markers.BACKGROUND, event.session, {"watch": True})


def note_started(event: Event) -> Answer | None:
    """Record a started agent by its id; a foreground one has ended, so the next step follows."""
    client = event.mapping("tool_response").get("agentId")
    if isinstance(client, str) and client:
        with event.store.change(find_name(event)) as change:
            agents.mark_started(change, event.text("tool_use_id"), client)
            if not event.adapter.directs_agents:
                agents.record_opened(change, client)
    elif event.mapping("tool_response").get("spawned") is True:
        with event.store.change(find_name(event)) as change:
            agents.mark_spawned(change, event.text("tool_use_id"))
    return push(event)
