"""The facts of a status line: of one session, and how many questions block the user in any project."""

from typing import Any

from ..core.session.session import FULL, Session
from ..core.verdict.summary import name_verdict
from ..core.verdict_values import PASS
from ..store import markers
from ..store.store import Store
from . import status
from .inbox import count_blocking, read_inbox

_GREEN = "green"


def read_facts(store: Store, session: Session, *, limit: int) -> dict[str, Any]:
    """Return the facts of the line; for a session that is off only what blocks the user."""
    off = markers.is_switched_off(store.home, session.id)
    facts = status.read(store, session, limit=limit)
    return {
        "active": session.active and not off,
        "state": facts["state"],
        "ended": "" if off else _name_end(facts),
        "mode": ", ".join(str(mode["mode"]) for mode in facts["modes"]),
        "failing": _name_failing(facts["results"]),
        "counted": _count(facts),
        "tasks": _count_tasks(facts["planned"]) if session.kind == FULL else "",
        "blocking": count_blocking(read_inbox(store)),
        "cost": _name_cost(facts),
        "check": facts["check"],
    }


def _name_end(facts: dict[str, Any]) -> str:
    if facts["active"] or facts["verdict"] != PASS:
        return ""
    return f"{name_verdict(PASS, facts['strength'])} {(facts['ended_at'] or '')[11:16]}".rstrip()


def _name_failing(results: dict[str, str | None]) -> str:
    bad = [f"{name} {result or status.NOT_RUN}" for name, result in results.items() if result != _GREEN]
    return bad[0] if bad else ""


def _count(facts: dict[str, Any]) -> str:
    if facts["round"]:
        return str(facts["round"])
    return f"{facts['refusals']} of {facts['limit']}" if facts["refusals"] else ""


def _count_tasks(planned: dict[str, Any] | None) -> str:
    return f"{planned['resolved']} of {planned['tasks']} tasks" if planned and planned["tasks"] else ""


def _name_cost(facts: dict[str, Any]) -> str:
    if facts["cost_usd"] is None:
        return ""
    return f"${facts['cost_usd']:.2f}" + ("" if facts["cost_complete"] else "+")
