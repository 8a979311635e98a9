"""Handle silent workers of a mode: check once, then replace; seats that fail twice stay empty."""

import os
from collections.abc import Iterable

from ..core.course import roles
from ..core.modes import record, shared_files
from ..core.modes.modes import TEAM
from ..core.modes.tables import ModeProgress
from ..core.plan import task
from ..core.session.session import EXECUTION, Session
from ..core.times import format_duration
from ..store import agents, sessions, tasks
from ..store.agents import AgentCall
from ..store.atomic import find_write_time
from ..store.database import Change
from ..store.store import Store
from . import modes

_ASKED = "asked_about"
_TAIL = 65_536


def check_workers(store: Store, session: Session, progress: ModeProgress) -> list[str]:
    """Return sentences for the coordinator, each once, about what was done."""
    if session.phase != EXECUTION or progress.mode not in shared_files.PATIENCE:
        return []
    fact = progress.facts.get(_ASKED) or []
    signs = [
        (agent_call, *_find_last_sign(store, session, progress.mode, agent_call))
        for agent_call in _working(store, session)
    ]
    due = [
        (agent_call, action, quiet)
        for agent_call, action, quiet in signs
        if action and not _is_asked_already(action, agent_call, fact)
    ]
    if not due:
        return []
    with store.change(session.id) as change:
        workers = [_DONE[action](change, agent_call, format_duration(quiet)) for agent_call, action, quiet in due]
        current = sessions.get(change.database, session.id)
        facts = record.read_active(current)[progress.mode]
        facts.facts[_ASKED] = [*fact, *(agent_call.call for agent_call, _, _ in due)]
        for agent_call, decision, _ in due:
            if decision == shared_files.REPLACE:
                kept = shared_files.leave_seat(shared_files.read_seats(facts.facts), agent_call.call, failed=True)
                facts.facts[shared_files.KEY] = kept
        modes.save(change, current, facts)
    return workers


def queue_messages(store: Store, name: str, messages: list[str]) -> None:
    """Queue messages for the next moment at which the model can be reached."""
    if not messages:
        return
    with store.change(name) as change:
        session = sessions.get(change.database, name)
        session.state.untold = [*session.state.untold, *messages]
        sessions.save(change, session, "workers.watched", {"said": messages})


def _working(store: Store, session: Session) -> list[AgentCall]:
    agent_calls = agents.list_at_work(store.database, session.id, now=store.now())
    return [agent_call for agent_call in agent_calls if agent_call.role == roles.WORKER and agent_call.agent]


def _is_asked_already(action: str, agent: AgentCall, calls: Iterable[str]) -> bool:
    return action == shared_files.ASK and agent.call in calls


def _find_last_sign(store: Store, session: Session, mode: str, agent: AgentCall) -> tuple[str, float]:
    folder = session.state.subagents
    path = f"{folder}/agent-{agent.agent}.jsonl"
    written = find_write_time(path) if folder else 0.0
    quiet = store.now() - max(agent.asked_at, agent.started_at or 0.0, written)
    commanding = bool(written) and quiet >= shared_files.PATIENCE[mode][0] and _commands(path)
    return shared_files.judge_silence(mode, quiet, commanding=commanding), quiet


def _commands(path: str) -> bool:
    """Return whether a worker's transcript ends with an unfinished call."""
    try:
        with open(path, "rb") as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - _TAIL))
            lines = file.read().strip().splitlines()
    except OSError:
        return False
    return bool(lines) and b'"tool_use"' in lines[-1] and b'"tool_result"' not in lines[-1]


def _ask(_change: Change, agent: AgentCall, quiet: str) -> str:
    return (
        f"the worker of task {agent.subject} has been silent for {quiet}. Check what it does, and stop it if it hangs"
    )


def _replace(change: Change, agent: AgentCall, quiet: str) -> str:
    why = f"its worker was silent for {quiet}"
    agents.mark_ended(change, agent.call)
    if tasks.get(change.database, change.session, agent.subject).status == task.IN_PROGRESS:
        tasks.update(change, agent.subject, status=task.PENDING, reason=why)
    agents.release(change, agent.subject)
    return f"task {agent.subject} goes to another worker: {why}. Stop the first worker"


_DONE = {shared_files.ASK: _ask, shared_files.REPLACE: _replace}


def seat_worker(change: Change, session: Session, call: str) -> None:
    """Give a team seat to the worker that starts on a task."""
    for progress in record.read_active(session).values():
        if progress.mode == TEAM:
            most = int(str(session.options["max_workers"]))
            progress.facts[shared_files.KEY] = shared_files.take_seat(
                shared_files.read_seats(progress.facts), call, most
            )
            modes.save(change, session, progress)


def unseat_worker(store: Store, name: str, call: str, *, failed: bool) -> None:
    with store.change(name) as change:
        session = sessions.get(change.database, name)
        for progress in record.read_active(session).values():
            if progress.mode == TEAM:
                kept = shared_files.leave_seat(shared_files.read_seats(progress.facts), call, failed=failed)
                progress.facts[shared_files.KEY] = kept
                modes.save(change, session, progress)
