"""Which of our agents is acting: from the client's id of a subagent to the call that started it."""

from ...store import agents
from ...store.markers import read
from .pushing import name_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...store.agents import Agent
    from ..event import Event


def acting(event: "Event") -> "Agent | None":
    """Which of our agents is acting: by the client's id, else by the call that started it."""
    name, client = name_of(event), event.text("agent_id")
    if not name or not client:
        return None
    found = agents.by_agent(event.store.database, name, client)
    if found is not None:
        return found
    call = call_of(event.text("transcript_path"), client)
    found = agents.by_call(event.store.database, name, call) if call else None
    if found is not None:
        with event.store.change(name) as change:
            agents.started(change, found.call, client)
    return found


def folder_of(transcript: str) -> str:
    """Where the client keeps its subagents; empty if it does not say."""
    if not transcript.endswith(".jsonl"):
        return ""
    # Inside a subagent the path may already be the subagent's own.
    return transcript.partition("/subagents/")[0].removesuffix(".jsonl") + "/subagents"


def call_of(transcript: str, agent: str) -> str:
    """Empty if the client has not written it yet."""
    folder = folder_of(transcript)
    if not folder or "/" in agent:
        return ""
    content = read(f"{folder}/agent-{agent}.meta.json")
    return str((content or {}).get("toolUseId") or "")
