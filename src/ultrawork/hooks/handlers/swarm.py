"""Sessions in a swarm: hearts that beat, agents that get their tasks, leases that are given back."""

from ...core.errors import UltraworkError
from ..answer import Answer
from ..modes import swarm_agents

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..event import Event


def beat(event: "Event") -> Answer | None:
    """A list that is gone or busy is told at the next stop, not in the middle of the work."""
    try:
        swarm_agents.beat(event)
    except UltraworkError:
        pass
    return None


def brief(event: "Event") -> Answer | None:
    """After compaction or resuming."""
    if event.text("source") not in ("compact", "resume"):
        return None
    return swarm_agents.brief(event)


def agent_began(event: "Event") -> Answer | None:
    return swarm_agents.began(event)


def agent_ended(event: "Event") -> Answer | None:
    return swarm_agents.ended(event)


def leave(event: "Event") -> Answer | None:
    swarm_agents.left(event)
    return None
