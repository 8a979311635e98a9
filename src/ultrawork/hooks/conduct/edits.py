"""Edits during execution: by workers, on files that no other running task holds."""

from ...core import phases, roles
from ...store import agents, markers
from ..answer import Answer
from ..handlers.tool import target
from .acting import acting
from .pushing import name_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...store.agents import Agent
    from ..event import Event


def before(event: "Event") -> Answer | None:
    """During execution only workers edit, and only what no other running task holds."""
    content = markers.get(event.home, markers.ACTIVE, event.session)
    if (
        content is None
        or content.get("kind") != "session"
        or content.get("phase") != phases.EXECUTION
    ):
        return None
    agent = acting(event)
    if agent is None or agent.role != roles.WORKER:
        return Answer(
            deny="ultrawork: during execution the orchestrator does not edit; start ultrawork:worker"
            f" with the task's id (ultrawork next --session {name_of(event)} says which)"
        )
    return _leased(event, agent)


def _leased(event: "Event", agent: "Agent") -> Answer | None:
    path = target(event)
    name = name_of(event)
    holder = agents.holders(event.store.database, name).get(path)
    if holder is not None and holder != agent.subject:
        return Answer(
            deny=f"ultrawork: {path} is held by task {holder}, which is running; task {agent.subject}"
            " works on its own files, or waits"
        )
    if holder is None:
        with event.store.change(name) as change:
            agents.lease(change, agent.subject, [path])
    return None
