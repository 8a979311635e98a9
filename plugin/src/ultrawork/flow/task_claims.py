"""
A task owns its planned files from its claim on, unless another task holds them.

Tasks of agents that disappeared are returned, so that nothing waits for them.
"""

from ..core.course.roles import READING, WORKER
from ..core.plan import statuses
from ..core.plan.task import Task
from ..store import agents, markers, sessions, tasks
from ..store.atomic import list_folder
from ..store.database import Change
from ..store.store import Store

_PATTERN = "*?["


def lease_files(change: Change, place: str, task: Task | None) -> None:
    """Lease the planned files; folders and patterns are checked when something in them is written."""
    if task is None or not task.files:
        return
    held = agents.read_holders(change.database, change.session)
    plain = [name for name in task.files if not name.endswith("/") and not set(name) & set(_PATTERN)]
    paths = [name if name.startswith("/") else f"{place}/{name.removeprefix('./')}" for name in plain]
    agents.lease(change, task.id, [path for path in paths if path not in held])


def abandon_all(store: Store, session: str, why: str, *, asked_before: float = float("inf")) -> list[str]:
    """Mark agents that were requested before that time as ended and their tasks as pending; return the tasks."""
    agent_calls = agents.list_at_work(store.database, session, now=store.now())
    working = [agent for agent in agent_calls if agent.asked_at < asked_before]
    kept = {agent.subject for agent in agent_calls if agent.asked_at >= asked_before}
    progressing = tasks.list_all(store.database, session, status=statuses.IN_PROGRESS)
    held = [task for task in progressing if task.id not in kept]
    if not working and not held:
        return []
    with store.change(session) as change:
        for agent in working:
            agents.mark_ended(change, agent.call)
        for task in held:
            tasks.update(change, task.id, status=statuses.PENDING, reason=why)
            agents.release(change, task.id)
    return [task.id for task in held]


def release_lapsed(store: Store, session: str, *, at_once: bool = False) -> list[str]:
    """Return tasks to pending after a minute if their agent never started."""
    now = store.now() + (agents.LAPSE if at_once else 0.0)
    waiting = agents.list_lapsed(store.database, session, now=now)
    if not waiting:
        return []
    folder = sessions.get(store.database, session).state.subagents
    begun = _list_begun_calls(folder) if folder else {}
    agent_calls = [agent for agent in waiting if agent.call not in begun]
    held = {task.id for task in tasks.list_all(store.database, session, status=statuses.IN_PROGRESS)}
    with store.change(session) as change:
        for agent in waiting:
            if agent.call in begun:
                agents.mark_started(change, agent.call, begun[agent.call])
        for agent in agent_calls:
            _let_go(change, agent, held)
    return [agent.subject for agent in agent_calls]


def _let_go(change: Change, agent: agents.AgentCall, held: set[str]) -> None:
    agents.mark_ended(change, agent.call)
    if agent.role in (WORKER, READING) and agent.subject in held:
        why = "its agent never started"
        tasks.update(change, agent.subject, status=statuses.PENDING, reason=why)
        agents.release(change, agent.subject)


def _list_begun_calls(folder: str) -> dict[str, str]:
    """Return which calls became agents, by the client's own record; a foreground agent is reported only at its end."""
    names = [name for name in list_folder(folder) if name.endswith(".meta.json")]
    contents = {name: markers.read(f"{folder}/{name}") or {} for name in names}
    return {
        str(content.get("toolUseId")): name.removeprefix("agent-").removesuffix(".meta.json")
        for name, content in contents.items()
    }
