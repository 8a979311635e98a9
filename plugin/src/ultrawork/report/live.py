"""Follow the board: which rows changed between two reads, and what happened in a session; and the facts of a status
line."""

from typing import Any

from ..core.session.session import FULL, Session
from ..core.times import format_iso
from ..core.verdict.summary import name_verdict
from ..core.verdict_values import PASS
from ..core.wording import cut, join_lines
from ..store import markers
from ..store.codec import loads
from ..store.database import Database
from ..store.store import Store
from . import status
from .board import BoardRow, render_row
from .inbox import count_blocking, read_inbox

_NAMED = ("subject", "task", "role", "gate", "action", "rule", "verdict", "status", "answer", "why")
# A check that runs gets a line for each quarter of its tests.
_STEPS = 4
Marks = dict[str, tuple[str, str, str, int]]


def take_marks(rows: list[BoardRow]) -> Marks:
    """Return what counts as a change of a session: its state and detail, its tasks, and the progress of its check."""
    return {row.session.id: (row.state.word, row.state.what, row.progress, _count_steps(row)) for row in rows}


def _count_steps(row: BoardRow) -> int:
    done, tests = ((row.check or {}).get(key) for key in ("done", "tests"))
    return _STEPS * min(int(done), int(tests)) // int(tests) if done and tests else 0


def list_moves(before: Marks | None, rows: list[BoardRow], now: float) -> list[str]:
    """Return a line for each session that changed; at the first read, one for each that is active."""
    clock = (format_iso(now) or "")[11:19]
    if before is None:
        moved = [row for row in rows if row.session.active]
    else:
        marks = take_marks(rows)
        moved = [row for row in rows if before.get(row.session.id) != marks[row.session.id]]
    return [f"{clock}  {render_row(row, now)}" for row in moved]


def list_history(database: Database, session: str) -> list[dict[str, Any]]:
    """Return all events of a session in order, with the seconds since its start."""
    rows = database.rows("SELECT at, actor, kind, data FROM events WHERE session=? ORDER BY id", session)
    first = rows[0][0] if rows else 0.0
    return [
        {"after": round(at - first, 3), "at": format_iso(at), "actor": actor, "kind": kind, "what": _describe(data)}
        for at, actor, kind, data in rows
    ]


def list_happenings(database: Database, session: str, after: int, *, first: int) -> list[dict[str, Any]]:
    """
    Return the events after the one with this number, oldest first; those of all sessions if `session` is empty. With
    a negative number, return the newest `first` events.
    """
    rows = database.rows(
        "SELECT id, at, session, kind, data FROM events WHERE id>? AND (?='' OR session=?)"
        " ORDER BY id DESC LIMIT ?",
        after, session, session, first if after < 0 else -1,
    )  # fmt: skip
    return [
        {"id": number, "at": at, "session": name, "kind": kind, "what": _describe(data)}
        for number, at, name, kind, data in reversed(rows)
    ]


def render_happening(event: dict[str, Any], *, alone: bool) -> str:
    """Return `14:02:11  7f3a51c2  task.claimed  2`, without the session if only one is shown."""
    clock = (format_iso(event["at"]) or "")[11:19]
    session = "" if alone else f"{str(event['session'])[:8]:<8}  "
    return f"{clock}  {session}{event['kind']:<22}  {event['what']}".rstrip()


def _describe(text: str) -> str:
    data = loads(text)
    if not isinstance(data, dict):
        return ""
    parts = [str(data[name]) for name in _NAMED if data.get(name)]
    return cut(join_lines(", ".join(parts)), 80)


def render_event(event: dict[str, Any]) -> str:
    """Return a line of a replay, with the time since the start."""
    minutes, seconds = divmod(int(event["after"]), 60)
    return f"{minutes:>4}:{seconds:02}  {event['kind']:<22}  {event['what']}".rstrip()


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
