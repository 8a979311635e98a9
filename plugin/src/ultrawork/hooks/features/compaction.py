"""Compaction: save what is on before it, and restore it afterwards."""

from typing import Any

from ...core.modes import modes
from ...core.registry import FEATURES, ask
from ...core.run import subagents
from ...store import trace
from ...store.omc import agent_tracking, checkpoints, failures, states
from ...store.omc import boulder as boulders
from ...store.omc.folder import HASTE, Omc
from ..event import Answer, Event
from ..todo_list import list_open
from .common import fit

ROOM = 1_000
_FEW = 8


def write_checkpoint(event: Event) -> Answer | None:
    """Save a checkpoint. Plain text here is added to what the summary should keep."""
    if not event.session:
        return None
    omc, now = Omc(event.place, HASTE), event.clock()
    content = _content(event, omc, now)
    checkpoints.write(omc, content, now)
    lines = _lines(content)
    return Answer(plain="Keep in the summary:\n" + "\n".join(lines)) if lines else None


def _content(event: Event, omc: Omc, now: float) -> dict[str, Any]:
    plan = boulders.read_plan(omc)
    on = [mode for mode in states.FILED if states.is_active(omc, mode, event.session, now)]
    documents = {mode: states.read(omc, mode, event.session) or {} for mode in on}
    return {
        "session_id": event.session,
        "created_at": round(now),
        "trigger": event.text("trigger"),
        "modes": {mode: _phase(state) for mode, state in documents.items()},
        "open": list_open(trace.read_all(event.home, event.session))[:20],
        "agents": [
            str(agent.get("agent_type"))
            for agent in subagents.list_running(agent_tracking.list_all(omc), event.session)
        ],
        "plan": plan[0] if plan else "",
        "boxes": plan[1].open[:20] if plan else [],
        "notes": ask("notepad", "read_priority")(omc) if "notepad" in FEATURES else "",
    }


def _phase(state: dict[str, Any]) -> str:
    """Return the phase; the documents have several names for this key."""
    phase = next((state[key] for key in ("current_phase", "phase", "stage") if state.get(key)), "")
    return str(phase)


def _lines(content: dict[str, Any]) -> list[str]:
    on = [f"{mode} {phase}".strip() for mode, phase in content.get("modes", {}).items() if mode in modes.ALL]
    parts = (
        ("Active modes", on),
        ("Open on the agent's to-do list", content.get("open", [])[:_FEW]),
        ("Running agents", content.get("agents", [])),
        (f"Open boxes of {content.get('plan')}", content.get("boxes", [])[:_FEW]),
    )
    lines = [f"{name}: {', '.join(str(entry) for entry in entries)}" for name, entries in parts if entries]
    notes = str(content.get("notes") or "")
    return [*lines, *([f"Notes: {notes}"] if notes else [])]


def restore(event: Event) -> Answer | None:
    """Return what the summary may have lost; what was shown before may be shown again."""
    omc = Omc(event.place, HASTE)
    failures.forget(omc, event.session)
    content = checkpoints.find_last(omc, event.session)
    lines = _lines(content) if content else []
    text = fit("\n".join(lines), ROOM, ".omc/state/checkpoints")
    return Answer(context=f"State before the compaction:\n{text}") if lines else None
