"""
Hand a planned session over to another client. A live client keeps it until the user asks for it elsewhere. Then the
first client is notified, and its agents end before new ones start.
"""

from collections.abc import Sequence
from time import monotonic, sleep

from ..core.caller import ANCHOR, Caller, read_caller
from ..core.errors import Conflict
from ..core.plan.task import IN_PROGRESS, PENDING
from ..core.session.session import Session
from ..core.verdict_values import UNVERIFIED
from ..core.wording import count_things
from ..store import agents, markers, sessions, tasks
from ..store.agents import AgentCall
from ..store.store import Store
from ..system import ancestry

PATIENCE = 20.0
_PAUSE = 0.2
_REASON = "another client took over this session"


def list_rivals(store: Store, session: str, caller: Caller | None) -> list[str]:
    """Return other clients that are on for this session and whose process is still there."""
    rivals = []
    for client, content in markers.list_drivers(store.home, session).items():
        anchor = read_caller(content.get(ANCHOR))
        own = caller is not None and anchor is not None and _is_same_process(caller, anchor)
        if anchor is not None and not own and not ancestry.is_gone(anchor):
            rivals.append(client)
    return rivals


def _is_same_process(caller: Caller, other: Caller) -> bool:
    return (caller.pid, caller.started) == (other.pid, other.started)


def is_driven_by(store: Store, session: str, client: str, caller: Caller | None) -> bool:
    """Return whether this process already conducts the session: its agents continue."""
    content = markers.list_drivers(store.home, session).get(client) or {}
    anchor = read_caller(content.get(ANCHOR))
    return caller is not None and anchor is not None and _is_same_process(caller, anchor)


def refuse_live(session: Session, working: Sequence[AgentCall]) -> None:
    name = session.id[:8]
    busy = f", {count_things(len(working), 'agent')} working" if working else ""
    raise Conflict(
        f"session {name} is running in another client{busy}. Watch it: ultrawork watch --session {name}. Take it over: /ultrawork:ultrawork-exec --take-over. Or work in another worktree: git worktree add ../other"
    )


def await_handover(store: Store, session: Session, rivals: Sequence[str], *, patience: float = PATIENCE) -> None:
    """Notify the other clients, and wait until none of their agents runs."""
    for client in rivals:
        markers.put(store.home, markers.HANDED, client, {"session": session.id})
    until = monotonic() + patience
    working = list_working(store, session.id)
    while working and monotonic() < until:
        sleep(_PAUSE)
        working = list_working(store, session.id)
    if working:
        names = ", ".join(agent.subject or agent.role for agent in working[:3])
        raise Conflict(
            f"I asked the other client to stop, but its agents are still running: {names}. They end at their next step. Try again in a moment, or quit that client"
        )


def release_agent(store: Store, session: str, agent: AgentCall) -> None:
    """End an agent of the notified client; its work is for the next one."""
    with store.change(session) as change:
        agents.mark_ended(change, agent.call)
        held = tasks.list_all(change.database, session, status=IN_PROGRESS)
        if any(task.id == agent.subject for task in held):
            tasks.update(change, agent.subject, status=PENDING, reason=_REASON)
            agents.release(change, agent.subject)


def withdraw_pass(store: Store, session: str) -> Session:
    """Withdraw a PASS, because files were written after the verdict."""
    with store.change(session) as change:
        stored_session = sessions.get(change.database, session)
        stored_session.verdict = UNVERIFIED
        sessions.save(change, stored_session, "session.ended", {"why": "files changed after PASS"})
    return stored_session


def list_working(store: Store, session: str) -> list[AgentCall]:
    return agents.list_at_work(store.database, session, now=store.now())
