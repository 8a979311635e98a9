"""Calls of agents: what is claimed before them, what is known after them."""

from ...core import check, nudges, roles
from ...core.errors import Conflict, UltraworkError
from ...flow import leases
from ...store import agents, markers, sessions, tasks
from ..answer import Answer
from . import briefing
from .acting import folder_of
from .pushing import course_of, name_of, on, push, pushed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ...core.session import Session
    from ...flow.course import Course
    from ...store.change import Change
    from ..event import Event


def before(event: "Event") -> Answer | None:
    """Claims the task that a call is for, and gives the call its whole prompt, type and model."""
    course = course_of(event)
    given = event.mapping("tool_input")
    agent = roles.canonical(str(given.get("subagent_type") or ""))
    subject = nudges.subject(agent, str(given.get("prompt") or ""))
    if course is None or not (agent in roles.ALL or subject):
        return None
    try:
        spawn = _spawn(event, course, agent, subject)
    except UltraworkError as error:
        return Answer(deny=f"ultrawork: {error}")
    if event.is_codex:
        briefing.kept(event, spawn)
        return None
    changed: dict[str, Any] = {**given, **spawn.document()}
    return Answer(input=changed)


def _spawn(event: "Event", course: "Course", agent: str, subject: str) -> roles.Spawn:
    """The spawn that the program itself would make for this subject; refused if it is not due."""
    session, step, told = pushed(event, course)
    due = [spawn for spawn in step.spawns if spawn.agent == agent and spawn.subject == subject]
    if not due:
        what = (
            f"{agent} for {check.shown(subject)}"
            if subject
            else f"{agent} without a TASK_ID or EXPLORER_ID"
        )
        raise Conflict(f"{what} is not due now. {told}")
    spawn = due[0]
    folder = folder_of(event.text("transcript_path"))
    with event.store.change(course.name) as change:
        if folder and session.state.get("subagents") != folder:
            session.state["subagents"] = folder
            sessions.save(change, session, "client.known", {})
        if spawn.of_task:
            task = tasks.claim(change, event.text("tool_use_id"), subject)
            leases.take(change, event.place, task)
            if session.state.get("modes"):
                _seated(event, change, session)
        agents.ask(
            change,
            call=event.text("tool_use_id"),
            role=spawn.counts_as,
            subject=subject,
            model=spawn.model,
        )
    return spawn


def _seated(event: "Event", change: "Change", session: "Session") -> None:
    """The waking job is kept beside the next stop: it looks after workers that say nothing."""
    from ...core.watchdog import PATIENCE
    from ...flow import watching

    watching.seated(change, session, event.text("tool_use_id"))
    if set(PATIENCE) & set(on(event)):
        markers.put(event.home, markers.BACKGROUND, event.session, {"watch": True})


def after(event: "Event") -> Answer | None:
    """A started agent is known by its id; a foreground one has ended, so the next step follows."""
    client = event.mapping("tool_response").get("agentId")
    if isinstance(client, str) and client:
        with event.store.change(name_of(event)) as change:
            agents.started(change, event.text("tool_use_id"), client)
    return push(event)
