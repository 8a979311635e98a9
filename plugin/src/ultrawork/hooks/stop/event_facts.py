"""What the event alone shows about a stop, and recording a stop that passes on it."""

from ...core.stop import rules
from ...store import decisions, markers, trace
from ..table import AGENT_TOOLS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..event import Event

AGENTS = ("subagent", "workflow", "teammate", "local_agent", "agent")
# Agents that were silent for this long no longer delay a verdict.
SILENCE = 600.0


def read(event: "Event", trouble: str = "") -> rules.StopFacts:
    tasks = event.entries("background_tasks")
    agents = [task for task in tasks if task.get("type") in AGENTS]
    beside = [task for task in tasks if task not in agents] + event.entries("session_crons")
    if agents and not _has_life(event):
        agents, beside = [], agents + beside
    return rules.StopFacts(
        attended=event.attended,
        trouble=trouble,
        plan_mode=event.text("permission_mode") == "plan",
        agents=len(agents),
        running=[_name(task) for task in beside],
    )


def _has_life(event: "Event") -> bool:
    """Return whether an agent called a tool or was started within the last minutes. An unknown agent counts as alive."""
    entries = trace.read_tail(event.home, event.session)
    heard = [
        float(entry.get("at") or 0.0) for entry in entries if entry.get("agent") or entry.get("tool") in AGENT_TOOLS
    ]
    return not heard or event.clock() - max(heard) < SILENCE


def _name(task: "dict[str, Any]") -> str:
    """Return a name that the user recognizes."""
    texts = (task.get(key) for key in ("command", "description", "prompt", "id"))
    return next((text for text in texts if isinstance(text, str) and text), "a background task")


def record_silent(event: "Event", decision: rules.StopDecision) -> None:
    """Record a stop that passes and prints nothing."""
    decisions.note(event.home, event.session, decision, event=event.name, at=event.clock())
    tell_waking_job(event)


def tell_waking_job(event: "Event", wanted: str = "") -> None:
    """Tell the waking job of this stop, if there is one, which files to check."""
    known = markers.get(event.home, markers.BACKGROUND, event.session)
    if known is not None:
        content = {"wanted": wanted, "stop": make_stop_key(event), "decided": event.clock()}
        markers.put(event.home, markers.BACKGROUND, event.session, {**known, **content})


def make_stop_key(event: "Event") -> str:
    """Return a key that the deciding and the waking process of one stop share."""
    from ...store.codec import digest

    return digest(f"{event.prompt_mark}\n{event.text('last_assistant_message')}")[:16]
