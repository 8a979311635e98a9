"""Read and store the answer of an agent of the catalogue, in the form that its page requires."""

from typing import Any

from ..core.course.roles import strip_prefix
from ..store import markers, trace
from .event import Answer, Event

_OURS = "ultrawork:"
# Agents of Axiom: their answers decide the next step of a requirement.
_AXIOM = "ultrawork:axiom-"
# How an answer without findings ends, by the fragment `report`.
_STATES = ("DONE", "CONCERNS:", "BLOCKED:")
UNREAD = "its answer is in an unknown format"


def keep_answer(event: Event) -> Answer | None:
    """Store findings, whose commands `ultrawork review` tests; a state goes into the trace. A planned session judges
    its agents by its own rules."""
    kind = event.text("agent_type")
    if not kind.startswith(_OURS) or kind.startswith(_AXIOM):
        return None
    if markers.find_planned_session(event.home, event.session):
        return None
    name, message = strip_prefix(kind), event.text("last_assistant_message")
    block = _read_block(message)
    last_state = find_last_state(message) or UNREAD
    if isinstance(block.get("tasks"), list):
        last_state = f"a plan of {len(block['tasks'])} tasks"
    elif isinstance(block.get("findings"), list):
        last_state = _keep_findings(event, name, block)
    entry = {"at": round(event.clock(), 3), "kind": "agents", "what": f"{name}: {last_state}"}
    trace.append(event.home, event.session, entry)
    return None


def _read_block(message: str) -> dict[str, Any]:
    from ..core.errors import UsageError
    from ..flow.planning import parse_block

    try:
        return parse_block(message)
    except UsageError:
        return {}


def _keep_findings(event: Event, name: str, block: dict[str, Any]) -> str:
    from ..core import reviews
    from ..store import reviews as stored

    claims = reviews.read_claims(block, f"{_OURS}{name}")
    stored.keep_claims(event.home, event.place, claims, event.clock())
    shown = sum(bool(claim.command) for claim in claims)
    value = "FAIL" if block.get("verdict") != "PASS" else "PASS"
    return f"{value}, {len(claims)} findings, {shown} with a command"


def find_last_state(message: str) -> str:
    """Return the state on the last line of a report; empty where there is none."""
    lines = message.strip().splitlines()
    last = lines[-1].strip().strip("`*") if lines else ""
    return last[:200] if last.startswith(_STATES) else ""
