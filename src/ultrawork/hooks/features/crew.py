"""Agents that run beside a session: who runs, what they asked to remember, what they cost."""

from time import gmtime, strftime

from ...core import remember, tracking
from ...core.bridge import succeeded
from ...store.fast import loads
from ...store.omc import agents, notepad, told
from ...store.omc import boulder as boulders
from ...store.omc.place import HASTE, Omc
from ..answer import Answer
from ..handlers.tool import target
from .light import audited, masked, relative

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..event import Event

BACKGROUND = 5
_TRANSCRIPT = 20_000_000
_CIRCLE = 3


def started(event: "Event") -> Answer | None:
    """An agent is known from its start; those that have run for long are named to the person."""
    name, kind = event.text("agent_id"), event.text("agent_type")
    if not name or not kind:
        return None
    omc, now = Omc(event.place, HASTE), event.clock()
    all_ = agents.started(omc, name, kind, event.session, now)
    mine = [one for one in all_ if one.get("session_id") == event.session]
    words = [*_stale(mine, now), *_circle(mine)]
    fresh = told.first(omc, event.session, *words)
    return Answer(message="\n".join(f"ultrawork: {one}" for one in fresh)) if fresh else None


def _stale(mine: "list[dict[str, Any]]", now: float) -> list[str]:
    kinds = [str(one.get("agent_type")) for one in tracking.stale(mine, now)]
    return [f"agents running for more than 5 minutes: {', '.join(kinds)}"] if kinds else []


def _circle(mine: "list[dict[str, Any]]") -> list[str]:
    """Kinds of agents that follow each other again and again."""
    count, pattern = tracking.cycles([str(one.get("agent_type")) for one in mine])
    kinds = pattern.replace("/", ", ")
    return [f"the same agents follow each other: {kinds}"] if count >= _CIRCLE else []


def ended(event: "Event") -> Answer | None:
    """What an agent cost is counted; above the limit the person is told, once."""
    name = event.text("agent_id")
    if not name or not event.text("agent_type"):
        return None
    omc, now = Omc(event.place, HASTE), event.clock()
    cost = _cost(event.text("agent_transcript_path"))
    all_ = agents.ended(omc, name, now, success=succeeded(event.data), cost=cost)
    total = tracking.cost(all_, event.session)
    if total <= tracking.COST_LIMIT or not told.first(omc, event.session, "cost"):
        return None
    return Answer(message=f"ultrawork: the agents of this session have cost about ${total:.2f}")


def _cost(path: str) -> float:
    """By the tokens that the client itself wrote down; an answer in several parts counts once."""
    paid: dict[str, float] = {}
    try:
        with open(path, "rb") as file:
            lines = file.read(_TRANSCRIPT).split(b"\n")
    except (OSError, ValueError):  # also what is no path at all
        return 0.0
    for line in lines:
        if b'"usage"' in line:
            paid.update(_paid(line))
    return round(sum(paid.values()), 4)


def _paid(line: bytes) -> dict[str, float]:
    try:
        message = loads(line.decode("utf-8", "replace")).get("message")
    except (ValueError, AttributeError):
        return {}
    usage = message.get("usage") if isinstance(message, dict) else None
    if not isinstance(usage, dict):
        return {}
    return {str(message.get("id")): tracking.price(str(message.get("model")), usage)}


def noted(event: "Event") -> Answer | None:
    """`<remember>` in an agent's last words goes to the notepad."""
    omc, now = Omc(event.place, HASTE), event.clock()
    for section, note in remember.notes(masked(event, event.text("last_assistant_message"))):
        if section == remember.PRIORITY:
            before = notepad.read(omc, notepad.PRIORITY)
            joined = f"{before}\n{note}" if before and note not in before else before or note
            notepad.set_priority(omc, joined[-notepad.PRIORITY_LIMIT :])
        else:
            notepad.add(omc, notepad.WORKING, note, now)
    return None


def wise(event: "Event") -> Answer | None:
    """What agents learned while a plan is worked off is kept with that plan."""
    omc = Omc(event.place, HASTE)
    found = remember.wisdom(masked(event, event.text("last_assistant_message")))
    plan = boulders.plan(omc) if found else None
    if plan is None:
        return None
    name = plan[0].rpartition("/")[2].removesuffix(".md")
    stamp = strftime("%Y-%m-%d %H:%M", gmtime(event.clock()))
    for category, words in found:
        omc.append(f"{omc.root}/notepads/{name}/{category}.md", f"### {stamp}\n{words}\n\n")
    return None


def touched(event: "Event") -> None:
    """A file that an agent has written is in its hand until it ends."""
    path = relative(event, target(event))
    if path:
        agents.touched(Omc(event.place, HASTE), event.text("agent_id"), path, event.clock())


def meeting(event: "Event") -> Answer | None:
    """Two running agents in one file: said before the second one writes."""
    path, omc = relative(event, target(event)), Omc(event.place, HASTE)
    other = tracking.other_owner(agents.every(omc), event.text("agent_id"), path) if path else ""
    key = f"meeting {event.text('agent_id')} {path}"
    if not other or not told.first(omc, event.session, key):
        return None
    return Answer(
        context=f"ultrawork: {other} is running and has written {path}; read it again before you edit,"
        " and keep to your own part of it"
    )


def crowd(event: "Event") -> Answer | None:
    """More in the background than anybody can follow is refused."""
    if event.mapping("tool_input").get("run_in_background") is not True:
        return None
    running = tracking.running(agents.every(Omc(event.place, HASTE)), event.session)
    fresh = [one for one in running if one not in tracking.stale(running, event.clock())]
    if len(fresh) < BACKGROUND:
        return None
    audited(event, "agent-refused", running=str(len(fresh)))
    return Answer(
        deny=f"ultrawork: {len(fresh)} agents run in the background; wait for one of them to end"
    )
