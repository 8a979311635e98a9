"""A stop at the first glance: what the event alone tells, and writing down a stop that passes on it."""

from ..core import stop
from ..core.kinds import LIGHT
from ..store import decisions, markers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .event import Event

AGENTS = ("subagent", "workflow", "teammate", "local_agent", "agent")


def facts(event: "Event", trouble: str = "") -> stop.Facts:
    running = event.entries("background_tasks")
    agents = sum(1 for one in running if one.get("type") in AGENTS)
    return stop.Facts(
        attended=event.attended,
        trouble=trouble,
        plan_mode=event.text("permission_mode") == "plan",
        agents=agents,
        background=len(running) - agents + len(event.entries("session_crons")),
    )


def is_on(event: "Event") -> bool:
    """Whether the record knows this session as switched on."""
    row = event.store.database.row(
        "SELECT 1 FROM sessions AS s JOIN pins ON pins.session=s.id"
        " WHERE s.id=? AND s.kind=? AND s.ended_at IS NULL",
        event.session, LIGHT,
    )  # fmt: skip
    return row is not None


def passed(event: "Event", decision: stop.Decision) -> None:
    """The stop passes without a word; it is written down like any other."""
    with event.store.change(event.session) as change:
        decisions.add(change, decision, event=event.name, tree="")
    stand_by(event)


def stand_by(event: "Event", wanted: str = "") -> None:
    """Tells the waking job of this stop, if there is one, which files it is to check."""
    if markers.there(event.home, markers.BACKGROUND, event.session):
        content = {"wanted": wanted, "stop": stop_key(event), "decided": event.clock()}
        markers.put(event.home, markers.BACKGROUND, event.session, content)


def stop_key(event: "Event") -> str:
    """What the deciding and the waking process of one stop have in common."""
    from ..store.fast import digest

    return digest(f"{event.prompt_mark}\n{event.text('last_assistant_message')}")[:16]
