"""Edits in a planned session: by workers, during execution, on files that no other running task holds."""

from ...core import delegation, roles
from ...core.modes import ULTRAPILOT
from ...core.session import FULL
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
    """Only workers edit, during execution, and only what no other running task holds."""
    content = markers.get(event.home, markers.ACTIVE, event.session)
    if content is None or content.get("kind") != FULL or not _in_project(event):
        return None
    agent = acting(event)
    role = agent.role if agent is not None else ""
    why = delegation.refused_edit(str(content.get("phase")), role, target(event))
    if why:
        return _refused(event, why, content.get("level", delegation.STRICT))
    if agent is None or role != roles.WORKER:
        return None
    if agent.ended_at is not None:
        return Answer(
            deny=f"ultrawork: task {agent.subject} was given to another worker; end here and report"
        )
    if ULTRAPILOT in content.get("modes", ()):
        refused = _coordinators(event, agent, target(event))
        if refused is not None:
            return refused
    return _leased(event, agent)


def _refused(event: "Event", why: str, level: object) -> Answer | None:
    told = f"ultrawork: {why} (ultrawork next --session {name_of(event)} says what is due)"
    if level == delegation.STRICT:
        return Answer(deny=told)
    return Answer(context=told) if level == delegation.WARN else None


def _in_project(event: "Event") -> bool:
    """What lies outside is nobody's task: notes, the client's own plans."""
    path = target(event)
    return not path or path.startswith(f"{event.place}/")


def _coordinators(event: "Event", agent: "Agent", path: str) -> Answer | None:
    """A shared file is the coordinator's: that a worker needs it is kept for a task at the end."""
    from ...flow import ownership

    name, relative = name_of(event), path.removeprefix(f"{event.place}/")
    if not ownership.wished(event.store, name, agent.subject, relative):
        return None
    return Answer(
        deny=f"ultrawork: {relative} is shared, so the coordinator changes it at the end; say in your"
        f" last message what task {agent.subject} needs in it, and go on without it"
    )


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
