"""What agents wrote through the shell, looked for whenever one of them ends."""

from ...core import phases
from ...flow import shell
from ...store import agents, sessions, trace
from ..answer import Answer
from .acting import call_of
from .pushing import name_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...core.whose import Found
    from ...store.agents import Agent
    from ..event import Event

_SEEN = 4_000_000
_SHOWN = 3


def look(event: "Event") -> Answer | None:
    name = name_of(event)
    session = sessions.get(event.store.database, name)
    if not session.active or session.phase not in (phases.EXECUTION, phases.VERIFICATION):
        return None
    entries = trace.tail(event.home, event.session, size=_SEEN)
    taken = shell.Look(
        event.store, event.environ, session, entries, lambda client: _agent(event, name, client)
    ).take()
    wrong = [one for one in taken if one.why]
    return Answer(message=_told(wrong)) if wrong else None


def _agent(event: "Event", name: str, client: str) -> "Agent | None":
    """One in the foreground is known by its call until it ends."""
    if not client:
        return None
    found = agents.by_agent(event.store.database, name, client)
    call = "" if found is not None else call_of(event.text("transcript_path"), client)
    return agents.by_call(event.store.database, name, call) if call else found


def _told(wrong: "list[Found]") -> str:
    more = f" And {len(wrong) - _SHOWN} more: ulw status." if wrong[_SHOWN:] else ""
    return "\n".join(f"ultrawork: {one.told}." for one in wrong[:_SHOWN]) + more
