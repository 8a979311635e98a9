"""Agents that run beside a session: which files they have in hand, what they cost."""

from time import gmtime, strftime
from typing import Any

from ...core.hook_types import has_succeeded
from ...core.project import directives
from ...core.run import prices, subagents
from ...store import markers
from ...store.codec import loads
from ...store.omc import agent_tracking, failures
from ...store.omc import boulder as boulders
from ...store.omc.folder import HASTE, Omc
from ..event import Answer, Event
from ..tool import find_target
from .common import make_relative, mask_secrets, note_enforced

_CIRCLE = 3
BACKGROUND = 5
_TRANSCRIPT = 20_000_000


def note_end(event: Event) -> Answer | None:
    """Count what an agent cost; above the limit, tell the user once."""
    name = event.text("agent_id")
    if not name or not event.text("agent_type"):
        return None
    omc, now = Omc(event.place, HASTE), event.clock()
    cost, unpriced = _cost(event)
    all_ = agent_tracking.mark_ended(omc, name, now, success=has_succeeded(event.data), cost=cost)
    total = subagents.sum_cost(all_, event.session)
    if total <= subagents.COST_LIMIT or not failures.take_new(omc, event.session, "cost"):
        return None
    unknown = f", without {', '.join(unpriced)}, which has no known price" if unpriced else ""
    return Answer(message=f"ultrawork: the agents of this session cost about ${total:.2f}{unknown}")


def _cost(event: Event) -> tuple[float, list[str]]:
    """Return the cost by the client's own token counts, and models without a price; each answer counts once."""
    lines = _read_lines(event.text("agent_transcript_path"))
    answers: dict[str, tuple[str, dict[str, Any]]] = {}
    for line in lines:
        if b'"usage"' in line:
            answers.update(_answer(line))
    if not answers:
        return 0.0, []
    known = _prices(event)
    costs = [(model, prices.find_price(known, model, usage)) for model, usage in answers.values()]
    unpriced = dict.fromkeys(model for model, cost in costs if cost is None)
    return round(sum(cost or 0.0 for _, cost in costs), 4), list(unpriced)


def _read_lines(path: str) -> list[bytes]:
    try:
        with open(path, "rb") as file:
            return file.read(_TRANSCRIPT).split(b"\n")
    except (OSError, ValueError):  # ValueError: not a valid path
        return []


def _prices(event: Event) -> prices.PriceTable:
    """Return the prices; none if the user's file has an error, which `ultrawork config prices` shows."""
    from ...content.models import list_prices
    from ...core.errors import UsageError

    try:
        return list_prices(event.home)
    except UsageError:
        return {}


def _answer(line: bytes) -> dict[str, tuple[str, dict[str, Any]]]:
    try:
        message = loads(line.decode("utf-8", "replace")).get("message")
    except (ValueError, AttributeError):
        return {}
    usage = message.get("usage") if isinstance(message, dict) else None
    if not isinstance(usage, dict):
        return {}
    return {str(message.get("id")): (str(message.get("model")), usage)}


def keep_wisdom(event: Event) -> Answer | None:
    """Store what agents learned while working on a plan with that plan."""
    omc = Omc(event.place, HASTE)
    wisdom = directives.find_wisdom(mask_secrets(event, event.text("last_assistant_message")))
    plan = boulders.read_plan(omc) if wisdom else None
    if plan is None:
        return None
    name = plan[0].rpartition("/")[2].removesuffix(".md")
    stamp = strftime("%Y-%m-%d %H:%M", gmtime(event.clock()))
    for category, words in wisdom:
        omc.append(f"{omc.root}/notepads/{name}/{category}.md", f"### {stamp}\n{words}\n\n")
    return None


def note_file(event: Event) -> None:
    """Record that an agent has written a file; it counts as that agent's file until the agent ends."""
    path = make_relative(event, find_target(event))
    if path:
        agent_tracking.mark_touched(Omc(event.place, HASTE), event.text("agent_id"), path, event.clock())


def warn_of_conflict(event: Event) -> Answer | None:
    """Warn before a second running agent writes the same file."""
    path, omc = make_relative(event, find_target(event)), Omc(event.place, HASTE)
    other = subagents.find_other_owner(agent_tracking.list_all(omc), event.text("agent_id"), path) if path else ""
    key = f"meeting {event.text('agent_id')} {path}"
    if not other or not failures.take_new(omc, event.session, key):
        return None
    return Answer(
        context=f"ultrawork: {other} is running and has changed {path}. Read the file again before you edit, and change only your part"
    )


def limit_background(event: Event) -> Answer | None:
    """Refuse more background agents than a user can follow."""
    if event.mapping("tool_input").get("run_in_background") is not True:
        return None
    if markers.find_planned_session(event.home, event.session):
        return None
    running = subagents.list_running(agent_tracking.list_all(Omc(event.place, HASTE)), event.session)
    fresh = [agent for agent in running if agent not in subagents.list_stale(running, event.clock())]
    if len(fresh) < BACKGROUND:
        return None
    note_enforced(event, "agent-refused", running=str(len(fresh)))
    return Answer(deny=f"ultrawork: {len(fresh)} agents run in the background. Wait until one of them ends")


def note_start(event: Event) -> Answer | None:
    """Record a started agent; name those that have run for long to the user."""
    name, kind = event.text("agent_id"), event.text("agent_type")
    if not name or not kind:
        return None
    omc, now = Omc(event.place, HASTE), event.clock()
    all_ = agent_tracking.mark_started(omc, name, kind, event.session, now)
    mine = [agent for agent in all_ if agent.get("session_id") == event.session]
    return _tell(omc, event, [*_stale(mine, now), *_circle(mine)])


def name_stale(event: Event) -> Answer | None:
    """Name an agent that has run for long at the next tool call, even its own."""
    omc = Omc(event.place, HASTE)
    mine = subagents.list_running(agent_tracking.list_all(omc), event.session)
    return _tell(omc, event, _stale(mine, event.clock())) if mine else None


def _tell(omc: Omc, event: Event, words: list[str]) -> Answer | None:
    fresh = failures.take_new(omc, event.session, *words)
    return Answer(message="\n".join(f"ultrawork: {sentence}" for sentence in fresh)) if fresh else None


def _stale(mine: list[dict[str, Any]], now: float) -> list[str]:
    kinds = [str(agent.get("agent_type")) for agent in subagents.list_stale(mine, now)]
    return [f"agents running for more than 5 minutes: {', '.join(kinds)}"] if kinds else []


def _circle(mine: list[dict[str, Any]]) -> list[str]:
    """Return the kinds of agents that follow each other again and again."""
    count, pattern = subagents.find_cycles([str(agent.get("agent_type")) for agent in mine])
    kinds = pattern.replace("/", ", ")
    return [f"the same agents start each other in a loop: {kinds}"] if count >= _CIRCLE else []
