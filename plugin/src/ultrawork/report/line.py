"""The facts of a status line: of one session, and how many questions block the user in any project."""

from typing import Any

from ..core.session.session import FULL, Session
from ..core.verdict.strength import name_verdict
from ..core.verdict_values import PASS
from ..store import markers
from ..store.store import Store
from . import status
from .inbox import count_blocking, read_inbox

_GREEN = "green"


def read_facts(store: Store, session: Session, *, limit: int) -> dict[str, Any]:
    """Return the facts of the line; for a session that is off only what blocks the user."""
    off = markers.is_switched_off(store.home, session.id)
    found = status.read(store, session, limit=limit)
    return {
        "active": session.active and not off,
        "state": found["state"],
        "ended": "" if off else _name_end(found),
        "mode": ", ".join(str(mode["mode"]) for mode in found["modes"]),
        "failing": _name_failing(found["results"]),
        "counted": _count(found),
        "tasks": _count_tasks(found["planned"]) if session.kind == FULL else "",
        "blocking": count_blocking(read_inbox(store)),
        "cost": _name_cost(found),
        "check": found["check"],
    }


def _name_end(found: dict[str, Any]) -> str:
    if found["active"] or found["verdict"] != PASS:
        return ""
    return f"{name_verdict(PASS, found['strength'])} {(found['ended_at'] or '')[11:16]}".rstrip()


def _name_failing(results: dict[str, str | None]) -> str:
    bad = [f"{name} {result or status.NOT_RUN}" for name, result in results.items() if result != _GREEN]
    return bad[0] if bad else ""


def _count(found: dict[str, Any]) -> str:
    if found["round"]:
        return str(found["round"])
    return f"{found['refusals']} of {found['limit']}" if found["refusals"] else ""


def _count_tasks(planned: dict[str, Any] | None) -> str:
    return f"{planned['resolved']} of {planned['tasks']} tasks" if planned and planned["tasks"] else ""


def _name_cost(found: dict[str, Any]) -> str:
    if found["cost_usd"] is None:
        return ""
    return f"${found['cost_usd']:.2f}" + ("" if found["cost_complete"] else "+")
