"""A stop at the first glance: what the event alone tells, and writing down a stop that passes on it."""

from ...core.stop import rules
from ...store import decisions, markers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..event import Event

AGENTS = ("subagent", "workflow", "teammate", "local_agent", "agent")


def read(event: "Event", trouble: str = "") -> rules.StopFacts:
    running = event.entries("background_tasks")
    agents = sum(1 for one in running if one.get("type") in AGENTS)
    return rules.StopFacts(
        attended=event.attended,
        trouble=trouble,
        plan_mode=event.text("permission_mode") == "plan",
        agents=agents,
        background=len(running) - agents + len(event.entries("session_crons")),
    )


def record_silent(event: "Event", decision: rules.StopDecision) -> None:
    """The stop passes without a word."""
    decisions.note(event.home, event.session, decision, event=event.name, at=event.clock())
    tell_waking_job(event)


def tell_waking_job(event: "Event", wanted: str = "") -> None:
    """Tells the waking job of this stop, if there is one, which files it is to check."""
    known = markers.get(event.home, markers.BACKGROUND, event.session)
    if known is not None:
        content = {"wanted": wanted, "stop": make_stop_key(event), "decided": event.clock()}
        markers.put(event.home, markers.BACKGROUND, event.session, {**known, **content})


def make_stop_key(event: "Event") -> str:
    """What the deciding and the waking process of one stop have in common."""
    from ...store.codec import digest

    return digest(f"{event.prompt_mark}\n{event.text('last_assistant_message')}")[:16]
