"""Agents that are gone without a word: their tasks go back, so that nothing waits for the dead."""

from ..core import statuses
from ..store import agents, tasks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..store.state import Store


def abandon(store: "Store", session: str, why: str) -> list[str]:
    """Every agent counts as ended, every task in progress as pending; gives the tasks."""
    working = agents.at_work(store.database, session, now=store.now())
    held = tasks.listed(store.database, session, status=statuses.IN_PROGRESS)
    if not working and not held:
        return []
    with store.change(session) as change:
        for agent in working:
            agents.ended(change, agent.call)
        for task in held:
            tasks.update(change, task.id, status=statuses.PENDING, reason=why)
            agents.release(change, task.id)
    return [task.id for task in held]
