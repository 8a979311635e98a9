"""Find what agents wrote through the shell, whenever one of them ends."""

from ...core.course.chain import ShellChange
from ...core.session.session import EXECUTION, VERIFICATION
from ...flow import file_ownership
from ...store import agents, sessions, trace
from ...store.agents import AgentCall
from ..event import Answer, Event
from .session import find_call, find_name
from .telling import keep_line

_SEEN = 4_000_000
_SHOWN = 3


def report(event: Event) -> Answer | None:
    """Compare the files and report once what was written outside the edit tools."""
    name = find_name(event)
    session = sessions.get(event.store.database, name)
    if not session.active or session.phase not in (EXECUTION, VERIFICATION):
        return None
    entries = trace.read_tail(event.home, event.session, size=_SEEN)
    taken = file_ownership.ShellScan(
        event.store, event.environ, session, entries, lambda client: _agent(event, name, client)
    ).take()
    wrong = [shell_change for shell_change in taken if shell_change.why]
    if wrong and event.name == "SubagentStop":
        keep_line(event, name, _render_changes(wrong))  # the client does not show this message
        return None
    return Answer(message=_render_changes(wrong)) if wrong else None


def _agent(event: Event, name: str, client: str) -> AgentCall | None:
    """Return the agent; one in the foreground is known by its call until it ends."""
    if not client:
        return None
    agent_call = agents.find_by_agent(event.store.database, name, client)
    call = "" if agent_call is not None else find_call(event.text("transcript_path"), client)
    return agents.find_by_call(event.store.database, name, call) if call else agent_call


def _render_changes(wrong: list[ShellChange]) -> str:
    more = f" And {len(wrong) - _SHOWN} more: ulw status." if wrong[_SHOWN:] else ""
    return "\n".join(f"ultrawork: {shell_change.sentence}." for shell_change in wrong[:_SHOWN]) + more
